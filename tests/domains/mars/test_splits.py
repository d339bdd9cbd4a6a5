"""Splits share no terrain where they should not: nothing that is tested was seen in training."""

import numpy as np
import pytest

from helpers.terrain_problems import marked_terrain
from vinlab.domains.mars.patches import PatchConfig
from vinlab.domains.mars.splits import NAMES, disjoint_regions, split_problems
from vinlab.planning.exact import cost_to_go
from vinlab.types import InputError

SMALL = PatchConfig(side=32, cell=4, stride=4, min_free=8)


def pixels_of(problems, terrains):
    """Which pixels of the terrains the patches hold, found again by the eight pixels in their corners."""
    keys = np.ascontiguousarray(problems.images[:, 0, :8]).view(np.uint64).ravel()
    held = set()
    for number, terrain in enumerate(terrains):
        windows = np.lib.stride_tricks.sliding_window_view(terrain.image, 8, axis=1)
        everywhere = np.ascontiguousarray(windows).view(np.uint64)[..., 0]
        mask = np.zeros(terrain.image.shape, bool)
        for top, left in np.argwhere(np.isin(everywhere, keys)):
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


def test_overlapping_splits_hold_different_patches_of_the_same_terrain():
    terrains = [marked_terrain(100, 100, 0)]
    splits = split_problems(
        terrains, protocol="overlapping", counts=(60, 10, 10), config=SMALL, rng=np.random.default_rng(0)
    )
    parts = [{image.tobytes() for image in getattr(splits, name).images} for name in NAMES]
    assert [len(part) for part in parts] == [60, 10, 10]
    assert len(set.union(*parts)) == 80
    assert pixels_of(splits.train, terrains) & pixels_of(splits.test, terrains)


def test_the_terrain_of_each_split_does_not_depend_on_the_seed():
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


def test_every_goal_is_reached_from_its_start_and_neither_is_blocked():
    terrains = [marked_terrain(200, 100, 3)]
    problems = split_problems(terrains, counts=(100, 5, 5), config=SMALL, rng=np.random.default_rng(0)).train
    costs = cost_to_go(problems.grid.obstacles, problems.goals)
    here = costs[np.arange(len(problems)), problems.starts[:, 0], problems.starts[:, 1]]
    assert np.isfinite(here).all()
    assert (here > 0).all()


def test_blocks_are_tiles_of_terrain():
    terrains = [marked_terrain(96, 64, seed) for seed in range(6)]
    problems = split_problems(terrains, counts=(90, 5, 5), config=SMALL, rng=np.random.default_rng(0)).train
    assert set(problems.block_ids) <= set(range(6 * 6))
    terrain_of = problems.block_ids // 6
    for number, terrain in enumerate(terrains):
        own = pixels_of(problems[terrain_of == number], [terrain])
        assert bool(own) == bool((terrain_of == number).any())


def test_too_little_terrain_is_refused():
    with pytest.raises(InputError, match=r"expected terrain for 500 patches for train, got \d+ of"):
        split_problems(
            [marked_terrain(200, 32, 0)], counts=(500, 1, 1), config=SMALL, rng=np.random.default_rng(0)
        )
