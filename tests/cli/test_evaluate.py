"""``vinlab evaluate``: on test problems, on a file of problems, and on a suite."""

import json

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from helpers.commands import fails
from vinlab.cli import main
from vinlab.domains.gridworld.files import write_problems
from vinlab.experiments.base import Evaluation
from vinlab.types import GridProblems


def evaluated(capsys, *arguments: str) -> dict:
    capsys.readouterr()
    main(["evaluate", *arguments, "--json"])
    return json.loads(capsys.readouterr().out.splitlines()[-1])


@pytest.fixture
def diagonal(tmp_path) -> str:
    """Two problems: past the corners of two obstacles, and without any path."""
    obstacles = np.array([[[0, 1, 0], [1, 0, 0]], [[0, 1, 0], [0, 1, 0]]], np.uint8)
    problems = GridProblems(obstacles, np.array([[0, 0], [0, 0]]), np.array([[1, 1], [1, 2]]))
    write_problems(tmp_path / "diagonal.npz", problems)
    return str(tmp_path / "diagonal.npz")


def test_a_file_of_problems_is_evaluated_and_unsolvable_ones_are_counted(run, diagonal, capsys):
    scores = evaluated(capsys, str(run), "--problems", diagonal)
    assert (scores["num_problems"], scores["num_unsolvable"], scores["unsolvable"]) == (2, 1, [1])
    assert set(scores) >= {
        "success_rate",
        "trajectory_difference",
        "optimal_action_accuracy",
        "prediction_loss",
    }
    assert scores["settings"] == {
        "model": "gridworld/8/vin",
        "problems": diagonal,
        "iterations": 6,
        "corner_cutting": True,
    }


@pytest.mark.parametrize("model", ["gridworld/8/vin", "grid/any"])
def test_the_rule_for_corners_is_never_ignored(model, diagonal, capsys):
    for choice, unsolvable in (("allow", 1), ("forbid", 2)):
        scores = evaluated(capsys, model, "--problems", diagonal, "--corner-cutting", choice)
        assert scores["num_unsolvable"] == unsolvable
        assert scores["settings"]["corner_cutting"] == (choice == "allow")


def test_an_experiment_that_ignores_the_rule_for_corners_is_refused(diagonal, capsys, monkeypatch):
    class Careless:
        def evaluate(self, model, request):
            return Evaluation({"num_problems": 1, "num_unsolvable": 0}, {})

    monkeypatch.setattr("vinlab.cli.evaluate.experiment_of", lambda id: Careless())
    said = fails(capsys, "evaluate", "gridworld/8/vin", "--corner-cutting", "forbid")
    assert "gridworld/8/vin does not support --corner-cutting" in said


def test_k_is_printed_beside_that_of_training(run, capsys):
    main(["evaluate", str(run), "--iterations", "3"])
    assert "K = 3 (its own is 16 on side 8)" in capsys.readouterr().out


def test_a_suite_evaluates_a_shipped_model_and_records_the_run(tmp_path, capsys):
    out = tmp_path / "run"
    scores = evaluated(
        capsys, "gridworld/8/vin", "--suite", "generalisation", "--budget", "smoke", "--out", str(out)
    )
    assert scores["settings"]["problems"] == "generalisation"
    assert json.loads((out / "manifest.json").read_text(encoding="utf-8"))["id"] == "generalisation/8"
    assert (
        scores["paper 8"]
        == json.loads((out / "result.json").read_text(encoding="utf-8"))["scores"]["paper 8"]
    )


def test_options_of_a_suite_and_of_problems_exclude_each_other(run, capsys):
    suite = ["--suite", "generalisation"]
    assert "expected one of gridworld/8/vin" in fails(capsys, "evaluate", "rl/8/vin", *suite)
    assert "expected one of gridworld/8/vin" in fails(capsys, "evaluate", str(run), *suite)
    assert "expected no other" in fails(capsys, "evaluate", "grid/any", *suite, "--iterations", "3")
    assert "expected a --suite" in fails(capsys, "evaluate", "grid/any", "--budget", "smoke")


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
