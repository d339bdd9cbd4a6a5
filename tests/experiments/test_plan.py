from pathlib import Path

import pytest

from vinlab.experiments.catalogue import NAMES, make_catalogue, read_catalogue
from vinlab.experiments.plan import PlannedRun, experiments_at, missing_runs, planned_runs
from vinlab.experiments.times import expected_seconds, mean_seconds, recorded_seconds
from vinlab.recording.finished_run import collect_runs
from vinlab.types import InputError

RUNS = Path(__file__).parents[2] / "results" / "runs"


def test_the_catalogue_lists_every_setting():
    assert read_catalogue() == make_catalogue()
    assert {entry.experiment for entry in read_catalogue().values()} == set(NAMES)


def test_every_setting_is_planned_once_at_the_budget_smoke():
    planned = planned_runs(NAMES, "smoke")
    assert {run.id for run in planned} == set(read_catalogue())
    assert len({(run.id, run.recipe) for run in planned}) == len(planned)


def test_the_budget_small_plans_what_the_tables_of_the_paper_show_on_generated_data():
    names = experiments_at("small")
    assert set(NAMES) - set(names) == {
        *("any_map", "graded", "generalisation", "ablations", "terrain_costs", "arena")
    }
    shown = {(run.id, run.recipe) for run in planned_runs(names, "paper")}
    planned = planned_runs(names, "small")
    assert {(run.id, run.recipe) for run in planned} == shown
    assert {(run.seed, run.source) for run in planned} == {(0, None)}


def test_nothing_that_the_tables_show_is_missing():
    finished = collect_runs(RUNS)
    assert missing_runs(planned_runs(NAMES, "paper"), finished) == []


def test_a_run_that_was_not_made_is_missing():
    finished = [run for run in collect_runs(RUNS / "gridworld" / "8") if run.manifest.seed != 1]
    missing = missing_runs(planned_runs(["gridworld"], "paper"), finished)
    at_8 = [run for run in missing if run.id.startswith("gridworld/8/")]
    assert at_8
    assert {run.seed for run in at_8} == {1}
    assert expected_seconds(at_8[0], mean_seconds(finished)) is not None


def test_the_cost_of_a_small_reproduction_is_known_beforehand():
    planned = planned_runs(experiments_at("small"), "small")
    seconds = [expected_seconds(run, recorded_seconds()) for run in planned]
    assert [run.id for run, known in zip(planned, seconds, strict=True) if known is None] == []


def test_an_expected_time_is_the_mean_over_the_seeds():
    finished = collect_runs(RUNS / "gridworld" / "8" / "fcn" / "paper-paper")
    (mean,) = mean_seconds(finished).values()
    assert mean == pytest.approx(sum(run.manifest.seconds for run in finished) / len(finished), abs=0.1)
    assert mean_seconds([]) == {}


def test_real_data_are_asked_for_by_name(tmp_path):
    run = PlannedRun("mars", "mars/vin", "default", "paper", 0, "jezero_ctx")
    assert run.folder(tmp_path) == tmp_path / "mars/vin/jezero_ctx-default-paper/seed-0"
    with pytest.raises(InputError, match="expected --data FOLDER with jezero_ctx in it, got no --data"):
        run.request(tmp_path, None)
