"""Runs of the experiment on the runner."""

import pytest
import torch

from vinlab.experiments.base import TrainingRequest
from vinlab.experiments.rl import EXPERIMENT
from vinlab.experiments.rl.settings import SETTINGS
from vinlab.experiments.rl.table import count_levels
from vinlab.experiments.rl.train import build_critic
from vinlab.experiments.runner import train
from vinlab.learners.trpo.curriculum import ReturnRule
from vinlab.learners.trpo.trpo import train_trpo
from vinlab.models import load
from vinlab.types import InputError


def test_a_run_holds_its_metrics_and_scores(rl_runs):
    result = rl_runs[0].result
    assert result["scores"]["num_problems"] == 50
    assert result["best_epoch"] in (2, 3)  # validated every 2 iterations and after the last
    assert result["parameters"] == 968
    assert list(result["success_by_difficulty"]) == [str(level) for level in range(1, 11)]
    assert [line["iteration"] for line in rl_runs[0].metrics()] == [1, 2, 3]
    assert [line["iteration"] for line in rl_runs[0].metrics() if "validation_success" in line] == [2, 3]
    assert rl_runs[0].metrics()[0]["level"] == 1
    assert rl_runs[2].metrics()[0]["level"] == 12


def test_a_run_can_be_loaded_as_a_model(rl_runs):
    model = load(rl_runs[0].folder)
    assert (model.id, model.size, model.network.iterations) == ("rl/8/vin", 8, 10)


def test_the_critic_does_not_depend_on_the_policys_stream():
    config = SETTINGS["rl/8/vin"].configure("smoke", "default")
    first, again, other = (build_critic(config, seed).state_dict() for seed in (0, 0, 1))
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not torch.equal(first["layers.0.weight"], other["layers.0.weight"])


@pytest.mark.parametrize(("option", "words"), [({"device": "cuda"}, "--device cuda"), ({}, "--data maps")])
def test_what_is_not_supported_is_refused(tmp_path, option, words):
    data = {"data": tmp_path.joinpath("maps").relative_to(tmp_path)} if not option else {}
    request = TrainingRequest(id="rl/8/vin", out=tmp_path / "run", budget="smoke", **option, **data)
    with pytest.raises(InputError, match=f"rl/8/vin does not support {words}"):
        train(EXPERIMENT, request)
    assert not (tmp_path / "run").exists()


def test_the_best_start_is_trained_on(tmp_path, monkeypatch):
    began = []

    def remember(policy, *arguments, seed, **options):
        began.append((seed, policy.transition.value.detach().clone()))
        return train_trpo(policy, *arguments, seed=seed, **options)

    monkeypatch.setattr("vinlab.experiments.rl.train.train_trpo", remember)
    request = TrainingRequest(id="rl/8/vin", out=tmp_path / "run", budget="smoke", recipe="noise", seed=7)
    run = train(EXPERIMENT, request)
    trials = [line for line in run.metrics() if line.get("stage") == "trial"]
    assert [seed for seed, _ in began] == [7, 1007, 7]
    assert [line["start"] for line in trials] == [7, 1007]
    assert all(line["steps"] > 0 and 0 <= line["trial_success"] <= 1 for line in trials)
    assert [line["iteration"] for line in run.metrics() if "iteration" in line] == [1, 2, 3]
    initial = began[0][1], began[1][1]
    assert not torch.equal(*initial)
    assert not any(
        torch.equal(began[2][1], kernels) for kernels in initial
    )  # it goes on from trained weights
    assert count_levels(run.metrics(), ReturnRule()).last >= 1
