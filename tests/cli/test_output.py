"""What a run found can be shown on a terminal, whatever its experiment."""

from pathlib import Path

import pytest

from vinlab.cli.output import print_scores
from vinlab.experiments import EXPERIMENTS
from vinlab.recording.finished_run import FinishedRun, collect_runs

RUNS = collect_runs(Path(__file__).parents[2] / "results" / "runs")


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda experiment: experiment.name)
def test_the_scores_of_every_recorded_run_are_shown_within_a_screens_width(experiment, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    for run in one_of_each_setting(experiment.settings):
        print_scores(run.manifest.id, run.result["scores"])
        shown = capsys.readouterr().out
        assert run.manifest.id in shown
        assert "…" not in shown
        assert max(map(len, shown.splitlines())) <= 80


def one_of_each_setting(ids) -> list[FinishedRun]:
    return list({run.manifest.id: run for run in RUNS if run.manifest.id in ids}.values())
