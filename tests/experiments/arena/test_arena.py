"""The arena: mazes share nothing, measures are GPPN's, labels break ties as stated, and a network learns."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest
import torch

from helpers.manifests import MANIFEST
from vinlab.cli import main
from vinlab.domains.motion.expert import solve
from vinlab.domains.motion.problem import MotionProblems
from vinlab.experiments import experiment_of
from vinlab.experiments.arena import EXPERIMENT
from vinlab.experiments.arena.data import ArenaData, MazeSet, sample_mazes
from vinlab.experiments.arena.evaluate import evaluate_mazes
from vinlab.experiments.arena.figures import (
    curves_by_network,
    draw_curves,
    farthest,
    length_figure,
    maps_figure,
)
from vinlab.experiments.arena.settings import BENCHMARKS, SETTINGS
from vinlab.experiments.arena.table import GIVEN, published
from vinlab.experiments.arena.tie_break import ORDER, label_paths, path_scores
from vinlab.experiments.base import TrainingRequest, recorded_data
from vinlab.experiments.runner import train
from vinlab.models import load
from vinlab.navigation.motion import results_of
from vinlab.planning.moves import motion_named
from vinlab.recording.files import write_json
from vinlab.recording.finished_run import open_run
from vinlab.recording.serialization import to_plain
from vinlab.recording.weights import save_tensors
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


@pytest.mark.parametrize(("motion", "orientations"), [("four", 1), ("eight", 1), ("differential", 4)])
def test_files_in_gppns_layout_are_evaluated_by_the_moves_of_the_run(motion, orientations, tmp_path, capsys):
    config = SETTINGS["arena/gppn-15/best"].configure("smoke", "default")
    config = replace(
        config, network=replace(config.network, motion=motion), data=replace(config.data, motion=motion)
    )
    network = config.network.build()
    with torch.no_grad():  # price = exp(3 * 5 * obstacle)
        network.reward.features.weight.fill_(1.0)
        network.reward.features.bias.zero_()
        network.reward.log_price.weight.zero_()
        network.reward.log_price.weight[0, 0] = 5.0
    write_json(
        tmp_path / "manifest.json",
        asdict(replace(MANIFEST, id="arena/gppn-15/best", config=to_plain(config))),
    )
    save_tensors(tmp_path / "weights.safetensors", network.state_dict())
    write_json(tmp_path / "result.json", {})
    mazes, goals = np.zeros((1, 5, 5)), np.zeros((1, orientations, 5, 5))
    mazes[0, 1:4, 1:4] = 1
    mazes[0, 2, 2] = 0
    goals[0, 0, 1, 1] = 1
    np.savez(tmp_path / "file.npz", valid_mazes=mazes, valid_goals=goals)
    main(["evaluate", str(tmp_path), "--problems", str(tmp_path / "file.npz"), "--json"])
    printed = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (printed["percent_optimal"], printed["percent_success"]) == (100.0, 100.0)
    # Around the wall from the far corner; with a heading away from the goal two turns, 2 + 2 cells and one turn more.
    assert printed["longest"] == {"four": 4, "eight": 3, "differential": 7}[motion]
    assert printed["length_ratio"] == 1.0


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
        assert recorded_data(ArenaData, plain) == config.data
        assert plain["network"]["kind"] in GIVEN


def run_of(tmp_path, id, maps, success, seed=0):
    classes = [{"above": low, "states": 5, "percent_success": success} for low in (0, 10, 1800)]
    scores = {"percent_optimal": success, "percent_success": success, "by_length": classes, "longest": 2000.0}
    result = {
        "scores": {"gppn 15 × 15": scores},
        "training_maps": maps,
        "parameters": 76,
        "process_cpu_seconds": 90.0,
        "peak_memory_gb": 1.25,
    }
    config = to_plain(SETTINGS[id].configure("paper", "default"))
    folder = tmp_path / f"{id.replace('/', '_')}-{seed}"
    write_json(folder / "manifest.json", asdict(replace(MANIFEST, id=id, config=config, seed=seed)))
    write_json(folder / "result.json", result)
    (folder / "metrics.jsonl").write_text('{"epoch": 0, "cpu_seconds": 30.0}\n')
    return open_run(folder)


def test_the_table_states_memory_time_and_the_longest_path(tmp_path):
    runs = [run_of(tmp_path, "arena/gppn-15/best", 10_000, 100.0, seed) for seed in (0, 1)]
    text = EXPERIMENT.table(runs)
    (row,) = [line for line in text.splitlines() if line.startswith("| best ")]
    cells = [cell.strip() for cell in row.split("|")[1:-1]]
    assert cells[1:3] == ["100.000 ± 0.000"] * 2
    assert cells[3:10] == ["2,000", "76", "10,000", "0.50 ± 0.00", "1.50 ± 0.00", "1.25 ± 0.00", "2"]


def test_the_whole_time_of_a_resumed_run_is_not_stated(tmp_path):
    run = run_of(tmp_path, "arena/gppn-15/best", 10_000, 100.0)
    (run.folder / "metrics.jsonl").write_text('{"epoch": 0, "cpu_seconds": 120.0}\n')
    header, _, row = [
        line for line in EXPERIMENT.table([run]).splitlines() if line[:5] in ("| net", "| ---", "| bes")
    ]
    assert "2.00" in row
    assert "in all" not in header
    assert "1.50" not in row


def test_a_table_has_only_columns_with_an_entry(tmp_path):
    text = EXPERIMENT.table([run_of(tmp_path, "arena/gppn-15/best", 10_000, 100.0)])
    (header,) = [line for line in text.splitlines() if line.startswith("| network")]
    assert "%optimal" in header
    assert "exact" not in header


def test_curves_over_training_maps_and_over_path_length(tmp_path):
    runs = [
        run_of(tmp_path, "arena/gppn-15/best", 10_000, 100.0),
        run_of(tmp_path, "arena/gppn-15/best-100", 100, 99.0),
        run_of(tmp_path, "arena/gppn-15/vin", 10_000, 90.0),
    ]
    (line,) = maps_figure(runs).axes[0].lines
    assert line.get_label() == "best"  # the VIN has one number of maps only
    assert line.get_xydata().tolist() == [[100, 0.99], [10_000, 1.0]]
    best, vin = length_figure(curves_by_network(runs, "gppn-15"), "").axes[0].lines
    assert best.get_xdata().tolist() == [10, 20, 2000]
    assert vin.get_ydata().tolist() == [0.9] * 3
    names = {path.name for path in draw_curves(runs, tmp_path)}
    assert names == {"arena_training_maps.png", "arena_path_length.png"}


def test_the_plot_of_a_model_starts_farthest_from_the_goal(tmp_path):
    problem = sample_mazes(MazeSet("gppn", 9, 1), "four", 5)
    moves = motion_named("four")
    lengths = solve(problem, moves).costs[0]
    row, col, layer = farthest(problem, moves)
    assert lengths[layer, row, col] == lengths[np.isfinite(lengths)].max()
    (path,) = EXPERIMENT.figures(load("arena/gppn-15/best"), tmp_path, 3, None)
    assert path.stat().st_size > 1000


def test_published_figures_belong_to_benchmarks_and_name_their_source():
    known = published()
    assert set(known) <= set(BENCHMARKS)
    assert all(entry["source"] and entry["given"] for entries in known.values() for entry in entries)


def test_an_unknown_network_or_benchmark_is_answered_by_the_nearest():
    with pytest.raises(InputError, match=r"did you mean .*arena/gppn-15/best"):
        experiment_of("arena/gppn-15/bset")
    with pytest.raises(InputError, match=r"did you mean .*arena/maze-hard/best"):
        experiment_of("arena/mazehard/best")


@pytest.mark.parametrize("id", SETTINGS)
def test_every_setting_has_mazes_of_every_kind_at_every_budget(id):
    for budget in ("smoke", "small", "paper"):
        data = SETTINGS[id].configure(budget, "default").data
        assert all((data.training, data.validation, data.test)), budget
