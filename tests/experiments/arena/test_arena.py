"""The arena: mazes share nothing, measures are GPPN's, labels break ties as stated, and a network learns."""

import json

import numpy as np
import pytest
import torch

from vinlab.cli import main
from vinlab.domains.motion.expert import solve
from vinlab.domains.motion.problem import MotionProblems
from vinlab.experiments import experiment_of
from vinlab.experiments.arena.data import MazeSet, sample_mazes
from vinlab.experiments.arena.evaluate import evaluate_mazes
from vinlab.experiments.arena.settings import BENCHMARKS, SETTINGS, data_of
from vinlab.experiments.arena.table import GIVEN, published
from vinlab.experiments.arena.tie_break import ORDER, label_paths, path_scores
from vinlab.experiments.base import TrainingRequest
from vinlab.experiments.runner import train
from vinlab.navigation.motion import results_of
from vinlab.planning.moves import motion_named
from vinlab.recording.serialization import to_plain
from vinlab.types import MOVE_NAMES, InputError


def test_no_maze_comes_twice_and_none_of_the_others():
    part = MazeSet("gppn", 9, 300)
    others = sample_mazes(part, "four", 1)
    found = sample_mazes(part, "four", 2, apart_from=[others])
    keys = [maze.tobytes() for maze in found.obstacles]
    assert len(set(keys)) == 300
    assert not set(keys) & {maze.tobytes() for maze in others.obstacles}


@pytest.mark.parametrize("motion", ["four", "differential"])
def test_the_expert_is_optimal_by_gppns_measure_and_misses_what_has_no_path(motion):
    moves = motion_named(motion)
    problems = sample_mazes(MazeSet("gppn", 9, 20), motion, 3)
    problems.obstacles[0] = 0
    problems.obstacles[0, 0, :3] = 1
    problems.obstacles[0, 1, :3] = 1  # the cells (0, 0) to (1, 2) are walls but one, which has no path
    problems.obstacles[0, 0, 0] = 0
    problems.obstacles[0, tuple(problems.goals[0, :1]), tuple(problems.goals[0, 1:2])] = 0
    solution = solve(problems, moves)
    found = results_of(np.maximum(solution.moves, 0).astype(np.int64), problems, moves)
    assert found.percent_optimal == pytest.approx(100.0)
    shares = np.isfinite(solution.costs).reshape(20, -1).sum(axis=1) / found.free.sum(axis=1)
    assert found.percent_success == pytest.approx(100 * shares.mean())
    assert found.percent_success < 100


def test_a_policy_that_always_goes_north_is_counted_by_hand():
    obstacles = np.ones((1, 5, 5), np.uint8)
    obstacles[0, 1:4, 1:3] = 0
    goal = np.array([[1, 1, 0]])
    found = results_of(
        np.zeros((1, 1, 5, 5), np.int64), MotionProblems(obstacles, goal, goal), motion_named("four")
    )
    assert found.percent_success == pytest.approx(50.0)  # the three cells of the goal's column, of six
    assert found.percent_optimal == pytest.approx(50.0)


def test_labels_take_the_first_of_equal_moves_down_left_right_up():
    assert [MOVE_NAMES[move] for move in ORDER] == ["S", "W", "E", "N"]
    free = np.zeros((1, 3, 3), np.uint8)
    problem = MotionProblems(free, np.array([[0, 0, 0]]), np.array([[2, 2, 0]]))
    states, labels, counts = label_paths(problem, motion_named("four"))
    assert [MOVE_NAMES[move] for move in labels[0]] == ["S", "S", "E", "E"]
    assert states[0, 2].tolist() == [2, 0, 0]
    assert counts.all()
    solution = solve(problem, motion_named("four"))
    east_first = np.full((1, 1, 3, 3), MOVE_NAMES.index("E"))
    east_first[..., 2] = MOVE_NAMES.index("S")
    assert path_scores(east_first, problem, motion_named("four")) == {"exact": 0.0, "any_shortest": 1.0}
    ranked = np.array(ORDER)[solution.optimal[:, :, list(ORDER)].argmax(axis=2)]
    assert path_scores(ranked, problem, motion_named("four")) == {"exact": 1.0, "any_shortest": 1.0}


@pytest.mark.parametrize("id", ["arena/gppn-15/best-100", "arena/maze-hard/best"])
def test_a_setting_trains_and_evaluates(id, tmp_path, capsys):
    run = train(experiment_of(id), TrainingRequest(id, tmp_path / "run", budget="smoke"))
    (scores,) = run.result["scores"].values()
    assert ("exact" in scores) == ("hard" in id)
    assert "hard" in id or scores["percent_optimal"] > 50
    mazes = np.ones((2, 9, 9), np.uint8)
    mazes[:, 4, 1:8] = 0
    goals = np.zeros((2, 1, 9, 9), np.uint8)
    goals[:, 0, 1, 1] = 1
    np.savez(tmp_path / "file.npz", mazes=mazes, goals=goals)
    main(["evaluate", str(tmp_path / "run"), "--problems", str(tmp_path / "file.npz"), "--json"])
    printed = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert printed["num_problems"] == 2
    assert 0 <= printed["percent_success"] <= 100
    assert printed["settings"]["motion"] == "four"


def test_a_network_of_walls_that_cost_is_perfect():
    setting = SETTINGS["arena/gppn-15/best"].configure("smoke", "default")
    network = setting.network.build()
    with torch.no_grad():  # hidden = relu(obstacle), price = exp(3 * 5 * hidden)
        for weight in network.reward.parameters():
            weight.zero_()
        network.reward.features.weight[0] = 1.0
        network.reward.log_price.weight[0, 0] = 5.0
    problems = sample_mazes(MazeSet("gppn", 15, 50), "four", 4)
    assert evaluate_mazes(network, problems, motion_named("four"))["percent_optimal"] == 100.0


def test_every_setting_can_be_recorded_and_read():
    for setting in SETTINGS.values():
        config = setting.configure("paper", "default")
        plain = to_plain(config)
        assert data_of(plain) == config.data
        assert plain["network"]["kind"] in GIVEN


def test_published_figures_belong_to_benchmarks_and_name_their_source():
    known = published()
    assert set(known) <= set(BENCHMARKS)
    assert all(entry["source"] and entry["given"] for entries in known.values() for entry in entries)


def test_an_unknown_network_or_benchmark_is_answered_by_the_nearest():
    with pytest.raises(InputError, match=r"did you mean .*arena/gppn-15/best"):
        experiment_of("arena/gppn-15/bset")
    with pytest.raises(InputError, match=r"did you mean .*arena/maze-hard/best"):
        experiment_of("arena/mazehard/best")
