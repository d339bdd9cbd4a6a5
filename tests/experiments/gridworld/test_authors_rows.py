"""Runs on the authors' own files are shown apart from those on generated maps."""

from dataclasses import replace

from helpers.manifests import MANIFEST
from vinlab.experiments.gridworld.table import brief_table, scores_table
from vinlab.recording.finished_run import FinishedRun

SCORES = {
    "num_problems": 1000,
    "prediction_loss": 0.1,
    "trajectory_difference": 0.0,
    "optimal_action_accuracy": 0.75,
}


def run_on(source, success, folder):
    config = {"learning": {"keep": "last"}, "data": {"source": source}}
    manifest = replace(MANIFEST, id="gridworld/16/vin", recipe="paper", budget="paper", config=config)
    result = {"scores": {**SCORES, "success_rate": success}, "training_seconds": 60.0}
    return FinishedRun(folder, manifest, result)


def test_they_have_a_table_of_their_own_and_do_not_change_the_mean(tmp_path):
    runs = [run_on("generated", 0.5, tmp_path), run_on("gridworld_authors", 0.9, tmp_path)]
    main, authors = scores_table("Title", "gridworld", runs).split("## On the authors' own files")
    assert "50.00 %" in main
    assert "90.00 %" not in main
    assert "90.00 %" in authors
    assert "50.00 %" not in authors
    assert "`vinlab train gridworld/16/vin --recipe paper --data FOLDER/gridworld_authors`" in authors
    assert "90.00 %" not in brief_table("gridworld", runs)


def test_without_such_runs_there_is_no_table_of_them(tmp_path):
    assert "authors' own files" not in scores_table("Title", "gridworld", [run_on(None, 0.5, tmp_path)])
