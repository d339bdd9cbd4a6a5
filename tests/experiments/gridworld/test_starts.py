"""Which of several starts a table keeps, on runs whose validation and test scores are known."""

import json
from dataclasses import replace

import pytest

from helpers.manifests import MANIFEST
from vinlab.experiments.gridworld.table import best_starts, starts_table
from vinlab.experiments.tables import Row
from vinlab.recording.finished_run import METRICS, FinishedRun


@pytest.fixture
def row_of(tmp_path):
    """A row of runs, from the validation and the test success of each seed."""

    def make(scores, *, keep="last", optimal=None):
        runs = []
        for seed, (validation, test) in enumerate(scores):
            folder = tmp_path / f"{keep}-{len(scores)}-{seed}"
            folder.mkdir()
            last = {
                "validation_success": validation,
                "validation_optimal": optimal[seed] if optimal else 0.9,
            }
            early = {"validation_success": 1.0, "validation_optimal": 1.0}
            (folder / METRICS).write_text("".join(json.dumps(line) + "\n" for line in (early, last)))
            manifest = replace(MANIFEST, recipe="paper", seed=seed, config={"learning": {"keep": keep}})
            result = {"scores": {"success_rate": test, "num_problems": 1000}}
            runs.append(FinishedRun(folder, manifest, result))
        return Row(runs[::-1])

    return make


def test_of_each_three_seeds_the_best_by_validation_is_kept_whatever_the_test_says(row_of):
    row = row_of([(0.9, 1.0), (0.95, 0.5), (0.8, 1.0), (0.7, 0.6), (0.6, 1.0), (0.5, 1.0), (0.99, 0.9)])
    assert [run.manifest.seed for run in best_starts(row)] == [1, 3]


def test_of_equal_success_the_most_optimal_moves_decide(row_of):
    row = row_of([(0.9, 1.0), (0.9, 0.5), (0.9, 1.0)], optimal=[0.91, 0.93, 0.92])
    assert [run.manifest.seed for run in best_starts(row)] == [1]


def test_the_table_holds_the_mean_of_those_that_are_kept(row_of):
    row = row_of([(0.9, 0.5), (0.95, 0.98), (0.8, 0.5), (0.7, 1.0), (0.6, 0.5), (0.5, 0.5)])
    line = starts_table([row])[-1].splitlines()[-1]
    assert "| 1, 3 " in line
    assert "99.00 ± 1.41 %" in line
    assert "-0.60" in line


def test_runs_whose_weights_validation_chose_and_rows_of_two_seeds_have_no_line(row_of):
    three = [(0.9, 0.9)] * 3
    assert starts_table([row_of(three, keep="best"), row_of(three[:2])]) == []
