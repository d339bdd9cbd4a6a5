"""Figures of a model and of all runs."""

from pathlib import Path

import pytest

from vinlab.experiments.rl.figures import curve_label, draw_paths, draw_runs
from vinlab.models import load
from vinlab.recording.finished_run import collect_runs
from vinlab.types import InputError

RECORDED = Path(__file__).parents[3] / "results" / "runs" / "rl"


def test_the_figures_of_all_runs(rl_runs, tmp_path):
    names = {path.name for path in draw_runs(rl_runs, tmp_path)}
    assert names == {
        "rl_8_training.png",
        "rl_8_difficulty.png",
        "rl_8_curriculum_return.png",
        "rl_8_curriculum_success.png",
    }
    assert all((tmp_path / name).stat().st_size > 5000 for name in names)


def test_runs_that_start_otherwise_are_curves_of_their_own():
    runs = [run for run in collect_runs(RECORDED) if run.manifest.id == "rl/16/vin"]
    labels = {run.manifest.recipe: curve_label(run) for run in runs}
    assert labels == {
        "default": "VIN, from moves",
        "paper": "VIN, from noise",
        "noise": "VIN, from noise, best of 3",
    }


def test_without_runs_there_are_no_figures(tmp_path):
    assert draw_runs([], tmp_path) == []


@pytest.mark.parametrize("run", [0, 1], ids=["vin", "cnn"])
def test_the_paths_of_a_run(rl_runs, tmp_path, run):
    (figure,) = draw_paths(load(rl_runs[run].folder), tmp_path / "out", None, None)
    assert figure.name == "paths.png"
    assert figure.stat().st_size > 5000


def test_the_path_on_one_problem_of_a_shipped_model(tmp_path):
    model = load("rl/8/vin")
    (figure,) = draw_paths(model, tmp_path, 3, None)
    assert figure.name == "rl_8_vin_paths.png"
    with pytest.raises(InputError, match="--problem: expected 0 to 999, got 1000"):
        draw_paths(model, tmp_path, 1000, None)
