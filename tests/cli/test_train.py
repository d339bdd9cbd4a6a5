"""``vinlab train``: the run that it records, and how it goes on after an interruption."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from helpers.commands import fails

COMMAND = [sys.executable, "-m", "vinlab"]


def test_a_run_is_a_folder_of_four_files(run):
    assert {path.name for path in run.iterdir()} >= {
        "manifest.json",
        "metrics.jsonl",
        "result.json",
        "weights.safetensors",
    }
    manifest = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["id"] == "gridworld/8/vin"
    assert manifest["config"]["network"]["iterations"] == 16
    assert manifest["data_hash"]
    assert manifest["versions"]["torch"]


def test_an_existing_run_is_not_overwritten_unasked(run, capsys):
    said = fails(capsys, "train", "gridworld/8/vin", "--budget", "smoke", "--out", str(run))
    assert "holds a finished run" in said
    assert "--overwrite" in said


def test_a_setting_that_trains_nothing_names_the_command_that_evaluates(capsys):
    assert "vinlab evaluate MODEL --suite generalisation" in fails(capsys, "train", "generalisation/8")


def test_bad_options_are_named(capsys):
    assert "--seed: expected at least 0, got -1." in fails(capsys, "train", "gridworld/8/vin", "--seed", "-1")
    assert "--device: expected a device" in fails(capsys, "train", "gridworld/8/vin", "--device", "abacus")


def test_ctrl_c_ends_with_a_sentence_and_can_be_resumed(tmp_path):
    out = tmp_path / "run"
    training = start_training(out)
    wait_for_epochs(out, 1)
    training.send_signal(signal.SIGINT)
    _, said = training.communicate(timeout=60)
    assert training.returncode == 130
    assert "Traceback" not in said
    assert said.splitlines()[-1] == "vinlab: interrupted; continue with --resume."


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
    """Where tests run in the background of a shell, Ctrl-C is ignored, and so it would be by child processes."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def wait_for_epochs(out: Path, count: int) -> None:
    for _ in range(1200):
        metrics = out / "metrics.jsonl"
        if metrics.exists() and len(metrics.read_text(encoding="utf-8").splitlines()) >= count:
            return
        time.sleep(0.05)
    raise AssertionError(f"no {count} epochs in time")


def metrics_without_time(out: Path) -> list[dict[str, float]]:
    lines = [json.loads(line) for line in (out / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
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
    scores = [
        json.loads((out / "result.json").read_text(encoding="utf-8"))["scores"] for out in (whole, killed)
    ]
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
        assert json.loads((out / "manifest.json").read_text(encoding="utf-8"))["world_size"] == processes
    assert losses[1] == pytest.approx(losses[2], rel=1e-4)
