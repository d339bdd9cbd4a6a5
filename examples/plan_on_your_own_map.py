"""Plan on a map of your own: draw it as text, ask a trained VIN for the way, and print the way it went."""

import sys
import tempfile
from pathlib import Path

import numpy as np

import vinlab
from vinlab.experiments import EXPERIMENTS, TrainingRequest, experiment_of
from vinlab.experiments.base import Budget
from vinlab.learners.callbacks import no_progress
from vinlab.models import shipped_ids

# '#' is blocked, S the start, G the goal. Any number of rows and columns will do.
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
    """Shipped weights if there are any, otherwise a small model trained here and now."""
    if "gridworld/28/vin" in shipped_ids():
        return vinlab.load("gridworld/28/vin")
    setting = "gridworld/8/vin"
    print(f"No weights are shipped; training {setting} for a few seconds.")
    out = Path(tempfile.mkdtemp()) / "run"
    request = TrainingRequest(id=setting, out=out, budget=budget)
    experiment_of(EXPERIMENTS, setting).train(request, no_progress)
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
