"""The scores of every experiment fit on a terminal."""

from pathlib import Path

import pytest

from vinlab.cli.output import print_scores
from vinlab.recording.finished_run import collect_runs

RUNS = collect_runs(Path(__file__).parents[2] / "results" / "runs")


@pytest.mark.parametrize(
    "run", {run.manifest.id: run for run in RUNS}.values(), ids=lambda run: run.manifest.id
)
def test_the_scores_of_every_setting_fit_into_eighty_columns(run, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    print_scores(run.manifest.id, run.result["scores"])
    shown = capsys.readouterr().out
    assert run.manifest.id in shown
    assert "…" not in shown
    assert max(map(len, shown.splitlines())) <= 80
