"""A robot drives over ground with costs, sees more of it on the way, and plans anew only what that changes."""

import numpy as np

import vinlab
from vinlab.maps import GridMap

SIDE, SIGHT = 60, 6
GOALS = [(50, 50), (6, 53)]


def true_ground(rng: np.random.Generator) -> np.ndarray:
    """Costs of 1 to 9, higher in two hollows, and a wall with a gap; infinity is blocked."""
    rows, cols = np.indices((SIDE, SIDE))
    costs = rng.uniform(1.0, 2.0, (SIDE, SIDE))
    for row, col in ((20, 15), (40, 35)):
        costs += 7.0 * np.exp(-((rows - row) ** 2 + (cols - col) ** 2) / 60.0)
    costs[5:45, 42] = np.inf
    costs[28:30, 42] = 1.0
    return costs


def main() -> None:
    truth = true_ground(np.random.default_rng(0))
    # The robot believes that all ground costs 1 until it sees it. A model in place of None plans by learned costs.
    planner = vinlab.Planner(None, GridMap(np.zeros((SIDE, SIDE), np.uint8), "", costs=np.ones((SIDE, SIDE))))
    planner.goal(GOALS)
    here, paid, steps = (30, 2), 0.0, 0
    print(f"At the start the nearest goal seems to be at a cost of {planner.cost(here):.1f}.")
    while here not in GOALS:
        top, left = max(0, here[0] - SIGHT), max(0, here[1] - SIGHT)
        seen = truth[top : here[0] + SIGHT + 1, left : here[1] + SIGHT + 1]
        cells = np.argwhere(np.ones(seen.shape, bool)) + (top, left)
        planner.update(cells, seen.ravel())

        path = planner.path(here)
        if len(path) < 2:
            print("No path is left.")
            return
        there = (int(path[1, 0]), int(path[1, 1]))
        length = np.hypot(there[0] - here[0], there[1] - here[1])
        paid += length * (truth[here] + truth[there]) / 2
        here, steps = there, steps + 1
    print(f"Arrived at {here} after {steps} steps at a cost of {paid:.1f}.")

    known = vinlab.Planner(None, GridMap(np.isinf(truth).astype(np.uint8), "", costs=np.minimum(truth, 1e6)))
    known.goal(GOALS)
    print(f"With the whole ground known beforehand it would have cost {known.cost((30, 2)):.1f}.")


if __name__ == "__main__":
    main()
