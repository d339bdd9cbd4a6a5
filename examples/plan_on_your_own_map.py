"""Plan on a map of your own: draw it as text, let a trained VIN plan a route, and print it."""

import sys
import tempfile
from pathlib import Path

import numpy as np

import vinlab
from vinlab.experiments import experiment_of
from vinlab.experiments.base import Budget, TrainingRequest
from vinlab.experiments.runner import train
from vinlab.models import shipped_ids

# '#' is blocked, S the start, G the goal. Any number of rows and columns.
MAP = """
##############
#S...#.......#
#....#..##...#
#..#......#..#
#.......#.#..#
#.###......#.#
#....#..##...#
#........#..G#
##############
"""


def trained_model(budget: Budget) -> vinlab.Model:
    """Shipped weights if there are any, otherwise a small model trained now."""
    if "gridworld/28/vin" in shipped_ids():
        return vinlab.load("gridworld/28/vin")
    setting = "gridworld/8/vin"
    print(f"No weights are shipped; training {setting} for a few seconds.")
    out = Path(tempfile.mkdtemp()) / "run"
    train(experiment_of(setting), TrainingRequest(id=setting, out=out, budget=budget))
    return vinlab.load(out)


def main(budget: Budget = "small") -> None:
    letters = np.array([list(row) for row in MAP.split()])
    (start,), (goal,) = np.argwhere(letters == "S"), np.argwhere(letters == "G")

    model = trained_model(budget)
    route = vinlab.navigate(model, letters == "#", start, goal)

    for row, col in route.path[1:-1]:
        letters[row, col] = "o"
    print("\n".join("".join(row) for row in letters))
    print(f"{model.id}, K = {route.iterations}: reached {route.reached}, length {route.cost:.2f}.")
    print(f"The shortest route has length {route.optimal_cost:.2f}.")


if __name__ == "__main__":
    main(*sys.argv[1:])  # pyright: ignore[reportArgumentType]
