import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from vinlab.cli.reproduce import reproduce
from vinlab.experiments.execution import Job, run_locally, run_on_ray
from vinlab.experiments.plan import planned_runs
from vinlab.recording.finished_run import collect_runs
from vinlab.types import InputError

FIRST = [planned_runs([name], "smoke")[0] for name in ("gridworld", "any_map")]
"""One setting of each experiment."""


def scores(root: Path) -> dict[str, object]:
    return {run.manifest.id: run.result["scores"] for run in collect_runs(root)}


def finished(events) -> list[str]:
    return sorted(event.job.run.id for event in events if event.kind == "finished")


@pytest.mark.slow
def test_one_setting_of_each_experiment_runs_end_to_end(tmp_path):
    events = list(run_locally([Job(run, tmp_path) for run in FIRST], workers=2))
    assert [event.note for event in events if event.kind == "failed"] == []
    assert finished(events) == sorted(run.id for run in FIRST)


def test_tables_are_written_and_nothing_is_run_twice(tmp_path, capsys):
    where = {"budget": "smoke", "runs": tmp_path / "runs", "out": tmp_path}
    reproduce(("ablations",), **where, dry_run=True)
    assert "0 of 12 runs are finished; 12 are to be run." in capsys.readouterr().out
    assert not (tmp_path / "runs").exists()
    first = planned_runs(["ablations"], "smoke")[:2]
    list(run_locally([Job(run, tmp_path / "runs") for run in first], workers=1))
    reproduce(("ablations",), **where, dry_run=True)
    shown = capsys.readouterr().out
    assert "2 of 12 runs are finished; 10 are to be run." in shown
    assert first[0].id not in shown


def test_a_smaller_budget_is_kept_apart_from_the_recorded_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    reproduce(("gridworld",), budget="smoke", dry_run=True)
    first = planned_runs(["gridworld"], "smoke")[:1]
    list(run_locally([Job(first[0], Path("runs/smoke"))], workers=1))
    capsys.readouterr()
    reproduce(("gridworld",), budget="smoke", dry_run=True)
    assert capsys.readouterr().out.startswith("1 of ")


def test_a_killed_reproduction_resumes_to_the_same_scores(tmp_path):
    script = f"""
from pathlib import Path
from vinlab.cli.reproduce import reproduce
if __name__ == "__main__":
    reproduce(("hierarchical",), budget="smoke", runs=Path({str(tmp_path / "killed")!r}), out=Path({str(tmp_path)!r}))
"""
    file = tmp_path / "script.py"
    file.write_text(script)
    process = subprocess.Popen([sys.executable, str(file)], stderr=subprocess.DEVNULL, start_new_session=True)
    while not list((tmp_path / "killed").rglob("checkpoint.safetensors")):
        assert process.poll() is None
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    runs = planned_runs(["hierarchical"], "smoke")[:4]
    whole = list(run_locally([Job(run, tmp_path / "whole") for run in runs], workers=1))
    resumed = list(run_locally([Job(run, tmp_path / "killed") for run in runs], workers=1))
    assert [event.note for event in whole + resumed if event.kind == "failed"] == []
    expected = scores(tmp_path / "whole")
    assert {id: scores(tmp_path / "killed")[id] for id in expected} == expected


def test_a_run_that_was_finished_before_its_worker_died_is_kept(tmp_path):
    job = Job(planned_runs(["gridworld"], "smoke")[0], tmp_path)
    (first,) = [event for event in run_locally([job], workers=1) if event.kind != "progress"]
    manifest = job.run.folder(tmp_path) / "manifest.json"
    before = manifest.read_bytes()
    (second,) = run_locally([job], workers=1)
    assert [first.kind, second.kind] == ["finished", "finished"], second.note
    assert manifest.read_bytes() == before


def test_a_worker_that_is_killed_loses_only_its_epoch(tmp_path):
    job = Job(planned_runs(["gridworld"], "smoke")[1], tmp_path)
    killed = False
    for event in run_locally([job], workers=1):
        if event.kind == "progress" and not killed:
            (child,) = _children(os.getpid())
            os.kill(child, signal.SIGKILL)
            killed = True
        assert event.kind != "failed", event.note
    assert killed
    assert finished([event]) == [job.run.id]


def _children(process: int) -> list[int]:
    text = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="utf-8")
    names = {int(child): Path(f"/proc/{child}/cmdline").read_text(encoding="utf-8") for child in text.split()}
    return [child for child, command in names.items() if "spawn_main" in command]


def test_two_ray_workers_give_the_same_results(tmp_path):
    ray = pytest.importorskip("ray")
    runs = planned_runs(["hierarchical"], "smoke")[:4]
    alone = list(run_locally([Job(run, tmp_path / "alone") for run in runs], workers=1))
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        events = list(run_on_ray([Job(run, tmp_path / "ray") for run in runs], "auto"))
    finally:
        ray.shutdown()
    assert finished(events) == finished(alone)
    assert scores(tmp_path / "ray") == scores(tmp_path / "alone")


def test_a_bad_number_of_jobs_is_refused(tmp_path):
    with pytest.raises(InputError, match="--jobs: expected at least 1, got 0"):
        reproduce((), jobs=0, runs=tmp_path)
