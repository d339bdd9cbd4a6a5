"""Problems are sampled from more tiles than are held at once, and observed as images with a marked goal."""

import numpy as np
import pytest

from vinlab.domains.mars.patches import PAPER_PATCHES, PatchConfig
from vinlab.domains.mars.problem import observe, sample_from_tiles, sample_problems
from vinlab.domains.mars.terrain import Terrain
from vinlab.planning.exact import cost_to_go
from vinlab.types import GOAL_MARK, InputError

SMALL = PatchConfig(side=32, cell=8, stride=16, min_free=3)


def some_tile(number, side=96):
    """A tile with some steep places, all of whose pixels are its number."""
    rng = np.random.default_rng(number)
    slope = np.where(rng.random((side, side)) < 0.004, 20.0, 1.0).astype(np.float32)
    return Terrain(np.full((side, side), number, np.uint8), slope)


def tiles():
    return (some_tile(number) for number in range(10))


def test_every_tile_gives_its_share():
    problems, counts = sample_from_tiles(tiles, 100, SMALL, rng=np.random.default_rng(0))
    assert counts.positions == 10 * 25
    assert len(problems) == 100
    shares = np.bincount(problems.images[:, 0, 0], minlength=10)
    assert shares.min() >= 3
    assert np.array_equal(problems.block_ids // 9, problems.images[:, 0, 0])


def test_the_stride_is_halved_where_patches_are_too_few():
    problems, counts = sample_from_tiles(tiles, 600, SMALL, rng=np.random.default_rng(0))
    assert counts.stride == 8
    assert len(problems) == 600


def test_terrain_without_a_free_cell_is_refused_and_counted():
    steep = Terrain(np.zeros((32, 32), np.uint8), np.full((32, 32), 30.0, np.float32))
    with pytest.raises(
        InputError, match=r"expected terrain for 5 problems, got 0 of 1 patches usable .*1 too b"
    ):
        sample_from_tiles(lambda: [steep], 5, SMALL, rng=np.random.default_rng(0))


def test_problems_on_synthetic_terrain_depend_on_the_seed_alone():
    first, same, other = (
        sample_problems(PAPER_PATCHES, 3, rng=np.random.default_rng(seed)) for seed in (0, 0, 1)
    )
    assert np.array_equal(first.images, same.images)
    assert np.array_equal(first.goals, same.goals)
    assert not np.array_equal(first.images, other.images)
    costs = cost_to_go(first.grid.obstacles, first.goals)
    assert np.isfinite(costs[np.arange(3), first.starts[:, 0], first.starts[:, 1]]).all()


def test_an_observation_is_the_image_without_its_mean_and_the_marked_goal():
    images = np.random.default_rng(0).integers(0, 256, (2, 32, 48)).astype(np.uint8)
    observation = observe(images, np.array([[0, 5], [3, 1]])).numpy()
    assert np.abs(observation[:, 0].mean(axis=(1, 2))).max() < 1e-5
    assert np.ptp(observation[0, 0]) == pytest.approx(np.ptp(images[0]) / 20)
    assert (observation[0, 1, :8, 40:] == GOAL_MARK).all()
    assert observation[:, 1].sum() == 2 * 64 * GOAL_MARK
    with pytest.raises(InputError, match=r"expected goals on a map of 4 x 6 cells, got \(4, 0\)"):
        observe(images, np.array([[0, 0], [4, 0]]))
