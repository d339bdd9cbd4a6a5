"""Damaged files of runs are refused or recovered; none changes a result without a word."""

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save as encode
from torch import nn

from helpers.manifests import MANIFEST
from vinlab.recording.checkpoint import load_checkpoint, load_last_sound_checkpoint, previous, save_checkpoint
from vinlab.recording.files import append_line, read_bytes, write_bytes
from vinlab.recording.finished_run import collect_runs, open_run
from vinlab.recording.run import Run
from vinlab.recording.weights import fill, load_tensors, load_tensors_and_metadata, save_tensors
from vinlab.types import InputError

EPOCHS = 4


def train(run: Run, *, stop_after: int = EPOCHS) -> None:
    """A learner whose weight after an epoch depends on all epochs before."""
    tensors, state = run.load_checkpoint() or ({"weight": torch.ones(40)}, {"epoch": 0})
    for epoch in range(state["epoch"], stop_after):
        tensors["weight"] = tensors["weight"] * 1.1 + epoch
        run.log({"epoch": epoch, "weight": tensors["weight"][0].item()})
        run.save_checkpoint(tensors, {"epoch": epoch + 1})
    if stop_after == EPOCHS:
        run.finish(tensors, {"scores": {"success_rate": 0.98}})


@pytest.fixture
def unbroken(tmp_path: Path) -> Path:
    train(Run.create(tmp_path / "unbroken", MANIFEST))
    return tmp_path / "unbroken"


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    with Run.create(tmp_path / "killed", MANIFEST) as run:
        train(run, stop_after=3)
    return tmp_path / "killed"


def flipped(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 4
    path.write_bytes(bytes(data))


def weights(folder: Path) -> bytes:
    return (folder / "weights.safetensors").read_bytes()


def test_a_flipped_bit_anywhere_in_weights_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "w"
    save_tensors(path, {"a": torch.arange(3.0), "b": torch.zeros(2)}, {"id": "x"})
    sound = path.read_bytes()
    kept = load_tensors_and_metadata(path)
    assert kept[1] == {"id": "x"}
    for place in range(len(sound)):
        flipped(path, place)
        try:
            tensors, texts = load_tensors_and_metadata(path)
        except InputError:
            pass
        else:  # only the name of the checksum itself is not covered
            assert all(torch.equal(tensors[name], kept[0][name]) for name in kept[0])
            assert texts["id"] == "x"
        path.write_bytes(sound)


def test_the_same_weights_have_the_same_bytes(tmp_path: Path) -> None:
    texts = {str(number): "0" * 64 for number in range(20)}
    for name in ("a", "b"):
        save_tensors(tmp_path / name, {"w": torch.ones(3)}, texts)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert load_tensors_and_metadata(tmp_path / "a")[1] == texts


def test_files_of_older_versions_without_a_checksum_are_read(tmp_path: Path) -> None:
    (tmp_path / "w").write_bytes(encode({"a": torch.ones(2)}, metadata={"id": "x"}))
    assert torch.equal(load_tensors(tmp_path / "w")["a"], torch.ones(2))
    numbers = json.dumps({"state": {"epoch": 1}, "metrics_lines": 0, "seconds": 1.0})
    (tmp_path / "c").write_bytes(encode({"a": torch.ones(2)}, metadata={"vinlab_checkpoint": numbers}))
    found = load_checkpoint(tmp_path / "c")
    assert found is not None
    assert found.metrics is None


def test_weights_of_another_type_are_refused(tmp_path: Path) -> None:
    module = nn.Linear(2, 2)
    save_tensors(tmp_path / "w", {name: tensor.double() for name, tensor in module.state_dict().items()})
    with pytest.raises(InputError, match=r"other types bias \(expected torch.float32, got torch.float64\)"):
        fill(module, load_tensors(tmp_path / "w"), tmp_path / "w")


def test_of_two_checkpoints_the_sound_one_is_used(tmp_path: Path, unbroken: Path, killed: Path) -> None:
    assert (killed / "checkpoint.previous.safetensors").exists()
    flipped(killed / "checkpoint.safetensors", -3)
    with Run.create(killed, MANIFEST, resume=True) as run:
        train(run)
    assert weights(killed) == weights(unbroken)
    (note,) = open_run(killed).manifest.changes
    assert note.startswith("continued from the checkpoint before the last")
    assert [record["epoch"] for record in open_run(killed).metrics()] == list(range(EPOCHS))


def test_a_run_without_a_sound_checkpoint_is_refused(killed: Path) -> None:
    for name in ("checkpoint.safetensors", "checkpoint.previous.safetensors"):
        flipped(killed / name, -3)
    with pytest.raises(InputError, match="is damaged: expected the checksum"):
        Run.create(killed, MANIFEST, resume=True)


def test_a_run_killed_between_two_checkpoints_goes_on_from_the_first(unbroken: Path, killed: Path) -> None:
    (killed / "checkpoint.safetensors").unlink()
    train(Run.create(killed, MANIFEST, resume=True))
    assert weights(killed) == weights(unbroken)
    assert open_run(killed).manifest.changes == []


@pytest.mark.parametrize(
    "state", [{"state": 3}, {"metrics_lines": -1}, {"metrics_lines": "0"}, {"seconds": None}]
)
def test_a_checkpoint_with_an_odd_state_is_refused(tmp_path: Path, state: dict[str, object]) -> None:
    numbers = {"state": {}, "metrics_lines": 0, "seconds": 1.0} | state
    save_tensors(tmp_path / "c", {}, {"vinlab_checkpoint": json.dumps(numbers)})
    with pytest.raises(InputError, match="the state of the run: expected"):
        load_checkpoint(tmp_path / "c")


def test_a_damaged_line_of_metrics_is_noticed_and_restored(unbroken: Path, killed: Path) -> None:
    path = killed / "metrics.jsonl"
    path.write_text("{ not json\n" + "".join(path.read_text(encoding="utf-8").splitlines(keepends=True)[1:]))
    with Run.create(killed, MANIFEST, resume=True) as run:
        train(run)
    assert path.read_bytes() == (unbroken / "metrics.jsonl").read_bytes()
    assert open_run(killed).manifest.changes == [
        "metrics.jsonl was damaged and written anew from the checkpoint"
    ]


def test_a_change_of_threads_or_versions_is_refused_unless_asked_for(killed: Path) -> None:
    other = replace(MANIFEST, threads=2, versions={"python": "3.11", "torch": "9.9"})
    with pytest.raises(InputError, match=r"threads \(recorded 1, now 2\).*torch.*--allow-changes"):
        Run.create(killed, other, resume=True)
    train(Run.create(killed, other, resume=True, allow_changes=True))
    manifest = open_run(killed).manifest
    assert manifest.threads == 1
    assert "threads (recorded 1, now 2)" in manifest.changes
    assert "versions.torch (recorded None, now '9.9')" in manifest.changes


def test_a_run_is_either_resumed_or_replaced(killed: Path) -> None:
    before = (killed / "checkpoint.safetensors").read_bytes()
    with pytest.raises(InputError, match="expected --resume or --overwrite, got both"):
        Run.create(killed, MANIFEST, resume=True, overwrite=True)
    assert (killed / "checkpoint.safetensors").read_bytes() == before


@pytest.mark.parametrize("name", ["result.json", "manifest.json"])
def test_a_changed_digit_in_a_finished_run_is_noticed(unbroken: Path, name: str) -> None:
    path = unbroken / name
    path.write_text(
        path.read_text(encoding="utf-8")
        .replace("0.98", "0.99")
        .replace('"iterations": 10', '"iterations": 11')
    )
    with pytest.raises(InputError, match=rf"{name} is damaged: expected the checksum"):
        open_run(unbroken)


def test_a_changed_digit_in_the_metrics_is_noticed(unbroken: Path) -> None:
    path = unbroken / "metrics.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace('"epoch": 2', '"epoch": 3'))
    with pytest.raises(InputError, match=r"metrics\.jsonl is damaged"):
        open_run(unbroken).metrics()


def test_a_manifest_of_an_older_version_is_read(unbroken: Path) -> None:
    manifest = json.loads((unbroken / "manifest.json").read_text(encoding="utf-8"))
    del manifest["changes"]
    (unbroken / "manifest.json").write_text(json.dumps(manifest))
    assert open_run(unbroken).manifest.changes == []


@pytest.mark.parametrize("name", ["manifest.json", "result.json", "metrics.jsonl", "checkpoint.safetensors"])
def test_a_pipe_in_place_of_a_file_is_not_waited_on(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(InputError, match="expected a regular file, got a device or a pipe"):
        read_bytes(tmp_path / name)
    with pytest.raises(InputError, match="expected a regular file, got a device or a pipe"):
        append_line(tmp_path / name, "x")


@pytest.mark.parametrize("name", ["", ".", "/"])
def test_a_folder_is_not_written_as_a_file(name: str) -> None:
    with pytest.raises(InputError, match="expected the name of a file, got a folder"):
        write_bytes(name, b"x")


def test_runs_are_not_looked_for_on_a_whole_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vinlab.recording.finished_run.MOST_FOLDERS", 3)
    for number in range(2):
        (tmp_path / str(number)).mkdir()
    assert collect_runs(tmp_path) == []
    (tmp_path / "2").mkdir()
    with pytest.raises(InputError, match="at most 3 folders below it, got more"):
        collect_runs(tmp_path)


def test_the_last_sound_checkpoint_of_a_new_run_is_none(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.safetensors"
    assert load_last_sound_checkpoint(path) == (None, None)
    save_checkpoint(previous(path), {}, {"x": np.float32(1)}, metrics_lines=0, seconds=0.0)
    found, fault = load_last_sound_checkpoint(path)
    assert fault is None
    assert found is not None
