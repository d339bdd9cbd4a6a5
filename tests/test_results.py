"""The tables in results/ and README are what the recorded runs say."""

from pathlib import Path

import pytest

from vinlab.experiments import EXPERIMENTS, GRIDWORLD
from vinlab.experiments.gridworld.table import brief_table
from vinlab.recording.finished_run import collect_runs

ROOT = Path(__file__).parents[1]
RUNS = ROOT / "results" / "runs"


def runs_of(experiment):
    return [run for run in collect_runs(RUNS) if run.manifest.id in experiment.settings]


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda experiment: experiment.name)
def test_the_table_is_fresh(experiment):
    path = ROOT / "results" / f"{experiment.name}.md"
    if not runs_of(experiment):
        assert not path.exists(), f"{path.name} has no recorded runs behind it"
        pytest.skip("no run is recorded yet")
    assert path.read_text(encoding="utf-8") == experiment.table(runs_of(experiment))


@pytest.mark.parametrize(
    "run", collect_runs(RUNS) if RUNS.is_dir() else [], ids=lambda run: str(run.folder.name)
)
def test_recorded_runs_name_a_clean_commit(run):
    assert run.manifest.commit
    assert run.manifest.clean


def test_the_readme_shows_the_main_table():
    assert brief_table(GRIDWORLD.name, runs_of(GRIDWORLD)) in (ROOT / "README.md").read_text(encoding="utf-8")
