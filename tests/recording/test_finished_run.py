from dataclasses import replace
from pathlib import Path

import pytest
import torch

from helpers.manifests import MANIFEST
from vinlab.recording.finished_run import collect_runs, open_run
from vinlab.recording.run import Run
from vinlab.types import InputError


def record(folder: Path, seed: int) -> None:
    Run.create(folder, replace(MANIFEST, seed=seed)).finish(
        {"w": torch.zeros(1)}, {"success_rate": seed / 10}
    )


def test_all_finished_runs_below_a_folder_are_found_in_order(tmp_path: Path) -> None:
    for seed in (2, 0, 1):
        record(tmp_path / "gridworld" / f"seed-{seed}", seed)
    runs = collect_runs(tmp_path)
    assert [(run.manifest.seed, run.result["success_rate"]) for run in runs] == [(0, 0.0), (1, 0.1), (2, 0.2)]
    assert runs[0].folder == tmp_path / "gridworld" / "seed-0"


def test_a_run_that_cannot_be_used_is_never_passed_over_in_silence(tmp_path: Path) -> None:
    record(tmp_path / "a", 0)
    Run.create(tmp_path / "b", MANIFEST).close()
    record(tmp_path / "c", 1)
    (tmp_path / "c" / "result.json").write_text('{"success_')
    with pytest.raises(InputError, match="b: expected a finished run, got an unfinished one"):
        collect_runs(tmp_path)
    told: list[str] = []
    runs = collect_runs(tmp_path, on_unusable=lambda error: told.append(str(error)))
    assert [run.manifest.seed for run in runs] == [0]
    assert len(told) == 2
    assert "unfinished" in told[0]
    assert "truncated" in told[1]


def test_what_is_not_a_run_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="There is no folder"):
        open_run(tmp_path / "nowhere")
    with pytest.raises(InputError, match="There is no folder"):
        collect_runs(tmp_path / "nowhere")
    for place in (tmp_path, tmp_path / "file"):
        with pytest.raises(InputError, match="is not a run"):
            open_run(place)
