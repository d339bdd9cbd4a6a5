"""Patches are cut from terrain, their cells blocked by steep pixels, and those that make no problem counted."""

import numpy as np

from helpers.terrain_problems import marked_terrain
from vinlab.domains.mars.patches import (
    PatchConfig,
    Region,
    blocked_cells,
    cell_maps,
    find_patches,
    free_regions,
    random_ends,
)
from vinlab.domains.mars.terrain import Terrain

SMALL = PatchConfig(side=32, cell=4, stride=4, min_free=8)


def test_a_cell_is_blocked_by_a_single_pixel_at_the_threshold():
    slope = np.full((1, 32, 32), 9.999, np.float32)
    slope[0, 7, 8] = 10.0
    blocked = blocked_cells(slope, cell=4, threshold=10.0)
    assert np.argwhere(blocked).tolist() == [[0, 1, 2]]


def test_cells_of_the_lattice_are_the_cells_of_the_patches():
    terrain = marked_terrain(90, 80, 5)
    corners, _ = find_patches(terrain, Region(0, 0, 0, 90, 80), SMALL, 3)
    crops = np.stack([terrain.slope[row : row + 32, col : col + 32] for row, col in corners])
    cells = np.concatenate(list(cell_maps(terrain, corners, SMALL)))
    assert np.array_equal(cells, blocked_cells(crops, cell=4, threshold=10.0))


def test_patches_that_make_no_task_are_counted_by_what_is_wrong_with_them():
    slope = np.zeros((32, 160), np.float32)
    slope[:, 32:64] = 20.0  # all blocked
    slope[5, 64:96] = np.nan  # a gap
    slope[:, 96:128][::8] = 20.0  # stripes of free cells, each of 8
    slope[0:4, 128:160] = 20.0  # a task
    terrain = Terrain(np.zeros(slope.shape, np.uint8), slope)
    config = PatchConfig(side=32, cell=4, min_free=9)
    corners, counts = find_patches(terrain, Region(0, 0, 0, 32, 160), config, 32)
    assert corners.tolist() == [[0, 128]]
    assert (counts.positions, counts.unknown, counts.too_open, counts.too_blocked) == (5, 1, 1, 1)
    assert (counts.no_region, counts.usable) == (1, 1)


def test_regions_connect_by_corners_but_not_from_patch_to_patch():
    obstacles = np.array([[[0, 1], [1, 0]], [[0, 0], [1, 1]]], bool)
    labels, sizes = free_regions(obstacles)
    assert sizes.tolist() == [[[2, 0], [0, 2]], [[2, 2], [0, 0]]]
    assert labels.tolist() == [[[1, 0], [0, 1]], [[1, 1], [0, 0]]]


def test_ends_lie_in_the_same_large_region():
    obstacles = np.zeros((50, 4, 4), bool)
    obstacles[:, 1] = True  # 4 cells above the wall, 8 below
    starts, goals = random_ends(obstacles, 8, np.random.default_rng(0))
    assert (starts[:, 0] >= 2).all()
    assert (goals[:, 0] >= 2).all()
    assert (starts != goals).any(axis=1).all()
