"""Driving with a heading: dynamics, expert, mazes of peers, files and the Gymnasium environment."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from vinlab.domains.motion.environment import at_goal, possible_moves, step
from vinlab.domains.motion.expert import demonstrate_everywhere, solve
from vinlab.domains.motion.files import has_gppn_layout, read_gppn_mazes
from vinlab.domains.motion.mazes import GppnMazes, HardMazes
from vinlab.domains.motion.problem import MotionConfig, MotionProblems, cost_to_go, observe, sample_problems
from vinlab.planning.exact import cost_to_go as grid_cost_to_go
from vinlab.planning.moves import differential_drive, grid_moves, motion_named
from vinlab.types import InputError


def mazes(count, size=9, motion="differential", seed=0):
    return sample_problems(MotionConfig(size, motion), count, rng=np.random.default_rng(seed))


def test_four_moves_have_the_grids_distances():
    problems = mazes(20, motion="four")
    costs = cost_to_go(problems, grid_moves(4))
    true = grid_cost_to_go(problems.obstacles, problems.goals[:, :2], num_moves=4)
    np.testing.assert_array_equal(costs[:, 0], true)


def test_a_move_needs_all_cells_that_it_passes():
    obstacles = np.zeros((1, 4, 4), np.uint8)
    obstacles[0, 2, 1] = 1
    moves = differential_drive(16)
    possible = possible_moves(obstacles, moves)
    ahead = moves.layer("NNE")  # two rows up and one column right, over (2, 1) or (2, 2)
    assert not possible[0, ahead, 0, 3, 1]
    assert possible[0, ahead, 0, 3, 2]
    assert not possible[0, ahead, 0, 1, 1]  # off the map
    assert possible[0, :, 1:].all(axis=(0, 1))[obstacles[0] == 0].all()


def test_what_is_impossible_changes_nothing():
    moves = motion_named("differential")
    possible = possible_moves(np.zeros((1, 2, 2), np.uint8), moves)
    north = np.array([[0, 0, moves.layer("N")]])
    np.testing.assert_array_equal(step(possible, moves, north, np.array([0])), north)
    np.testing.assert_array_equal(step(possible, moves, north, np.array([2])), [[0, 0, moves.layer("E")]])


def test_the_experts_optimal_actions_lead_one_step_nearer():
    problems, moves = mazes(6), motion_named("differential")
    solution = solve(problems, moves)
    possible = possible_moves(problems.obstacles, moves)
    index, layer, action, row, col = np.nonzero(solution.optimal)
    states = np.stack([row, col, layer], axis=-1)
    following = step(possible[index], moves, states, action)
    after = solution.costs[index, following[:, 2], following[:, 0], following[:, 1]]
    np.testing.assert_allclose(after, solution.costs[index, layer, row, col] - 1)


def test_a_goal_without_a_heading_is_reached_by_any():
    moves = motion_named("differential")
    free = np.zeros((1, 1, 4), np.uint8)
    goal = np.array([[0, 3, -1]])
    costs = cost_to_go(MotionProblems(free, goal, goal), moves)
    assert (costs[0, :, 0, 3] == 0).all()
    assert costs[0, moves.layer("E"), 0, 0] == 3
    assert at_goal(np.array([[0, 3, 2]]), goal).all()
    assert (observe(free, goal, 4)[0, 1:, 0, 3] == 10).all()


def test_demonstrations_hold_every_state_with_a_path():
    problems, moves = mazes(3), motion_named("differential")
    shown = demonstrate_everywhere(problems, moves)
    costs = cost_to_go(problems, moves)
    assert int(shown.weights.sum()) == (np.isfinite(costs) & (costs > 0)).sum()
    assert shown.states.shape[-1] == 3
    assert shown.moves.any(dim=-1).all()


def test_gppn_mazes_are_connected_before_cells_are_freed_and_goals_are_free():
    maps, goals = GppnMazes().draw(15, 15, 50, rng=np.random.default_rng(0))
    assert (maps[:, 1::2, 1::2] == 0).all()
    assert (maps[:, 0] == 1).all()
    assert (maps[:, -1] == 1).all()
    assert (maps[np.arange(50), goals[:, 0], goals[:, 1]] == 0).all()
    costs = grid_cost_to_go(maps, np.ones((50, 2), int), num_moves=4)
    assert np.isfinite(costs[:, 1::2, 1::2]).all()


def test_gppn_mazes_are_as_dense_as_the_authors(real_data):
    file = real_data / "gppn" / "m15_news_10k_train_valid.npz"
    if not file.exists():
        pytest.skip("the authors' mazes are not on this machine")
    with np.load(file) as arrays:
        theirs = 1 - arrays["train_mazes"]
    drawn, _ = GppnMazes().draw(15, 15, 10_000, rng=np.random.default_rng(0))
    ours = np.unique(drawn, axis=0)  # the authors' mazes are all different
    np.testing.assert_allclose(ours.mean(axis=0), theirs.mean(axis=0), atol=0.03)
    assert len(ours) > 9000


def test_hard_mazes_have_long_shortest_paths():
    maps, starts, goals = HardMazes().draw_ends(30, 30, 2000, rng=np.random.default_rng(1))
    assert len(maps)
    costs = grid_cost_to_go(maps, goals, num_moves=4)
    found = costs[np.arange(len(maps)), starts[:, 0], starts[:, 1]]
    assert (found >= 110).all()
    assert np.isfinite(found).all()


def test_files_of_the_authors_layout(tmp_path):
    path = tmp_path / "mazes.npz"
    free = np.ones((2, 3, 4), np.uint8)
    goals = np.zeros((2, 4, 3, 4), np.uint8)
    goals[0, 2, 1, 3] = goals[1, 1, 0, 0] = 1  # the authors' west and east
    np.savez(path, test_mazes=free, test_goals=goals)
    assert has_gppn_layout(path)
    problems = read_gppn_mazes(path, 4)
    moves = motion_named("differential")
    assert problems.goals.tolist() == [[1, 3, moves.layer("W")], [0, 0, moves.layer("E")]]
    assert not problems.obstacles.any()
    with pytest.raises(InputError, match=r"expected the shape .* for moves with 1 orientation,"):
        read_gppn_mazes(path, 1)
    np.savez(path, mazes=0 * free, goals=goals)
    with pytest.raises(InputError, match="expected a free cell in every map, got none in map 0"):
        read_gppn_mazes(path, 4)
    np.savez(path, mazes=free, goals=0 * goals)
    with pytest.raises(InputError, match="expected exactly one goal for each maze"):
        read_gppn_mazes(path, 4)
    np.savez(path, obstacles=free)
    assert not has_gppn_layout(path)


@pytest.mark.parametrize("motion", ["four", "differential-16"])
def test_the_environment_passes_gymnasiums_checks(motion):
    environment = gymnasium.make("vinlab.envs:vinlab/Motion-v0", size=9, motion=motion)
    check_env(environment.unwrapped, skip_render_check=True)


def test_the_expert_earns_in_the_environment_what_its_path_costs():
    moves = motion_named("differential")
    problems = mazes(1, seed=5)
    environment = gymnasium.make("vinlab.envs:vinlab/Motion-v0", problems=problems)
    solution = solve(problems, moves)
    state, done, total = environment.reset(seed=0)[0]["state"], False, 0.0
    while not done:
        action = solution.moves[0, state[2], state[0], state[1]]
        observation, reward, done, _, _ = environment.step(np.int64(action))
        state, total = observation["state"], total + reward
    row, col, layer = problems.starts[0]
    assert total == pytest.approx(1 - solution.costs[0, layer, row, col])


def test_bad_input_is_refused():
    with pytest.raises(InputError, match=r"motion: expected one of four, eight, .*, got 'sideways'"):
        motion_named("sideways")
    full = np.ones((1, 3, 3), np.uint8)
    goal = np.array([[1, 1, 0]])
    with pytest.raises(InputError, match="expected a free cell in every map"):
        cost_to_go(MotionProblems(full, goal, goal), motion_named("four"))
    with pytest.raises(InputError, match="sides of at least 4 cells, got 3 x 3"):
        GppnMazes().draw(3, 3, 1, rng=np.random.default_rng(0))


def test_the_test_part_of_a_set_of_neural_astar_is_read(tmp_path):
    arrays = {}
    for part, size in enumerate((3, 2, 1)):  # training, validation, test
        mazes, goals = np.ones((size, 4, 4), np.float32), np.zeros((size, 1, 4, 4))
        goals[:, 0, part, 1] = 1
        for place, array in enumerate((mazes, goals, np.zeros((size, 8, 1, 4, 4)), -goals)):
            arrays[f"arr_{4 * part + place}"] = array
    np.savez(tmp_path / "set.npz", **arrays)
    problems = read_gppn_mazes(tmp_path / "set.npz", 1)
    assert problems.goals.tolist() == [[2, 1, 0]]
