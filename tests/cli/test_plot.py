"""``vinlab plot``: runs, shipped models and whole experiments."""

import shutil
from pathlib import Path

from helpers.commands import fails
from vinlab.cli import main

RUNS = Path(__file__).parents[2] / "results" / "runs" / "generalisation"


def names(folder) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_run_is_drawn_with_its_learning_curves(run, tmp_path):
    main(["plot", str(run), "--out", str(tmp_path / "figures")])
    assert names(tmp_path / "figures") == ["learning.png", "plan.png", "routes.png"]


def test_a_run_without_weights_is_drawn_by_its_learning_curves(run, tmp_path, capsys):
    shutil.copytree(run, tmp_path / "run", ignore=shutil.ignore_patterns("weights*"))
    main(["plot", str(tmp_path / "run"), "--out", str(tmp_path / "figures")])
    assert names(tmp_path / "figures") == ["learning.png"]
    assert "only the learning curves are drawn" in capsys.readouterr().out


def test_a_shipped_model_is_drawn_under_its_id(tmp_path, capsys):
    main(["plot", "gridworld/8/vin", "--out", str(tmp_path), "--problem", "3"])
    assert names(tmp_path) == ["gridworld_8_vin_plan.png", "gridworld_8_vin_routes.png"]
    said = fails(capsys, "plot", "gridworld/8/vin", "--out", str(tmp_path), "--problem", "1000")
    assert "--problem: expected 0 to 999, got 1000" in said


def test_an_experiment_is_drawn_from_its_recorded_runs(tmp_path, capsys):
    drawn = ["--runs", str(RUNS), "--out", str(tmp_path)]
    main(["plot", "generalisation", *drawn])
    assert "generalisation_mazes.png" in names(tmp_path)
    assert "There are no figures of any-map" in fails(capsys, "plot", "any-map", *drawn)


def test_a_run_that_trained_nothing_is_drawn_by_its_scores(tmp_path):
    main(["plot", str(RUNS / "any" / "default-paper" / "seed-0"), "--out", str(tmp_path)])
    assert "generalisation_mazes.png" in names(tmp_path)
