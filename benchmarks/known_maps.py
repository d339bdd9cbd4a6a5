"""How long a plan takes where the map is known: search and learned planners side by side, on the same maps.

``python benchmarks/known_maps.py`` prints one JSON object: for each size of map, with 20 % of the cells blocked, the ms
of a path by A*, of the cost-to-go of all cells by SciPy's Dijkstra and by our exact planner, and of a route by the
shipped networks; the best of several repeats. ``--table`` prints the record as the table of the documentation.
"""

import argparse
import heapq
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

import vinlab
from vinlab.domains.gridworld.map_sets import scattered
from vinlab.planning.exact import cost_to_go
from vinlab.types import MOVE_COSTS, MOVE_OFFSETS, GridProblems

RECORD = Path(__file__).parents[1] / "results" / "benchmarks" / "known_maps.json"
SIZES = (28, 64, 128, 256, 512)
UNROLLED_UP_TO = 128
REPEATS = 5
COLUMNS = {
    "a_star": "A*, plain Python, one path",
    "scipy": "SciPy Dijkstra, all cells",
    "exact": "`--exact`, all cells",
    "grid/any": "`grid/any`",
    "gridworld/28/vin": "`gridworld/28/vin`",
}


def a_star(obstacles: np.ndarray, start: tuple[int, int], goal: tuple[int, int]) -> float:
    """The length of a shortest path: the textbook's A* with the octile distance."""

    def least(cell: tuple[int, int]) -> float:
        down, along = abs(cell[0] - goal[0]), abs(cell[1] - goal[1])
        return max(down, along) + (2**0.5 - 1) * min(down, along)

    free = obstacles == 0
    moves = [(*map(int, offset), float(cost)) for offset, cost in zip(MOVE_OFFSETS, MOVE_COSTS, strict=True)]
    known, queue = {start: 0.0}, [(least(start), start)]
    while queue:
        _, cell = heapq.heappop(queue)
        if cell == goal:
            return known[cell]
        for down, along, cost in moves:
            following = cell[0] + down, cell[1] + along
            inside = 0 <= following[0] < free.shape[0] and 0 <= following[1] < free.shape[1]
            if inside and free[following] and known[cell] + cost < known.get(following, np.inf) - 1e-12:
                known[following] = known[cell] + cost
                heapq.heappush(queue, (known[following] + least(following), following))
    return float("inf")


def scipy_costs(graph: csr_matrix, goal: int) -> np.ndarray:
    return dijkstra(graph, indices=goal)


def graph_of(obstacles: np.ndarray) -> csr_matrix:
    """The moves between free cells."""
    rows, cols = np.nonzero(obstacles == 0)
    sources, targets, lengths = [], [], []
    for (down, along), cost in zip(MOVE_OFFSETS, MOVE_COSTS, strict=True):
        there = rows + down, cols + along
        inside = (
            (there[0] >= 0) & (there[0] < len(obstacles)) & (there[1] >= 0) & (there[1] < obstacles.shape[1])
        )
        inside[inside] = obstacles[there[0][inside], there[1][inside]] == 0
        sources.append((rows * obstacles.shape[1] + cols)[inside])
        targets.append((there[0] * obstacles.shape[1] + there[1])[inside])
        lengths.append(np.full(inside.sum(), cost))
    ends = np.concatenate(sources), np.concatenate(targets)
    return csr_matrix((np.concatenate(lengths), ends), shape=(obstacles.size, obstacles.size))


def milliseconds(plan: Callable[[], Any]) -> float:
    """The best of several repeats, after one to warm up."""
    plan()
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        plan()
        times.append(time.perf_counter() - began)
    return float(f"{1e3 * min(times):.3g}")


def far_problem(size: int) -> GridProblems:
    """Of twenty problems the one with the longest path."""
    problems = scattered(size, 0.2).sample(20, stream=7)
    lengths = cost_to_go(problems.obstacles, problems.goals)[np.arange(20), *problems.starts.T]
    chosen = int(lengths.argmax())
    return problems[chosen : chosen + 1]


def measure(size: int) -> dict[str, Any]:
    """The times on one map."""
    problem = far_problem(size)
    obstacles = problem.obstacles[0]
    start, goal = (tuple(int(part) for part in end[0]) for end in (problem.starts, problem.goals))
    graph, exact = graph_of(obstacles), cost_to_go(problem.obstacles, problem.goals)[0, *start]
    assert abs(a_star(obstacles, start, goal) - exact) < 1e-9
    assert abs(scipy_costs(graph, goal[0] * size + goal[1])[start[0] * size + start[1]] - exact) < 1e-9
    found: dict[str, Any] = {"size": size, "length": round(float(exact), 1)}
    found["a_star"] = milliseconds(lambda: a_star(obstacles, start, goal))
    found["scipy"] = milliseconds(lambda: scipy_costs(graph, goal[0] * size + goal[1]))
    found["exact"] = milliseconds(lambda: cost_to_go(problem.obstacles, problem.goals))
    for id in ("grid/any", "gridworld/28/vin"):
        if id == "gridworld/28/vin" and size > UNROLLED_UP_TO:
            continue
        model = vinlab.load(id)
        route = vinlab.navigate(model, obstacles, start, goal)
        if not route.reached:
            found[id] = "not reached"
            continue
        times = [vinlab.navigate(model, obstacles, start, goal).seconds for _ in range(REPEATS)]
        found[id] = float(f"{1e3 * min(times):.3g}")
    return found


def table(rows: list[dict[str, Any]]) -> str:
    """A row for each size."""
    lines = [
        f"| map | length of the path | {' | '.join(COLUMNS.values())} |",
        "|---" * (2 + len(COLUMNS)) + "|",
    ]
    for row in rows:
        cells = [str(row.get(name, "–")) for name in COLUMNS]
        lines.append(f"| {row['size']} × {row['size']} | {row['length']} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", action="store_true", help="print the recorded table")
    if parser.parse_args().table:
        print(table(json.loads(RECORD.read_text(encoding="utf-8"))["measured"]["maps"]))
        return
    print(json.dumps({"maps": [measure(size) for size in SIZES]}))


if __name__ == "__main__":
    main()
