"""Control problems: all can be solved, straight paths are blocked, and images show obstacles and goal."""

import numpy as np
import pytest

from vinlab.domains.control.geometry import (
    FINE,
    HALF_SIDE,
    RADIUS,
    cells_of,
    covered,
    downsample_mean,
    touches,
)
from vinlab.domains.control.problem import (
    IMAGE,
    ControlConfig,
    ControlProblems,
    attempt_problems,
    content_hash,
    detour_of,
    is_blocked,
    observe,
    sample_problems,
)
from vinlab.types import GOAL_MARK, InputError


@pytest.fixture(scope="module")
def problems():
    return sample_problems(ControlConfig(), 60, rng=np.random.default_rng(0))


def test_the_same_seed_gives_the_same_problems(problems):
    again = sample_problems(ControlConfig(), 60, rng=np.random.default_rng(0))
    other = sample_problems(ControlConfig(), 60, rng=np.random.default_rng(1))
    assert content_hash(problems) == content_hash(again) != content_hash(other)


def test_start_and_goal_are_free_on_the_border_and_apart(problems):
    config = ControlConfig()
    for places in (problems.starts, problems.goals):
        np.testing.assert_allclose(np.abs(places).max(axis=1), HALF_SIDE - config.border)
        assert not touches(problems.boxes, places, RADIUS).any()
    assert (np.linalg.norm(problems.starts - problems.goals, axis=1) >= config.min_distance).all()


def test_every_problem_has_a_route_that_is_a_detour(problems):
    config = ControlConfig()
    detours = detour_of(problems, margin=RADIUS + config.clearance)
    assert (detours >= config.detour[0]).all()
    assert (detours <= config.detour[1]).all()
    assert not is_blocked(problems).any()


def test_numbers_and_sizes_of_obstacles_vary_within_the_bounds(problems):
    config = ControlConfig()
    present = (problems.boxes[..., 2:] > 0).all(axis=-1).sum(axis=1)
    assert present.min() >= config.walls[0] + config.boxes[0]
    assert present.max() <= config.max_boxes
    assert len(np.unique(present)) >= 3


def test_some_attempts_are_blocked_and_are_told_apart():
    drawn = attempt_problems(ControlConfig(), 600, rng=np.random.default_rng(2))
    blocked = is_blocked(drawn)
    assert 0 < blocked.mean() < 0.5


def test_an_empty_square_has_no_detour_and_a_wall_across_it_blocks():
    boxes = np.zeros((2, 1, 4))
    boxes[1, 0] = [0, 0, 0.1, HALF_SIDE]
    both = ControlProblems(boxes, np.array([[-0.9, 0.1]] * 2), np.array([[0.9, -0.3]] * 2))
    np.testing.assert_allclose(detour_of(both), [1.0, np.inf])
    np.testing.assert_array_equal(is_blocked(both), [False, True])


def test_the_image_shows_obstacles_by_their_share_and_the_goal_where_it_is(problems):
    images = observe(problems).numpy()
    assert images.shape == (len(problems), 2, IMAGE, IMAGE)
    np.testing.assert_allclose(images[:, 1].sum(axis=(1, 2)), GOAL_MARK, rtol=1e-5)
    centres = HALF_SIDE * ((2 * np.arange(IMAGE) + 1) / IMAGE - 1)
    rows = (images[:, 1].sum(axis=2) * centres).sum(axis=1) / GOAL_MARK
    cols = (images[:, 1].sum(axis=1) * centres).sum(axis=1) / GOAL_MARK
    np.testing.assert_allclose(np.stack([rows, cols], axis=1), problems.goals, atol=0.04)
    fine = covered(problems.boxes, 2 * FINE)
    np.testing.assert_allclose(images[:, 0], downsample_mean(fine.astype(float), IMAGE), atol=1e-6)


def test_cells_count_from_the_upper_left():
    cells = cells_of(np.array([[-0.99, -0.99], [-0.99, 0.99], [0.0, 0.0], [5.0, -5.0]]), 16)
    np.testing.assert_array_equal(cells, [[0, 0], [0, 15], [8, 8], [15, 0]])


def test_no_problems_are_refused_and_impossible_ones_given_up():
    with pytest.raises(InputError, match="expected at least 1, got 0"):
        sample_problems(ControlConfig(), 0, rng=np.random.default_rng(0))
    with pytest.raises(InputError, match="expected solvable problems"):
        sample_problems(ControlConfig(detour=(5.0, 6.0)), 100, rng=np.random.default_rng(0))
