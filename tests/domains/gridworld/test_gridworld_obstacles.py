"""Maps are the authors': their obstacle share, their shapes, their share of failed attempts."""

import numpy as np
import pytest

from vinlab.domains.gridworld.obstacles import ObstacleConfig, ScatterConfig
from vinlab.types import InputError

INTERIOR_SHARE = {8: 0.108, 16: 0.200, 28: 0.207}
MAPS_OF_5000_ATTEMPTS = {8: 3672, 16: 4332, 28: 4620}


def draw(size, attempts=5000, seed=0):
    return ObstacleConfig.for_size(size).draw(size, size, attempts, rng=np.random.default_rng(seed))


@pytest.mark.parametrize("size", [8, 16, 28])
def test_obstacle_share_is_the_authors(size):
    obstacles, _ = draw(size)
    assert obstacles[:, 1:-1, 1:-1].mean() == pytest.approx(INTERIOR_SHARE[size], abs=0.01)


@pytest.mark.parametrize("size", [8, 16, 28])
def test_as_many_attempts_succeed_as_with_the_authors(size):
    obstacles, _ = draw(size, attempts=20_000)
    assert len(obstacles) / 4 == pytest.approx(MAPS_OF_5000_ATTEMPTS[size], rel=0.01)


@pytest.mark.parametrize("size", [8, 16, 28])
def test_wall_is_closed_and_goals_are_free_and_uniform_inside(size):
    obstacles, goals = draw(size)
    assert all(
        edge.all() for edge in (obstacles[:, 0], obstacles[:, -1], obstacles[:, :, 0], obstacles[:, :, -1])
    )
    assert not obstacles[np.arange(len(goals)), goals[:, 0], goals[:, 1]].any()
    for coordinate in goals.T:
        share = np.bincount(coordinate, minlength=size)[1:-1] / len(goals)
        assert np.abs(share - 1 / (size - 2)).max() < 0.02


def shapes_of_single_obstacles(max_size):
    """The forms that one obstacle away from the wall can have, as sets of offsets from its upper left."""
    obstacles, _ = ObstacleConfig(1, max_size).draw(21, 21, 4000, rng=np.random.default_rng(1))
    inner = obstacles[:, 1:-1, 1:-1]
    away = ~(inner[:, 0].any(1) | inner[:, -1].any(1) | inner[:, :, 0].any(1) | inner[:, :, -1].any(1))
    cells = [np.argwhere(one) for one in inner[away]]
    return {frozenset(map(tuple, one - one.min(axis=0))) for one in cells if len(one)}


def rectangle(height, width):
    return frozenset((row, col) for row in range(height) for col in range(width))


PLUS = frozenset({(0, 1), (1, 0), (1, 1), (1, 2), (2, 1)})
DISC = rectangle(5, 5) - {(0, 0), (0, 4), (4, 0), (4, 4)}


def test_shapes_are_the_authors():
    assert shapes_of_single_obstacles(0.0) == {rectangle(1, 1)}
    assert shapes_of_single_obstacles(1.0) == {rectangle(1, 1), PLUS}
    rectangles = {rectangle(height, width) for height in (1, 2) for width in (1, 2)}
    assert shapes_of_single_obstacles(2.0) == rectangles | {PLUS, DISC}


def test_half_of_the_obstacles_of_size_zero_draw_nothing():
    obstacles, _ = ObstacleConfig(1, 0.0).draw(40, 40, 4000, rng=np.random.default_rng(2))
    drawn = obstacles[:, 1:-1, 1:-1].any(axis=(1, 2)).mean()
    assert drawn == pytest.approx(0.5 * (38 / 40) ** 2, abs=0.03)


def test_other_sizes_keep_the_density_of_the_nearest():
    assert ObstacleConfig.for_size(8) == ObstacleConfig(30, 0.0)
    assert ObstacleConfig.for_size(56) == ObstacleConfig(200, 2.0)
    obstacles, _ = ObstacleConfig.for_size(40, 60).draw(40, 60, 1000, rng=np.random.default_rng(3))
    assert obstacles.shape[1:] == (40, 60)
    assert obstacles[:, 1:-1, 1:-1].mean() == pytest.approx(0.207, abs=0.02)


def test_same_seed_same_maps():
    for first, second in zip(draw(16, seed=5), draw(16, seed=5), strict=True):
        np.testing.assert_array_equal(first, second)
    assert not np.array_equal(draw(16, seed=5)[1][:50], draw(16, seed=6)[1][:50])


def test_impossible_settings_are_refused():
    with pytest.raises(InputError, match="at least 3 x 4"):
        ObstacleConfig.for_size(3).draw(3, 3, 1, rng=np.random.default_rng(0))
    with pytest.raises(InputError, match="max_obstacles of at least 1"):
        ObstacleConfig(0, 1.0)


def test_scattered_cells_are_blocked_independently():
    obstacles, goals = ScatterConfig(0.3).draw(20, 24, 500, rng=np.random.default_rng(0))
    assert obstacles[:, 1:-1, 1:-1].mean() == pytest.approx(0.3, abs=0.01)
    assert obstacles[:, 0].all()
    assert obstacles[:, :, -1].all()
    assert not obstacles[np.arange(500), goals[:, 0], goals[:, 1]].any()
    side_by_side = (obstacles[:, 1:-1, 1:-2] & obstacles[:, 1:-1, 2:-1]).mean()
    assert side_by_side == pytest.approx(0.09, abs=0.01)
    with pytest.raises(InputError, match="density: expected 0 or more and less than 1"):
        ScatterConfig(1.0)
