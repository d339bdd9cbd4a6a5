from pathlib import Path

from vinlab.experiments.gridworld.figures import draw_runs
from vinlab.recording.finished_run import WEIGHTS, collect_runs

RECORDED = Path(__file__).parents[3] / "results" / "runs" / "gridworld" / "28" / "vin"


def test_the_figures_of_all_runs_show_one_seed_of_each_recipe(tmp_path):
    runs = collect_runs(RECORDED)
    names = [path.name for path in draw_runs(runs, tmp_path)]
    recipes = {run.manifest.recipe for run in runs if (run.folder / WEIGHTS).exists()}
    prefixes = ["gridworld_28_vin_" + ("" if recipe == "default" else f"{recipe}_") for recipe in recipes]
    assert sorted(names) == sorted(
        f"{prefix}{kind}.png" for prefix in prefixes for kind in ("plan", "routes")
    )
    assert "gridworld_28_vin_plan.png" in names
