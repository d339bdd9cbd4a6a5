import json
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from helpers.manifests import MANIFEST
from vinlab.recording import files
from vinlab.recording.finished_run import open_run
from vinlab.recording.run import Run
from vinlab.recording.weights import fill, load_tensors
from vinlab.types import InputError

EPOCHS = 5


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def train(run: Run, *, stop_after: int = EPOCHS) -> None:
    """A learner whose weight after an epoch depends on all epochs before."""
    tensors, state = run.load_checkpoint() or ({"weight": torch.ones(1)}, {"epoch": 0})
    for epoch in range(state["epoch"], stop_after):
        tensors["weight"] = tensors["weight"] * 1.1 + epoch
        run.log({"epoch": epoch, "weight": tensors["weight"].item()})
        run.save_checkpoint(tensors, {"epoch": epoch + 1})
    if stop_after == EPOCHS:
        run.finish(tensors, {"success_rate": 1.0, "trajectory_difference": float("nan")})


def content(folder: Path) -> dict[str, bytes]:
    """The files that must not depend on whether the run was killed."""
    return {
        name: (folder / name).read_bytes() for name in ("metrics.jsonl", "weights.safetensors", "result.json")
    }


@pytest.fixture
def unbroken(tmp_path: Path) -> Path:
    train(Run.create(tmp_path / "unbroken", MANIFEST))
    return tmp_path / "unbroken"


def test_a_finished_run_holds_four_files_and_is_read_back(unbroken: Path) -> None:
    assert names(unbroken) == ["manifest.json", "metrics.jsonl", "result.json", "weights.safetensors"]
    run = open_run(unbroken)
    assert run.result == {"success_rate": 1.0, "trajectory_difference": None}
    assert [record["epoch"] for record in run.metrics()] == list(range(EPOCHS))
    assert run.manifest == replace(MANIFEST, seconds=run.manifest.seconds)
    assert run.manifest.seconds is not None
    module = nn.Module()
    module.weight = nn.Parameter(torch.zeros(1))
    fill(module, load_tensors(unbroken / "weights.safetensors"), unbroken / "weights.safetensors")
    assert module.weight.item() == pytest.approx(run.metrics()[-1]["weight"])


def test_a_resumed_run_equals_one_never_stopped(tmp_path: Path, unbroken: Path) -> None:
    with Run.create(tmp_path / "run", MANIFEST) as run:
        train(run, stop_after=2)
        run.log({"epoch": 2, "weight": -1.0})
        run.log({"epoch": 3, "weight": -1.0})
    with (tmp_path / "run" / "metrics.jsonl").open("a") as file:
        file.write('{"epoch": 4, "wei')
    (tmp_path / "run" / ".checkpoint.safetensors.17.tmp").write_bytes(b"half a checkpoint")
    train(Run.create(tmp_path / "run", MANIFEST, resume=True))
    assert content(tmp_path / "run") == content(unbroken)
    assert names(tmp_path / "run") == names(unbroken)


def test_a_run_stopped_before_its_first_checkpoint_starts_anew(tmp_path: Path, unbroken: Path) -> None:
    with Run.create(tmp_path / "run", MANIFEST) as run:
        run.log({"epoch": 0, "weight": -1.0})
    train(Run.create(tmp_path / "run", MANIFEST, resume=True))
    assert content(tmp_path / "run") == content(unbroken)


@pytest.mark.parametrize("killed_at", ["weights.safetensors", "manifest.json", "result.json"])
def test_a_run_stopped_while_finishing_is_finished_later(
    tmp_path: Path, unbroken: Path, monkeypatch: pytest.MonkeyPatch, killed_at: str
) -> None:
    really_replace = files.os.replace

    def stop_at(source: Path, target: Path) -> None:
        if Path(target).name == killed_at:
            raise KeyboardInterrupt
        really_replace(source, target)

    run = Run.create(tmp_path / "run", MANIFEST)
    with monkeypatch.context() as patched:
        patched.setattr(files.os, "replace", stop_at)
        with run, pytest.raises(KeyboardInterrupt):
            train(run)
    with pytest.raises(InputError, match="got an unfinished one"):
        open_run(tmp_path / "run")
    train(Run.create(tmp_path / "run", MANIFEST, resume=True))
    assert content(tmp_path / "run") == content(unbroken)


def test_a_run_killed_by_the_system_resumes_to_the_same(tmp_path: Path, unbroken: Path) -> None:
    script = f"""
import os, signal, sys
from pathlib import Path
sys.path[:0] = {[str(Path(__file__).parent), str(Path(__file__).parents[1])]!r}
import test_run
run = test_run.Run.create(Path(sys.argv[1]), test_run.MANIFEST)
test_run.train(run, stop_after=3)
run.log({{"epoch": 3, "weight": -1.0}})
os.kill(os.getpid(), signal.SIGKILL)
"""
    killed = subprocess.run([sys.executable, "-c", script, str(tmp_path / "run")], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert "checkpoint.safetensors" in names(tmp_path / "run")
    train(Run.create(tmp_path / "run", MANIFEST, resume=True))
    assert content(tmp_path / "run") == content(unbroken)


def test_time_adds_up_over_the_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr("vinlab.recording.run.time.monotonic", lambda: clock[0])
    with Run.create(tmp_path / "run", MANIFEST) as run:
        clock[0] += 30
        train(run, stop_after=2)
        clock[0] += 1000  # lost with the kill
    run = Run.create(tmp_path / "run", MANIFEST, resume=True)
    clock[0] += 12
    train(run)
    assert open_run(tmp_path / "run").manifest.seconds == 42


def test_nothing_is_overwritten_unasked(tmp_path: Path, unbroken: Path) -> None:
    before = content(unbroken)
    for asked in ({}, {"resume": True}):
        with pytest.raises(InputError, match=r"holds a finished run: use another --out, or --overwrite\.$"):
            Run.create(unbroken, MANIFEST, **asked)
    Run.create(tmp_path / "begun", MANIFEST).close()
    with pytest.raises(InputError, match="holds an unfinished run: use --resume"):
        Run.create(tmp_path / "begun", MANIFEST)
    assert content(unbroken) == before


@pytest.mark.parametrize("asked", [{}, {"resume": True}, {"overwrite": True}])
def test_a_folder_of_other_things_is_never_touched(tmp_path: Path, asked: dict[str, Any]) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    (tmp_path / ".draft.tmp").write_text("more work")
    with pytest.raises(InputError, match=r"expected a new or empty folder, got .* which holds other files"):
        Run.create(tmp_path, MANIFEST, **asked)
    assert names(tmp_path) == [".draft.tmp", "thesis.tex"]


def test_overwriting_removes_the_run_and_nothing_else(unbroken: Path) -> None:
    (unbroken / "plan.png").write_text("a picture")
    with Run.create(unbroken, replace(MANIFEST, seed=1), overwrite=True) as run:
        assert run.load_checkpoint() is None
    assert names(unbroken) == ["manifest.json", "plan.png"]


def test_another_configuration_is_not_resumed_and_the_difference_is_named(tmp_path: Path) -> None:
    Run.create(tmp_path, MANIFEST).close()
    other = replace(MANIFEST, seed=1, config={"iterations": 20})
    with pytest.raises(
        InputError, match=r"seed \(recorded 0, now 1\), config\.iterations \(recorded 10, now 20\)"
    ):
        Run.create(tmp_path, other, resume=True)
    assert json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))["seed"] == 0


def test_a_run_that_another_commit_continues_says_so(tmp_path: Path) -> None:
    later = replace(MANIFEST, commit="beef")
    for manifest in (MANIFEST, MANIFEST, later, later):
        Run.create(tmp_path, manifest, resume=True).close()
    train(Run.create(tmp_path, later, resume=True))
    manifest = open_run(tmp_path).manifest
    assert (manifest.commit, manifest.continued_by) == ("c0ffee", ["beef"])


def test_two_writers_at_once_are_refused(tmp_path: Path) -> None:
    with (
        Run.create(tmp_path, MANIFEST),
        pytest.raises(InputError, match=r"is in use: process \d+ is writing this run"),
    ):
        Run.create(tmp_path, MANIFEST, overwrite=True)


def test_a_place_where_no_folder_can_be_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "run"):
        with pytest.raises(InputError, match="Cannot create the folder"):
            Run.create(folder, MANIFEST)


def test_metrics_are_on_the_disk_before_the_checkpoint_that_counts_them(tmp_path: Path, monkeypatch) -> None:
    done: list[tuple[str, str]] = []
    fsync, replace_file = files.os.fsync, files.os.replace

    def note_sync(descriptor):
        done.append(("synced", Path(f"/proc/self/fd/{descriptor}").resolve().name))
        fsync(descriptor)

    def note_replace(source, target):
        done.append(("replaced", Path(target).name))
        replace_file(source, target)

    with Run.create(tmp_path / "run", MANIFEST) as run:
        run.log({"epoch": 0})
        monkeypatch.setattr(files.os, "fsync", note_sync)
        monkeypatch.setattr(files.os, "replace", note_replace)
        run.save_checkpoint({"weight": torch.ones(1)}, {"epoch": 1})
    kinds = [(what, name) for what, name in done if "lock" not in name]
    metrics = kinds.index(("synced", "metrics.jsonl"))
    checkpoint = next(
        i for i, (what, name) in enumerate(kinds) if what == "replaced" and "checkpoint" in name
    )
    assert metrics < checkpoint
    assert any(
        what == "synced" for what, _ in kinds[metrics + 1 : checkpoint]
    )  # the checkpoint's own content
