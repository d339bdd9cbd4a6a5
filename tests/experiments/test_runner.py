import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import pytest
import torch
from torch import nn

from vinlab.experiments.base import Evaluation, Experiment, Setting, TrainingRequest
from vinlab.experiments.results import RunResult
from vinlab.experiments.runner import config_record, require_supported, train
from vinlab.learners import distributed
from vinlab.learners.training_state import Best
from vinlab.types import InputError


@dataclass(frozen=True)
class LineConfig:
    kind: ClassVar[str] = "line"
    width: int = 1

    def build(self) -> nn.Module:
        return nn.Linear(self.width, 1)


@dataclass(frozen=True)
class LineTraining:
    network: LineConfig
    epochs: int = 3


@dataclass(frozen=True)
class Points:
    hash: str = "points"


def fit(config, data, network, context):
    """Doubles the weight in each epoch."""
    found = context.logger.load_checkpoint()
    epoch = found[1]["epoch"] if found else 0
    if found:
        network.load_state_dict(found[0])
    while epoch < config.epochs:
        with torch.no_grad():
            network.weight *= 2
        epoch += 1
        context.logger.log(
            {"epoch": epoch, "weight": network.weight.item(), "words": "text", "cpu_seconds": 1.0}
        )
        context.logger.save_checkpoint(network.state_dict(), {"epoch": epoch})
        context.progress(epoch, config.epochs, "")
    return Best(1.0, epoch - 1)


EXPERIMENT = Experiment(
    name="line",
    paper="none",
    settings={"line/1": Setting("line/1", "a line", lambda budget, recipe: LineTraining(LineConfig()))},
    make_data=lambda config, request: Points(),
    fit=fit,
    score=lambda config, data, network, seed: RunResult({"weight": network.weight.item()}, {"points": 2}),
    evaluate=lambda model, request: Evaluation({}, {}),
    table=lambda runs: "",
)


def request(tmp_path, **changes):
    return replace(TrainingRequest("line/1", tmp_path / "run", "smoke"), **changes)


def test_a_run_holds_config_result_and_weights(tmp_path):
    run = train(EXPERIMENT, request(tmp_path))
    assert run.manifest.config["network"] == {"kind": "line", "width": 1}
    assert run.manifest.config["data"] == {"source": "generated"}
    assert run.manifest.data_hash == "points"
    assert run.result["points"] == 2
    assert (run.result["best_epoch"], run.result["parameters"], run.result["epoch_cpu_seconds"]) == (
        3,
        2,
        1.0,
    )
    with torch.random.fork_rng():
        torch.manual_seed(0)
        first = nn.Linear(1, 1).weight.item()
    assert run.result["scores"]["weight"] == pytest.approx(8 * first)


def test_show_prints_what_the_manifest_holds(tmp_path):
    run = train(EXPERIMENT, request(tmp_path))
    config = EXPERIMENT.settings["line/1"].configure("smoke", "default")
    assert config_record(EXPERIMENT, request(tmp_path), config) == run.manifest.config


def test_a_stopped_run_resumes_to_the_same_weights(tmp_path):
    def stop(done, total, note):
        if done == 2:
            raise KeyboardInterrupt

    whole = train(EXPERIMENT, request(tmp_path, out=tmp_path / "whole"))
    with pytest.raises(KeyboardInterrupt):
        train(EXPERIMENT, request(tmp_path), progress=stop)
    resumed = train(EXPERIMENT, request(tmp_path, resume=True))
    assert resumed.result["scores"] == whole.result["scores"]
    assert resumed.metrics() == whole.metrics()


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({"device": "cuda"}, "does not support --device cuda"),
        ({"data": Path("real")}, "does not support --data real"),
    ],
)
def test_an_option_that_is_not_supported_is_refused(tmp_path, option, words):
    with pytest.raises(InputError, match=words):
        train(EXPERIMENT, request(tmp_path, **option))
    assert not (tmp_path / "run").exists()
    supported = replace(EXPERIMENT, supports=frozenset(option))
    require_supported(supported, request(tmp_path, **option))


def test_several_processes_are_refused_where_one_is_expected(tmp_path, monkeypatch):
    monkeypatch.setattr(distributed, "world_size", lambda: 2)
    with pytest.raises(InputError, match="does not support torchrun with 2 processes"):
        train(EXPERIMENT, request(tmp_path))


def test_tensorboard_gets_the_numbers_of_every_experiment(tmp_path):
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    train(EXPERIMENT, request(tmp_path, tensorboard=True))
    events = accumulator.EventAccumulator(str(tmp_path / "run" / "tensorboard"))
    events.Reload()
    logged = [
        json.loads(line)
        for line in (tmp_path / "run" / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert [event.step for event in events.Scalars("weight")] == [1, 2, 3]
    assert [event.value for event in events.Scalars("weight")] == pytest.approx(
        [line["weight"] for line in logged]
    )
    assert "words" not in events.Tags()["scalars"]
