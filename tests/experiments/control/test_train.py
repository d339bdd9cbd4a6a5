"""Runs of the control experiment: what they record, how they repeat, resume and share demonstrations."""

import pytest

from helpers.control_runs import train_smoke
from vinlab.experiments.control import train as training
from vinlab.experiments.control.demonstrations import FILE
from vinlab.learners import distributed
from vinlab.recording.finished_run import METRICS
from vinlab.recording.metrics import read_metrics
from vinlab.types import InputError


def test_a_run_records_its_teacher_its_fit_and_the_known_controllers(searched):
    result = searched.result
    assert result["scores"]["num_problems"] == 8
    assert result["scores"]["num_unsolvable"] == 0
    assert len(result["teacher"]["history"]) == 3
    assert result["best_epoch"] == 2
    assert result["parameters"] > 0
    assert result["seconds"]["steps_per_second"] > 0
    assert set(result["seconds"]) >= {"teacher_seconds", "fit_seconds", "evaluation_seconds"}
    clocks = [line.get("iteration", line.get("epoch")) for line in searched.metrics()]
    assert clocks == [0, 1, 2, 1, 2]
    assert result["route"]["test"]["distance"] < 0.1 < result["straight"]["test"]["distance"]
    assert searched.manifest.config["teacher"]["kind"] == "SearchTeacher"


def test_the_same_seed_gives_the_same_run(searched, tmp_path):
    again = train_smoke(tmp_path / "again", recipe="paper")
    assert again.result["scores"] == searched.result["scores"]
    assert again.result["test_distances"] == searched.result["test_distances"]


def test_demonstrations_serve_the_other_network_and_no_other_seed(searched, tmp_path):
    run = train_smoke(tmp_path / "cnn", "control/cnn", "paper", data=searched.folder)
    assert run.result["teacher"] == searched.result["teacher"]
    assert not (run.folder / FILE).exists()
    with pytest.raises(InputError, match="expected the demonstrations of this teacher, seed"):
        train_smoke(tmp_path / "other", "control/cnn", "paper", data=searched.folder / FILE, seed=1)


def killed(*_, **__):
    raise KeyboardInterrupt


def test_a_run_killed_before_its_fit_resumes_without_its_teacher(searched, tmp_path, monkeypatch):
    monkeypatch.setattr(training, "regress", killed)
    with pytest.raises(KeyboardInterrupt):
        train_smoke(tmp_path / "run", recipe="paper")
    monkeypatch.undo()
    monkeypatch.setattr(training, "make_demonstrations", killed)
    run = train_smoke(tmp_path / "run", recipe="paper", resume=True)
    assert run.result["scores"] == searched.result["scores"]
    assert run.metrics()[:3] == searched.metrics()[:3]


def test_a_run_that_is_overwritten_asks_its_teacher_again(tmp_path, monkeypatch):
    train_smoke(tmp_path / "run")
    monkeypatch.setattr(training, "make_demonstrations", killed)
    with pytest.raises(KeyboardInterrupt):
        train_smoke(tmp_path / "run", seed=1, overwrite=True)
    assert not (tmp_path / "run" / FILE).exists()
    monkeypatch.undo()
    assert train_smoke(tmp_path / "run", seed=1, resume=True).manifest.seed == 1


def test_tensorboard_gets_the_metrics_of_teacher_and_fit(tmp_path):
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    run = train_smoke(tmp_path / "run", tensorboard=True)
    events = EventAccumulator(str(run.folder / "tensorboard")).Reload()
    assert {"distance", "loss", "validation_distance"} <= set(events.Tags()["scalars"])
    logged = [line["loss"] for line in read_metrics(run.folder / METRICS) if "loss" in line]
    assert [event.value for event in events.Scalars("loss")] == pytest.approx(logged)


def test_other_devices_and_several_processes_are_refused(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="control/vin does not support --device cuda"):
        train_smoke(tmp_path / "run", device="cuda")
    monkeypatch.setattr(distributed, "world_size", lambda: 2)
    with pytest.raises(InputError, match="does not support torchrun with 2 processes"):
        train_smoke(tmp_path / "run")
    assert not (tmp_path / "run").exists()
