"""TensorBoard events of a run: numbers by epoch or iteration, texts left out, stages in the names."""

import pytest

pytest.importorskip("tensorboard", reason="TensorBoard is an extra")

import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from helpers.manifests import MANIFEST
from vinlab.learners.staged import StageLogger
from vinlab.recording.run import Run
from vinlab.recording.tensorboard import TensorBoardLogger


@pytest.fixture
def logged(tmp_path):
    """Logs some metrics; the scalars come back as (step, value) by name."""

    def log(*lines, stage=None):
        with (
            Run.create(tmp_path / "run", MANIFEST) as run,
            TensorBoardLogger(run, tmp_path / "run") as logger,
        ):
            target = logger if stage is None else StageLogger(logger, stage)
            for line in lines:
                target.log(line)
        events = EventAccumulator(str(tmp_path / "run" / "tensorboard"))
        events.Reload()
        return {
            name: [(event.step, pytest.approx(event.value)) for event in events.Scalars(name)]
            for name in events.Tags()["scalars"]
        }

    return log


def test_an_epoch_is_the_step_and_no_metric(logged):
    found = logged({"epoch": 1, "loss": 0.5}, {"epoch": 2, "loss": 0.25})
    assert found == {"loss": [(1, 0.5), (2, 0.25)]}


def test_an_iteration_is_the_step_where_there_is_no_epoch(logged):
    found = logged({"iteration": 1, "mean_return": -0.5}, {"iteration": 2, "mean_return": 0.75})
    assert found == {"mean_return": [(1, -0.5), (2, 0.75)]}


def test_a_text_is_left_to_the_log_of_the_run(logged, tmp_path):
    found = logged({"iteration": 1, "steps": 7, "refused": "the gradient is zero", "nothing": None})
    assert found == {"steps": [(1, 7.0)]}
    assert "the gradient is zero" in (tmp_path / "run" / "metrics.jsonl").read_text(encoding="utf-8")


def test_a_stage_is_part_of_the_names(logged):
    found = logged({"epoch": 1, "loss": 2.0}, stage="reach")
    assert found == {"reach/loss": [(1, 2.0)]}


def test_without_a_counter_the_line_of_the_log_is_the_step(logged):
    assert logged({"loss": 2.0}, {"loss": 1.0}) == {"loss": [(1, 2.0), (2, 1.0)]}


def test_checkpoints_are_those_of_the_run(tmp_path):
    with Run.create(tmp_path / "run", MANIFEST) as run, TensorBoardLogger(run, tmp_path / "run") as logger:
        assert logger.load_checkpoint() is None
        logger.save_checkpoint({"weight": torch.ones(2)}, {"epoch": 1})
        tensors, state = logger.load_checkpoint()
    assert state == {"epoch": 1}
    assert torch.equal(tensors["weight"], torch.ones(2))
