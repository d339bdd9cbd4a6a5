"""The command as a user meets it: what it prints, where it writes, and one sentence when something is wrong."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors.torch import load_file, save_file

from vinlab.cli import main
from vinlab.domains.gridworld.files import write_problems
from vinlab.types import GridProblems

COMMAND = [sys.executable, "-m", "vinlab"]


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    """A finished run of a few seconds."""
    folder = tmp_path_factory.mktemp("runs") / "first"
    main(["train", "gridworld/8/vin", "--budget", "smoke", "--out", str(folder)])
    return folder


def fails(capsys, *arguments: str) -> str:
    """The one sentence that a failing command says."""
    with pytest.raises(SystemExit) as stop:
        main(list(arguments))
    assert stop.value.code not in (0, None)
    said = capsys.readouterr().err.strip()
    assert "Traceback" not in said
    return said.splitlines()[-1]


def test_a_run_is_a_folder_of_four_files(run):
    assert {path.name for path in run.iterdir()} >= {
        "manifest.json",
        "metrics.jsonl",
        "result.json",
        "weights.safetensors",
    }
    manifest = json.loads((run / "manifest.json").read_text())
    assert manifest["id"] == "gridworld/8/vin"
    assert manifest["config"]["network"]["iterations"] == 16
    assert manifest["data_hash"]
    assert manifest["versions"]["torch"]


def test_list_and_show_tell_what_there_is(capsys):
    main(["list"])
    assert "gridworld/28/vin" in capsys.readouterr().out
    main(["show", "gridworld/28/vin", "--recipe", "paper"])
    shown = json.loads(capsys.readouterr().out)
    assert shown["learning"]["optimiser"] == "rmsprop"
    assert [stage["rate"] for stage in shown["learning"]["stages"]] == [0.01, 0.005, 0.002, 0.001]


def test_show_opens_a_run(run, capsys):
    main(["show", str(run)])
    assert json.loads(capsys.readouterr().out)["manifest"]["seed"] == 0


def test_data_writes_problems_that_evaluate_reads(run, tmp_path, capsys):
    problems = tmp_path / "problems.npz"
    main(["data", "gridworld", "--out", str(problems), "--size", "9", "--count", "7", "--family", "mazes"])
    capsys.readouterr()
    main(["evaluate", str(run), "--problems", str(problems), "--json"])
    scores = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert scores["num_problems"] == 7
    assert set(scores) >= {
        "success_rate",
        "trajectory_difference",
        "optimal_action_accuracy",
        "prediction_loss",
        "settings",
    }
    assert scores["settings"]["iterations"] == 18


def test_evaluate_counts_unsolvable_problems(run, tmp_path, capsys):
    split = np.zeros((2, 4, 5), dtype=np.uint8)
    split[0, :, 2] = 1
    problems = GridProblems(split, np.array([[0, 0], [0, 0]]), np.array([[3, 4], [3, 4]]))
    write_problems(tmp_path / "split.npz", problems)
    main(["evaluate", str(run), "--problems", str(tmp_path / "split.npz"), "--json"])
    scores = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert scores["num_problems"] == 2
    assert scores["num_unsolvable"] == 1


def test_evaluate_says_which_k_it_used(run, capsys):
    main(["evaluate", str(run), "--iterations", "3"])
    assert "K = 3 (its own is 16" in capsys.readouterr().out


def test_plan_reads_a_picture_and_says_what_it_assumed(run, tmp_path, capsys):
    pixels = np.full((6, 9), 255, dtype=np.uint8)
    pixels[1:5, 4] = 0
    Image.fromarray(pixels).save(tmp_path / "map.png")
    out = tmp_path / "plan.png"
    main(
        ["plan", str(tmp_path / "map.png"), "--start", "2,1", "--goal", "2,7"]
        + ["--model", str(run), "--out", str(out)]
    )
    said = capsys.readouterr().out
    assert "6 x 9 cells, 7.4% of them blocked" in said
    assert "darker than 0.5 is blocked" in said
    assert re.search(r"K = (18|36|54) \(its own is 16", said)
    assert out.stat().st_size > 5000


def test_plan_answers_when_no_route_exists(run, tmp_path, capsys):
    np.savez(tmp_path / "map.npz", obstacles=np.array([[0, 1, 0]]))
    main(
        ["plan", str(tmp_path / "map.npz"), "--start", "0,0", "--goal", "0,2"]
        + ["--model", str(run), "--out", str(tmp_path / "plan.png")]
    )
    assert "No route exists" in capsys.readouterr().out


ROBOT = "image: map.pgm\nresolution: 0.5\norigin: [-1.0, 2.0, 0.0]\nnegate: 0\n"


def test_plan_exact_needs_no_network_and_writes_the_path_in_metres(tmp_path, capsys):
    (tmp_path / "map.pgm").write_bytes(b"P5 4 2 255\n" + bytes([255, 255, 0, 255, 255, 255, 255, 255]))
    (tmp_path / "map.yaml").write_text(ROBOT)
    main(
        ["plan", str(tmp_path / "map.yaml"), "--exact", "--world", "--start=-0.75,2.75", "--goal=0.75,2.75"]
        + [
            "--corners",
            "forbid",
            "--out",
            str(tmp_path / "plan.png"),
            "--path",
            str(tmp_path / "way.geojson"),
        ]
    )
    said = capsys.readouterr().out
    assert "0.5 m per cell" in said
    assert "may not pass the corners" in said
    assert "The shortest route has 4 steps and length 4.41" in said
    assert "2.207 m long" in said
    way = json.loads((tmp_path / "way.geojson").read_text())
    assert way["geometry"]["coordinates"][0] == pytest.approx([-0.75, 2.75])
    assert way["geometry"]["coordinates"][-1] == pytest.approx([0.75, 2.75])


def test_plan_runs_a_whole_file_of_scenarios(run, tmp_path, capsys):
    (tmp_path / "a.map").write_text("type octile\nheight 2\nwidth 3\nmap\n...\n.@.\n")
    scenario = "0\ta.map\t3\t2\t0\t1\t2\t1\t4.0\n"
    (tmp_path / "a.scen").write_text("version 1\n" + scenario * 3)
    main(["plan", str(tmp_path / "a.scen"), "--exact"])
    assert "3 of 3 optimal lengths are those that the file states" in capsys.readouterr().out
    main(["plan", str(tmp_path / "a.scen"), "--model", str(run)])
    assert "gridworld/8/vin" in capsys.readouterr().out


def test_a_scenario_file_takes_no_start_of_ones_own(tmp_path, capsys):
    (tmp_path / "a.scen").write_text("version 1\n0\ta.map\t3\t1\t0\t0\t2\t0\t2.0\n")
    said = fails(capsys, "plan", str(tmp_path / "a.scen"), "--exact", "--radius", "1")
    assert "--radius do not go with it" in said


def test_plot_draws_plan_routes_and_learning(run, tmp_path):
    main(["plot", str(run), "--out", str(tmp_path / "pictures")])
    assert sorted(path.name for path in (tmp_path / "pictures").iterdir()) == [
        "learning.png",
        "plan.png",
        "routes.png",
    ]


def test_plot_draws_a_shipped_model_under_its_name(tmp_path, capsys):
    main(["plot", "gridworld/8/vin", "--out", str(tmp_path)])
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"gridworld_8_vin_plan.png", "gridworld_8_vin_routes.png"}
    assert "no model of the grid-world" in fails(capsys, "plot", "rl/8/vin", "--out", str(tmp_path))


def test_table_sets_runs_beside_the_paper(run, tmp_path, capsys):
    main(["table", "gridworld", "--runs", str(run.parent)])
    line = next(line for line in capsys.readouterr().out.splitlines() if "gridworld/8/vin" in line)
    assert "99.6 %" in line
    assert "`vinlab train gridworld/8/vin --budget smoke`" in line


def test_an_unknown_id_gets_the_nearest_ones(capsys):
    assert "did you mean gridworld/28/vin" in fails(capsys, "train", "gridworld/27/vin")
    assert "There is no model or run" in fails(capsys, "evaluate", "gridword/28")
    assert "There is no experiment 'grid'" in fails(capsys, "table", "grid")


def test_an_existing_run_is_not_overwritten_unasked(run, capsys):
    said = fails(capsys, "train", "gridworld/8/vin", "--budget", "smoke", "--out", str(run))
    assert "holds a finished run" in said
    assert "--overwrite" in said


@pytest.mark.parametrize(
    ("start", "goal", "sentence"),
    [
        ("9,0", "0,0", "start (9, 0) lies outside the map of 3 x 3 cells"),
        ("0,0", "1,1", "goal (1, 1) lies on an obstacle"),
        ("a,b", "0,0", "start must be ROW,COL"),
    ],
)
def test_bad_cells_are_named(run, tmp_path, capsys, start, goal, sentence):
    obstacles = np.zeros((3, 3), dtype=np.uint8)
    obstacles[1, 1] = 1
    np.savez(tmp_path / "map.npz", obstacles=obstacles)
    path = str(tmp_path / "map.npz")
    assert sentence in fails(capsys, "plan", path, "--start", start, "--goal", goal, "--model", str(run))


BROKEN = {
    "empty.npz": b"",
    "noise.npz": bytes(range(256)),
    "cut.npz": b"PK\x03\x04 cut",
    "cut.png": b"\x89PNG\r\n\x1a\n cut",
    "text.txt": b"hello",
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_and_foreign_maps_are_refused(run, tmp_path, capsys, name):
    path = tmp_path / name
    path.write_bytes(BROKEN[name])
    said = fails(capsys, "plan", str(path), "--start", "0,0", "--goal", "0,1", "--model", str(run))
    assert name in said
    assert name in fails(capsys, "evaluate", str(run), "--problems", str(path))


def test_pickled_arrays_are_refused(run, tmp_path, capsys):
    path = tmp_path / "pickled.npz"
    np.savez(path, obstacles=np.array([{"a": 1}], dtype=object))
    said = fails(capsys, "plan", str(path), "--start", "0,0", "--goal", "0,1", "--model", str(run))
    assert "plain arrays" in said


@pytest.mark.parametrize("damage", ["nan", "cut", "foreign", "pickled", "other network"])
def test_damaged_weights_are_refused(run, tmp_path, capsys, damage):
    folder = tmp_path / "run"
    folder.mkdir()
    for path in run.iterdir():
        if path.is_file():
            (folder / path.name).write_bytes(path.read_bytes())
    weights = folder / "weights.safetensors"
    # Copies, because the file they are mapped from is written over below.
    tensors = {name: tensor.clone() for name, tensor in load_file(weights).items()}
    if damage == "nan":
        first = next(iter(tensors))
        tensors[first] = torch.full_like(tensors[first], float("nan"))
        save_file(tensors, weights)
    elif damage == "cut":
        weights.write_bytes(weights.read_bytes()[:100])
    elif damage == "foreign":
        weights.write_bytes(b"not weights at all")
    elif damage == "pickled":
        torch.save(tensors, weights)
    else:
        save_file({"other": torch.zeros(2)}, weights)
    assert "weights" in fails(capsys, "evaluate", str(folder))


def test_a_folder_that_is_no_run_is_refused(tmp_path, capsys):
    assert "is not a run" in fails(capsys, "evaluate", str(tmp_path))


def test_an_unwritable_place_is_named(run, tmp_path, capsys):
    file = tmp_path / "file"
    file.write_text("in the way")
    assert "Cannot make the folder" in fails(
        capsys, "train", "gridworld/8/vin", "--budget", "smoke", "--out", str(file / "run")
    )
    assert "file" in fails(capsys, "data", "gridworld", "--out", str(file / "p.npz"))


def test_ctrl_c_ends_with_a_sentence_and_can_be_resumed(tmp_path):
    out = tmp_path / "run"
    training = start_training(out)
    wait_for_epochs(out, 1)
    training.send_signal(signal.SIGINT)
    _, said = training.communicate(timeout=60)
    assert training.returncode == 130
    assert "Traceback" not in said
    assert "--resume" in said.splitlines()[-1]


def start_training(out: Path, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [
            *COMMAND,
            "train",
            "gridworld/8/vin",
            "--budget",
            "small",
            "--threads",
            "1",
            "--out",
            str(out),
            *options,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_ctrl_c,
    )


def heed_ctrl_c() -> None:
    """Where tests run in the background of a shell, Ctrl-C is ignored, and so it would be by what they start."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def wait_for_epochs(out: Path, count: int) -> None:
    for _ in range(1200):
        metrics = out / "metrics.jsonl"
        if metrics.exists() and len(metrics.read_text().splitlines()) >= count:
            return
        time.sleep(0.05)
    raise AssertionError(f"no {count} epochs in time")


def metrics_without_time(out: Path) -> list[dict[str, float]]:
    lines = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    return [{name: number for name, number in line.items() if "second" not in name} for line in lines]


@pytest.mark.slow
def test_a_killed_run_resumes_to_the_same_weights_bit_for_bit(tmp_path):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert start_training(whole).wait() == 0
    training = start_training(killed)
    wait_for_epochs(killed, 3)
    time.sleep(0.02)
    training.send_signal(signal.SIGKILL)
    training.wait()
    assert not (killed / "result.json").exists()
    resumed = start_training(killed, "--resume")
    _, said = resumed.communicate()
    assert resumed.returncode == 0, said
    first, second = (load_file(out / "weights.safetensors") for out in (whole, killed))
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert metrics_without_time(whole) == metrics_without_time(killed)
    scores = [json.loads((out / "result.json").read_text())["scores"] for out in (whole, killed)]
    assert scores[0] == scores[1]


def test_two_processes_reach_the_loss_of_one(tmp_path):
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    losses = {}
    for processes in (1, 2):
        out = tmp_path / str(processes)
        launcher = [
            sys.executable,
            "-m",
            "torch.distributed.run",
            "--standalone",
            f"--nproc-per-node={processes}",
        ]
        command = [
            *launcher,
            "-m",
            "vinlab",
            "train",
            "gridworld/8/vin",
            "--budget",
            "smoke",
            "--out",
            str(out),
        ]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        assert done.returncode == 0, done.stderr
        losses[processes] = metrics_without_time(out)[-1]["loss"]
        assert json.loads((out / "manifest.json").read_text())["world_size"] == processes
    assert losses[1] == pytest.approx(losses[2], rel=1e-4)
