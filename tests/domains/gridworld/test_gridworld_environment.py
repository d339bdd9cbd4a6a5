"""One definition of a move, and a Gymnasium environment that keeps to it."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from vinlab.domains.gridworld.environment import is_free, step
from vinlab.domains.gridworld.expert import expert_moves, expert_paths
from vinlab.domains.gridworld.gymnasium_env import GridWorldEnvironment
from vinlab.domains.gridworld.problem import GridworldConfig, observe, sample_problems
from vinlab.planning.exact import cost_to_go
from vinlab.types import MOVE_OFFSETS, GridProblems, InputError

MAP = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], np.uint8)
NORTH, SOUTH, EAST, WEST, NORTH_EAST, NORTH_WEST, SOUTH_EAST, SOUTH_WEST = range(8)


@pytest.mark.parametrize(
    ("state", "move", "cutting", "keeping"),
    [
        ((1, 1), SOUTH, (2, 1), (2, 1)),
        ((1, 1), NORTH, (1, 1), (1, 1)),  # an obstacle
        ((2, 2), EAST, (2, 2), (2, 2)),  # the edge
        ((0, 0), NORTH_WEST, (0, 0), (0, 0)),
        ((1, 1), NORTH_EAST, (0, 2), (1, 1)),  # between two obstacles
        ((1, 1), SOUTH_EAST, (2, 2), (1, 1)),  # past one
        ((1, 1), SOUTH_WEST, (2, 0), (2, 0)),
    ],
)
def test_a_move_leads_to_a_free_cell_or_nowhere(state, move, cutting, keeping):
    for corner_cutting, expected in ((True, cutting), (False, keeping)):
        found = step(MAP[None], np.array([state]), np.array([move]), corner_cutting=corner_cutting)
        assert tuple(found[0]) == expected


def test_many_states_of_a_map_step_as_each_alone():
    rng = np.random.default_rng(0)
    maps = (rng.random((6, 5, 4)) < 0.3).astype(np.uint8)
    states, moves = rng.integers(0, (5, 4), size=(6, 9, 2)), rng.integers(0, 8, size=(6, 9))
    together = step(maps, states, moves, corner_cutting=False)
    for each in range(9):
        alone = step(maps, states[:, each], moves[:, each], corner_cutting=False)
        np.testing.assert_array_equal(together[:, each], alone)


def test_free_means_inside_and_without_obstacle():
    positions = np.array([[[0, 0], [0, 1], [-1, 0], [0, 3], [2, 2]]])
    assert is_free(MAP[None], positions).tolist() == [[True, False, False, False, True]]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("config", [GridworldConfig(8), GridworldConfig((6, 9), corner_cutting=False)])
def test_environment_passes_gymnasiums_checker(config):
    check_env(GridWorldEnvironment(config), skip_render_check=True)


def test_environment_is_made_by_its_id():
    environment = gymnasium.make("vinlab.envs:vinlab/GridWorld-v0", config=GridworldConfig(16))
    observation, _ = environment.reset(seed=0)
    assert observation["image"].shape == (2, 16, 16)
    assert environment.action_space == gymnasium.spaces.Discrete(8)


def test_the_experts_path_ends_the_episode_with_its_cost():
    problems = sample_problems(GridworldConfig(8), 1, rng=np.random.default_rng(1))
    costs = cost_to_go(problems.obstacles, problems.goals)
    paths, _ = expert_paths(
        expert_moves(costs, problems.obstacles), problems.obstacles, problems.starts, problems.goals
    )
    environment = GridWorldEnvironment(problems=problems)
    observation, _ = environment.reset(seed=0)
    np.testing.assert_array_equal(
        observation["image"], observe(problems.obstacles, problems.goals).numpy()[0]
    )
    total, ended = 0.0, []
    for before, after in zip(paths[0][:-1], paths[0][1:], strict=True):
        move = int(np.flatnonzero((after - before == MOVE_OFFSETS).all(axis=1))[0])
        observation, reward, terminated, truncated, _ = environment.step(np.int64(move))
        total += reward
        ended.append(terminated)
        assert (observation["position"] == after).all()
        assert not truncated
    assert ended == [False] * (len(ended) - 1) + [True]
    assert total == pytest.approx(1 - costs[0, problems.starts[0, 0], problems.starts[0, 1]])


def test_the_episode_is_cut_off_at_the_horizon():
    problem = GridProblems(MAP[None], np.array([[0, 0]]), np.array([[2, 2]]))
    environment = GridWorldEnvironment(problems=problem, horizon=3)
    environment.reset(seed=0)
    assert [environment.step(np.int64(NORTH))[3] for _ in range(3)] == [False, False, True]


def test_no_problems_are_refused():
    with pytest.raises(InputError, match="at least one problem"):
        GridWorldEnvironment(problems=GridProblems(MAP[None], np.array([[0, 0]]), np.array([[2, 2]]))[:0])
