import json
import math
import os
from pathlib import Path

import numpy as np
import pytest
import torch

from vinlab.recording.checkpoint import load_checkpoint, save_checkpoint
from vinlab.recording.weights import save_tensors
from vinlab.types import InputError


def test_tensors_and_state_come_back_exactly(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    state = {"epoch": 3, "best": -math.inf, "loss": 0.1 + 0.2, "rng": rng.bit_generator.state}
    save_checkpoint(tmp_path / "c", {"a": torch.arange(3)}, state, metrics_lines=2, seconds=1.5)
    checkpoint = load_checkpoint(tmp_path / "c")
    assert checkpoint is not None
    assert torch.equal(checkpoint.tensors["a"], torch.arange(3))
    assert checkpoint.state == state
    assert (checkpoint.metrics_lines, checkpoint.seconds) == (2, 1.5)


def test_a_stopped_write_leaves_the_last_pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_checkpoint(tmp_path / "c", {"a": torch.zeros(1)}, {"epoch": 1}, metrics_lines=1, seconds=0.0)
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        save_checkpoint(tmp_path / "c", {"a": torch.ones(1)}, {"epoch": 2}, metrics_lines=2, seconds=0.0)
    checkpoint = load_checkpoint(tmp_path / "c")
    assert checkpoint is not None
    assert checkpoint.state == {"epoch": 1}
    assert checkpoint.tensors["a"].item() == 0


def test_no_file_is_no_checkpoint(tmp_path: Path) -> None:
    assert load_checkpoint(tmp_path / "c") is None


def test_mere_weights_are_not_a_checkpoint(tmp_path: Path) -> None:
    save_tensors(tmp_path / "c", {"a": torch.zeros(1)})
    with pytest.raises(InputError, match="expected a checkpoint, got tensors"):
        load_checkpoint(tmp_path / "c")


@pytest.mark.parametrize("seconds", [0.0, 9.9e11])
def test_a_run_may_have_taken_any_time_from_none_on(tmp_path: Path, seconds: float) -> None:
    save_checkpoint(tmp_path / "c", {}, {}, metrics_lines=0, seconds=seconds, metrics=b"")
    checkpoint = load_checkpoint(tmp_path / "c")
    assert checkpoint is not None
    assert (checkpoint.metrics_lines, checkpoint.seconds, checkpoint.metrics) == (0, seconds, b"")


@pytest.mark.parametrize("wrong", [{"seconds": -0.5}, {"seconds": 1e12}, {"metrics_lines": -1}])
def test_a_time_or_count_that_cannot_be_is_refused(tmp_path: Path, wrong: dict[str, float]) -> None:
    numbers = {"state": {}, "metrics_lines": 0, "seconds": 1.0} | wrong
    save_tensors(tmp_path / "c", {}, {"vinlab_checkpoint": json.dumps(numbers)})
    with pytest.raises(InputError, match="expected metrics_lines and seconds of at least 0, got others"):
        load_checkpoint(tmp_path / "c")
