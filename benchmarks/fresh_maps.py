"""Recorded networks of the grid-world on maps that no choice was made by.

``python benchmarks/fresh_maps.py`` evaluates the recorded runs whose weights were kept on 5,000 maps a size, drawn
after the recipes were settled and used for nothing else, and prints one JSON object: success and the share of optimal
moves of every run, and the mean success over the seeds of a setting and recipe.
"""

import argparse
import json
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

import vinlab
from vinlab.domains.gridworld.expert import solve
from vinlab.domains.gridworld.problem import GridworldConfig, sample_problems
from vinlab.experiments.gridworld.data import GridworldData, make_test_problems, make_validation_problems
from vinlab.navigation.evaluation import evaluate
from vinlab.recording.finished_run import WEIGHTS, FinishedRun, collect_runs
from vinlab.types import GridProblems

STREAM = 2026_11_18
RUNS = Path(__file__).parents[1] / "results" / "runs" / "gridworld"


def fresh_problems(size: int, count: int) -> GridProblems:
    """Problems that are neither test nor validation problems."""
    test = make_test_problems(size)
    data = GridworldData(size=size, attempts=0, targets="trajectories")
    taken = [test, make_validation_problems(data, test)]
    rng = np.random.default_rng([STREAM, size])
    return sample_problems(GridworldConfig(size=size), count, rng=rng, apart_from=taken)


def measure(runs: list[FinishedRun], size: int, count: int) -> list[dict[str, Any]]:
    """The scores of all runs on maps of one size."""
    problems = fresh_problems(size, count)
    solution = solve(problems)
    found = []
    for run in runs:
        scores = evaluate(vinlab.load(run.folder), problems, solution=solution)
        manifest = run.manifest
        found.append(
            {
                "id": manifest.id,
                "recipe": manifest.recipe,
                "seed": manifest.seed,
                "success_rate": scores.success_rate,
                "optimal_action_accuracy": round(scores.optimal_action_accuracy, 5),
            }
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--maps", type=int, default=5000)
    count = parser.parse_args().maps
    kept = [run for run in collect_runs(RUNS) if (run.folder / WEIGHTS).exists()]
    found: list[dict[str, Any]] = []
    for size in sorted({run.manifest.config["data"]["size"] for run in kept}):
        found += measure([run for run in kept if run.manifest.config["data"]["size"] == size], size, count)
    rows = sorted({(entry["id"], entry["recipe"]) for entry in found})
    means = {
        f"{id} {recipe}": round(
            fmean(one["success_rate"] for one in found if (one["id"], one["recipe"]) == (id, recipe)), 5
        )
        for id, recipe in rows
    }
    print(json.dumps({"maps": count, "success_rate": means, "runs": found}))


if __name__ == "__main__":
    main()
