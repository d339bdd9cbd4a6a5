"""Patches are cut, judged and split as they should be: nothing that is tested was learned from."""

import numpy as np
import pytest

from vinlab.domains.mars.patches import (
    PatchConfig,
    Region,
    blocked_cells,
    cell_maps,
    find_patches,
    free_regions,
)
from vinlab.domains.mars.problem import NAMES, disjoint_regions, split_problems
from vinlab.domains.mars.tasks import random_ends
from vinlab.domains.mars.terrain import Terrain
from vinlab.planning.exact import cost_to_go
from vinlab.types import InputError

SMALL = PatchConfig(side=32, cell=4, stride=4, min_free=8)


def marked_terrain(height, width, seed, name="marked"):
    """Ground with some steep places; the image is noise, so that a patch tells where it was cut from."""
    rng = np.random.default_rng(seed)
    slope = np.where(rng.random((height, width)) < 0.02, 20.0, 3.0).astype(np.float32)
    return Terrain(rng.integers(0, 256, (height, width), dtype=np.uint8), slope, name)


def pixels_of(problems, terrains):
    """Which pixels of the terrains the patches hold, found again by the eight pixels in their corners."""
    keys = np.ascontiguousarray(problems.images[:, 0, :8]).view(np.uint64).ravel()
    held = set()
    for number, terrain in enumerate(terrains):
        windows = np.lib.stride_tricks.sliding_window_view(terrain.image, 8, axis=1)
        dense_logits = np.ascontiguousarray(windows).view(np.uint64)[..., 0]
        mask = np.zeros(terrain.image.shape, bool)
        for top, left in np.argwhere(np.isin(dense_logits, keys)):
            mask[top : top + SMALL.side, left : left + SMALL.side] = True
        held.update((number, *place) for place in np.argwhere(mask).tolist())
    return held


@pytest.mark.parametrize(
    "shapes", [[(300, 70)], [(70, 300)], [(60, 60)] * 6], ids=["rows", "columns", "scenes"]
)
def test_disjoint_splits_share_no_pixel_though_strides_overlap(shapes):
    terrains = [marked_terrain(*shape, seed) for seed, shape in enumerate(shapes)]
    splits = split_problems(terrains, counts=(60, 10, 10), config=SMALL, rng=np.random.default_rng(0))
    train, validation, test = (pixels_of(getattr(splits, name), terrains) for name in NAMES)
    assert len(train) >= SMALL.side**2
    assert not train & validation
    assert not train & test
    assert not validation & test


def test_overlapping_splits_hold_different_patches_of_the_same_ground():
    terrains = [marked_terrain(100, 100, 0)]
    splits = split_problems(
        terrains, protocol="overlapping", counts=(60, 10, 10), config=SMALL, rng=np.random.default_rng(0)
    )
    parts = [{image.tobytes() for image in getattr(splits, name).images} for name in NAMES]
    assert [len(part) for part in parts] == [60, 10, 10]
    assert len(set.union(*parts)) == 80
    assert pixels_of(splits.train, terrains) & pixels_of(splits.test, terrains)


def test_the_ground_of_each_split_does_not_depend_on_the_seed():
    terrains = [marked_terrain(60, 60, seed) for seed in range(8)]
    regions = disjoint_regions(terrains, SMALL)
    assert sorted(region.terrain for name in NAMES for region in regions[name]) == list(range(8))
    assert regions == disjoint_regions(terrains, SMALL)


def test_same_seed_same_problems():
    terrains = [marked_terrain(200, 60, 0)]
    first, second = (
        split_problems(terrains, counts=(20, 5, 5), config=SMALL, rng=np.random.default_rng(7)) for _ in "ab"
    )
    for name in ("images", "obstacles", "starts", "goals", "block_ids"):
        assert np.array_equal(getattr(first.train, name), getattr(second.train, name))


def test_every_start_leads_to_its_goal_and_neither_is_blocked():
    terrains = [marked_terrain(200, 100, 3)]
    problems = split_problems(terrains, counts=(100, 5, 5), config=SMALL, rng=np.random.default_rng(0)).train
    costs = cost_to_go(problems.grid.obstacles, problems.goals)
    here = costs[np.arange(len(problems)), problems.starts[:, 0], problems.starts[:, 1]]
    assert np.isfinite(here).all()
    assert (here > 0).all()


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
    corners, census = find_patches(terrain, Region(0, 0, 0, 32, 160), config, 32)
    assert corners.tolist() == [[0, 128]]
    assert (census.positions, census.unknown, census.too_open, census.too_blocked) == (5, 1, 1, 1)
    assert (census.no_region, census.usable) == (1, 1)


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


def test_blocks_are_tiles_of_ground():
    terrains = [marked_terrain(96, 64, seed) for seed in range(6)]
    problems = split_problems(terrains, counts=(90, 5, 5), config=SMALL, rng=np.random.default_rng(0)).train
    assert set(problems.block_ids) <= set(range(6 * 6))
    terrain_of = problems.block_ids // 6
    for number, terrain in enumerate(terrains):
        own = pixels_of(problems[terrain_of == number], [terrain])
        assert bool(own) == bool((terrain_of == number).any())


def test_too_little_ground_is_said():
    with pytest.raises(InputError, match=r"500 patches for train are wanted, but the ground holds \d+ of"):
        split_problems(
            [marked_terrain(200, 32, 0)], counts=(500, 1, 1), config=SMALL, rng=np.random.default_rng(0)
        )
