"""The tables in results/ and README are what the recorded runs say."""

from pathlib import Path

import pytest

from vinlab.experiments import experiment_named
from vinlab.experiments.catalogue import NAMES
from vinlab.experiments.execution import KEPT_WEIGHTS
from vinlab.experiments.gridworld.table import brief_table
from vinlab.experiments.reproduce import README_TABLE, runs_of
from vinlab.recording.finished_run import WEIGHTS, collect_runs

ROOT = Path(__file__).parents[1]
RUNS = collect_runs(ROOT / "results" / "runs")


@pytest.mark.parametrize("name", NAMES)
def test_the_table_is_fresh(name):
    experiment = experiment_named(name)
    path = ROOT / "results" / f"{name}.md"
    found = runs_of(experiment, RUNS)
    assert found, f"{name} has no recorded run"
    assert path.read_text(encoding="utf-8") == experiment.table(found)


def test_there_is_no_table_without_an_experiment():
    assert {path.stem for path in (ROOT / "results").glob("*.md")} == set(NAMES)


@pytest.mark.parametrize("run", RUNS, ids=lambda run: str(run.folder.relative_to(ROOT / "results" / "runs")))
def test_recorded_runs_name_a_clean_commit(run):
    assert run.manifest.commit
    assert run.manifest.clean


def test_only_small_weights_are_kept():
    large = [path for path in (ROOT / "results").rglob(WEIGHTS) if path.stat().st_size > KEPT_WEIGHTS]
    assert large == []


def test_the_readme_shows_the_main_table():
    first, last = README_TABLE
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = text.split(first)[1].split(last)[0].strip()
    assert shown == brief_table("gridworld", runs_of(experiment_named("gridworld"), RUNS)).strip()
