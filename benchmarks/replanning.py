"""Replanning after cells have changed against planning anew, on one thread.

1 % of the cells of a map get other values: a window of 51 x 51 cells, as a robot's sensors see it, or cells scattered
all over the map. Times are CPU time of the thread, the median over the edits. *Replan*: ``update``, after which the
cost to go of every cell is right, and one path; the planner was updated once before, as in a loop. *Anew*: a new
``vinlab.Planner`` on the changed map with its goal and the same path. *Search*: a search from scratch on the same grid,
buffers kept. *Layer*: the differentiable planner on the same costs. ``speedup`` is the lowest ratio of *anew* to
*replan* over the maps that are planned exactly and both kinds of edits. ``equal``: on how many of ``edits`` random
edits of smaller maps the corrected field equals that of a new search to the last bit. The last line is one JSON object.
"""

import argparse
import json
import time
from collections.abc import Callable

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

import vinlab
from vinlab.domains.gridworld.graded import GradedSet
from vinlab.maps import GridMap
from vinlab.navigation.graded import grid_of
from vinlab.planning.costs import CostMap, terminals_at
from vinlab.planning.graded import GradedGrid
from vinlab.planning.replanning import CostField
from vinlab.planning.shortest_path import ShortestPathPlanner

SHARE = 0.01
"""Of the cells that change."""


def plain(side: int, rng: np.random.Generator) -> GridMap:
    """Free and blocked cells."""
    return GridMap((rng.random((side, side)) < 0.25).astype(np.uint8), "")


def independent(side: int, rng: np.random.Generator) -> GridMap:
    """A cost of 1 to 10 for each cell."""
    return GridMap(np.zeros((side, side), np.uint8), "", costs=rng.uniform(1.0, 10.0, (side, side)))


def smooth(side: int, rng: np.random.Generator) -> GridMap:
    """Smooth costs of 1 to 20 and some obstacles."""
    drawn = GradedSet("noise", side).sample(1, stream=int(rng.integers(1 << 30)))
    return GridMap(drawn.obstacles[0], "", costs=drawn.costs[0])


KINDS: dict[str, Callable[[int, np.random.Generator], GridMap]] = {
    "free and blocked": plain,
    "costs of 1 to 10": independent,
    "smooth costs": smooth,
}


def changed_cells(kind: str, side: int, rng: np.random.Generator) -> np.ndarray:
    """1 % of the cells: in one window, or scattered."""
    if kind == "scattered":
        numbers = rng.choice(side * side, int(SHARE * side * side), replace=False)
        return np.stack(np.divmod(numbers, side), axis=-1)
    width = max(1, round((SHARE * side * side) ** 0.5))
    corner = rng.integers(0, side - width + 1, 2)
    return np.argwhere(np.ones((width, width), bool)) + corner


def new_values(map: GridMap, cells: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Drawn as the map was; obstacles among costs stay, and a tenth of smooth costs gets blocked."""
    if map.costs is None:
        return (rng.random(len(cells)) < 0.25).astype(np.float64)
    if not map.obstacles.any():
        return rng.uniform(1.0, 10.0, len(cells))
    factor = rng.uniform(0.5, 2.0, len(cells))
    return np.where(rng.random(len(cells)) < 0.1, np.inf, map.costs[tuple(cells.T)] * factor)


def seconds(work: Callable[[], object]) -> float:
    began = time.thread_time()
    work()
    return time.thread_time() - began


def one_edit(map: GridMap, where: str, rng: np.random.Generator) -> dict[str, float]:
    """The seconds of one edit, by each way."""
    side = map.obstacles.shape[0]
    goal, start = (side // 2, side // 2), (side // 8, side // 8)
    map.obstacles[goal] = map.obstacles[start] = 0
    planner = vinlab.Planner(None, map)
    planner.goal(goal)

    def drawn() -> tuple[np.ndarray, np.ndarray]:
        cells = changed_cells(where, side, rng)
        cells = cells[(cells != goal).any(axis=1) & (cells != start).any(axis=1)]
        return cells, new_values(planner.map, cells, rng)

    planner.update(*drawn())  # as in a loop: the memory for repairs is there
    cells, values = drawn()

    def replan() -> None:
        planner.update(cells, values)
        planner.path(start)

    def anew(map: GridMap) -> None:
        other = vinlab.Planner(None, map)
        other.goal(goal)
        other.path(start)

    times = {"replan": seconds(replan)}
    now = planner.map
    times["anew"] = seconds(lambda: anew(now))
    field = CostField(grid_of(now), [goal])
    times["search"] = seconds(lambda: field.set_goals([goal]))
    times["layer"] = _layer(field.grid, goal)
    if not np.array_equal(field.costs, planner.costs):
        raise SystemExit("The corrected field is not that of a new search.")
    return times


def learned_edit(map: GridMap, where: str, rng: np.random.Generator) -> dict[str, float]:
    """The seconds of one edit where a model gives the costs: it looks at the changed cells alone.

    Nothing gets cheaper than the cheapest cell of the map: the model is shown multiples of its cost, so that all of
    them would change.
    """
    side = map.obstacles.shape[0]
    goal, model = (side // 2, side // 2), vinlab.load("grid/costs")
    map.obstacles[goal] = 0
    planner = vinlab.Planner(model, map)
    planner.goal(goal)
    cells = changed_cells(where, side, rng)
    cells = cells[(cells != goal).any(axis=1)]
    assert map.costs is not None
    lowest = map.costs[map.obstacles == 0].min()
    values = np.maximum(new_values(map, cells, rng), lowest)
    times = {"replan": seconds(lambda: planner.update(cells, values))}
    now, found = planner.map, []

    def anew() -> None:
        other = vinlab.Planner(model, now)
        other.goal(goal)
        found.append(other.costs)

    times["anew"] = seconds(anew)
    if not np.allclose(found[0], planner.costs, rtol=1e-5):
        raise SystemExit("The corrected field is not that of a new planner.")
    return times


def _layer(grid: GradedGrid, goal: tuple[int, int]) -> float:
    moves = grid.move_costs()
    allowed = np.isfinite(moves)
    costs = torch.from_numpy(np.where(allowed, moves, 1.0).astype(np.float32))[None]
    problem = CostMap(costs, terminals_at(np.array([[goal]]), *grid.shape), torch.from_numpy(allowed)[None])
    layer = ShortestPathPlanner()
    with torch.no_grad():
        return seconds(lambda: layer(problem))


def equal_edits(edits: int, side: int) -> int:
    """On how many edits the corrected field is that of a new search, bit for bit."""
    rng = np.random.default_rng(1)
    equal, goal, draws, planner = 0, (side // 2, side // 2), list(KINDS.values()), None
    for number in range(edits):
        if planner is None or number % 20 == 0:
            map = draws[number // 20 % len(draws)](side, rng)
            map.obstacles[goal] = 0
            planner = vinlab.Planner(None, map)
            planner.goal(goal)
        cells = changed_cells("scattered" if number % 2 else "window", side, rng)
        planner.update(cells, new_values(planner.map, cells, rng))
        field = CostField(grid_of(planner.map), [goal])
        equal += bool(np.array_equal(field.costs, planner.costs))
    return equal


def measure(side: int, repeats: int) -> list[dict[str, object]]:
    """A row for each kind of map and of edit."""
    found = []
    kinds = {name: (draw, one_edit) for name, draw in KINDS.items()}
    for name, (draw, edit) in {**kinds, "smooth costs, grid/costs": (smooth, learned_edit)}.items():
        for where in ("window", "scattered"):
            rng = np.random.default_rng(0)
            edit(draw(128, rng), where, rng)  # compiles, and scattered cells are many enough for a sweep
            times = [edit(draw(side, rng), where, rng) for _ in range(repeats)]
            middle = {way: float(np.median([one[way] for one in times])) for way in times[0]}
            row = {"map": name, "edit": where} | {f"{way}_ms": 1e3 * took for way, took in middle.items()}
            ratios = {
                f"{way}/replan": took / middle["replan"] for way, took in middle.items() if way != "replan"
            }
            found.append(row | ratios)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--repeats", type=int, default=15, help="edits of each kind that are timed")
    options = parser.parse_args()
    quick = options.quick
    torch.set_num_threads(1)
    side, repeats, edits = (64, 2, 40) if quick else (512, options.repeats, 1000)
    rows = measure(side, repeats)
    table = Table(*rows[0], title=f"{side} x {side} cells, {SHARE:.0%} of them changed")
    for row in rows:
        entries = [row.get(column, "–") for column in rows[0]]
        table.add_row(*(entry if isinstance(entry, str) else f"{entry:.3g}" for entry in entries))
    Console().print(table)
    equal = equal_edits(edits, 32 if quick else 96)
    lowest = min(float(str(row["anew/replan"])) for row in rows if row["map"] in KINDS)
    print(json.dumps({"speedup": lowest, "rows": rows, "edits": edits, "equal": equal}))


if __name__ == "__main__":
    main()
