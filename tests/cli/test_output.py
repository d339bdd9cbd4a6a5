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


@pytest.mark.parametrize(("id", "compared"), [("gridworld/8/vin", True), ("terrain-costs/own", False)])
def test_only_settings_of_the_paper_have_a_column_of_its_numbers(id, compared, capsys):
    print_scores(id, {"num_problems": 3, "success_rate": 0.5, "num_unsolvable": 1})
    shown = capsys.readouterr().out
    assert ("paper" in shown) == compared
    assert ("–" in shown) == compared
    assert "50.0" in shown
    assert "unsolvable problems" in shown
