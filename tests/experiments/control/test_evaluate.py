"""Scores: a model loaded from its run scores as the run did."""

from importlib import import_module

import pytest

from helpers.control_runs import train_smoke
from vinlab.experiments.base import EvaluateRequest
from vinlab.experiments.control.data import ControlData
from vinlab.models import load
from vinlab.types import InputError

evaluation = import_module("vinlab.experiments.control.evaluate")  # the package has a function of this name


def test_a_loaded_model_scores_as_its_run_did(searched, monkeypatch):
    monkeypatch.setattr(evaluation, "ControlData", lambda: ControlData(test_domains=8))
    found = evaluation.evaluate(load(searched.folder), EvaluateRequest())
    assert found.scores.items() <= searched.result["scores"].items()
    assert found.settings == {"iterations": 40, "horizon": 100}


@pytest.mark.parametrize(
    ("option", "words"),
    [({"iterations": 5}, "--iterations"), ({"corner_cutting": False}, "--corner-cutting")],
)
def test_options_of_grids_are_refused(searched, option, words):
    with pytest.raises(InputError, match=f"does not support {words}"):
        evaluation.evaluate(load(searched.folder), EvaluateRequest(**option))


def test_a_model_of_another_experiment_is_refused():
    with pytest.raises(InputError, match="expected a model for continuous control"):
        evaluation.control_policy(load("gridworld/8/vin"))


def test_the_cnn_is_scored_too(searched, tmp_path):
    run = train_smoke(tmp_path / "cnn", "control/cnn", "paper", data=searched.folder)
    assert run.result["scores"]["test_distance"] > 0
