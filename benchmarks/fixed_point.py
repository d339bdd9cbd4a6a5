"""Planning to the fixed point against unrolled backups and against SciPy, on one core; growth with the map.

The last line is one JSON object. ``speedup`` and ``memory_ratio``: forward and backward on eight mazes of 101 x 101
against the fused kernels with K = 2,040. ``plan_512_ms``: a plan on a 512 x 512 map with its costs computed anew,
``further_goal_512_ms``: with the costs at hand. ``search_against_scipy``: how many times as long SciPy's Dijkstra takes
on the same weighted graph. ``--quick`` leaves out what takes long, to see that everything runs.
"""

import argparse
import json
import multiprocessing
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from rich.console import Console
from rich.table import Table
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra
from torch import Tensor

from vinlab.domains.gridworld.mazes import MazeConfig
from vinlab.domains.gridworld.problem import observe
from vinlab.networks.grid.fixed_point import FixedPointVinConfig
from vinlab.planning.bellman import SharedKernels
from vinlab.planning.costs import CostMap, MoveTable, memory_needed, terminals_at
from vinlab.planning.fused import fused_value_iteration
from vinlab.planning.shortest_path import ShortestPathPlanner
from vinlab.types import MOVE_OFFSETS

MAPS, SIDE, ITERATIONS = 8, 101, 2040
WALL = 1e4
"""What a wall costs; a step costs 1."""

Step = Callable[[], object]


def mazes(side: int, count: int) -> tuple[Tensor, Tensor]:
    """Costs ``[B 1 H W]`` of entering the cells of perfect mazes, and their terminal cells."""
    maps, goals = MazeConfig(0.0).draw(side, side, count, rng=np.random.default_rng(0))
    costs = torch.from_numpy(np.where(maps == 1, WALL, 1.0).astype(np.float32))[:, None]
    return costs, terminals_at(goals[:, None], side, side)


def fixed_point_step(side: int, count: int) -> Step:
    """Forward and backward through the search."""
    cells, terminals = mazes(side, count)
    costs = entering(cells).requires_grad_()
    planner = ShortestPathPlanner()

    def step() -> object:
        plan = planner(CostMap(costs, terminals))
        return torch.autograd.grad((plan.q, plan.value), costs, (plan.q.sign(), plan.value.sign()))

    return step


def entering(cells: Tensor) -> Tensor:
    """The cost of each move: its length times the cost of the cell that it leads to."""
    shifted = [cells.roll((-down, -right), dims=(2, 3)) for down, right in MOVE_OFFSETS.tolist()]
    lengths = torch.as_tensor(MoveTable().lengths, dtype=torch.float32)
    return torch.cat(shifted, dim=1) * lengths[:, None, None]


def unrolled_step(side: int, count: int, iterations: int) -> Step:
    """Forward and backward through as many backups of the fused kernels."""
    cells, _ = mazes(side, count)
    moves = torch.zeros(len(MOVE_OFFSETS), 1, 3, 3)
    for move, (row, col) in enumerate(MOVE_OFFSETS.tolist()):
        moves[move, 0, 1 + row, 1 + col] = 1.0
    reward, kernels = (-cells).requires_grad_(), SharedKernels(moves.clone(), moves.clone())

    def step() -> object:
        q, value = fused_value_iteration(reward, kernels, iterations)
        return torch.autograd.grad((q, value), reward, (q.sign(), value.sign()))

    return step


def seconds(step: Step, repeats: int) -> float:
    """The least of some runs, after one to warm up."""
    step()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    return min(times)


def peak_memory(kind: str, count: int, iterations: int) -> int:
    """Bytes by which a training step raises the memory of a process of its own, which has compiled all before."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_peak_memory, (kind, count, iterations))


def _peak_memory(kind: str, count: int, iterations: int) -> int:
    torch.set_num_threads(1)

    def make(side: int, count: int, iterations: int) -> Step:
        return fixed_point_step(side, count) if kind == "search" else unrolled_step(side, count, iterations)

    make(15, 1, 2)()
    step = make(SIDE, count, iterations)
    before = _bytes_of("VmRSS")
    step()
    return _bytes_of("VmHWM") - before


def _bytes_of(field: str) -> int:
    """Memory of this process in use (VmRSS) or at its peak (VmHWM), as Linux tells it."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(field))


def against_unrolled(count: int, iterations: int) -> dict[str, float]:
    ours, theirs = (
        seconds(fixed_point_step(SIDE, count), 5),
        seconds(unrolled_step(SIDE, count, iterations), 2),
    )
    memory = {kind: peak_memory(kind, count, iterations) for kind in ("search", "unrolled")}
    return {
        "fixed_point_ms": 1e3 * ours,
        "unrolled_ms": 1e3 * theirs,
        "speedup": theirs / ours,
        "fixed_point_mb": memory["search"] / 2**20,
        "unrolled_mb": memory["unrolled"] / 2**20,
        "memory_ratio": memory["search"] / memory["unrolled"],
    }


def plans(side: int, repeats: int) -> dict[str, float]:
    """Milliseconds of a plan with costs computed anew, and for a further goal; the same search by SciPy."""
    maps = (np.random.default_rng(0).random((1, side, side)) < 0.25).astype(np.uint8)
    observation = observe(maps, np.array([[side // 2, side // 2]]))
    network = FixedPointVinConfig().build().eval()
    with torch.no_grad():
        problem = network.reward(observation)
        known = CostMap(problem.costs.contiguous(), problem.terminals)
        anew = seconds(lambda: network.plan(observation), repeats)
        further = seconds(lambda: network.planner(known), repeats)
    graph, goal = graph_of(known.costs[0].numpy()), side // 2 * side + side // 2
    scipy = seconds(lambda: dijkstra(graph, indices=goal), 3)
    return {
        "plan_512_ms": 1e3 * anew,
        "further_goal_512_ms": 1e3 * further,
        "scipy_512_ms": 1e3 * scipy,
        "search_against_scipy": scipy / further,
    }


def graph_of(costs: np.ndarray) -> csr_matrix:
    """The moves between all cells as SciPy wants them, turned round so that paths begin at the goal."""
    rows, cols = costs.shape[1:]
    row, col = (index.ravel() for index in np.indices((rows, cols)))
    parts = []
    for move, (down, right) in enumerate(MOVE_OFFSETS.tolist()):
        stays = (row + down >= 0) & (row + down < rows) & (col + right >= 0) & (col + right < cols)
        sources = np.nonzero(stays)[0]
        parts.append((costs[move].ravel()[stays], sources + down * cols + right, sources))
    weights, targets, sources = (np.concatenate(part) for part in zip(*parts, strict=True))
    return csr_matrix((weights.astype(np.float64), (targets, sources)), shape=(rows * cols,) * 2)


def growth(sides: list[int]) -> list[dict[str, float]]:
    """Time and memory of a plan for each side."""
    found = []
    for side in sides:
        costs = torch.rand(1, len(MOVE_OFFSETS), side, side, generator=torch.Generator().manual_seed(0)) + 1
        terminals = terminals_at(np.array([[[side // 2, side // 2]]]), side, side)
        took = seconds(
            lambda c=costs, t=terminals: ShortestPathPlanner()(CostMap(c, t)), 2 if side > 1024 else 5
        )
        found.append(
            {
                "side": side,
                "ms": 1e3 * took,
                "ns_per_cell": 1e9 * took / side**2,
                "stated_mb": memory_needed(costs.shape, item=4) / 2**20,
            }
        )
    return found


def show(figures: dict[str, float], rows: list[dict[str, float]]) -> None:
    """The figures as two tables."""
    console, table = Console(), Table("", "", title=f"{MAPS} mazes of {SIDE} x {SIDE}; a map of 512 x 512")
    for name, number in figures.items():
        table.add_row(name.replace("_", " "), f"{number:.4g}")
    console.print(table)
    grown = Table(*(key.replace("_", " ") for key in rows[0]), title="growth with the map")
    for row in rows:
        grown.add_row(*(f"{number:.4g}" for number in row.values()))
    console.print(grown)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    torch.set_num_threads(1)
    figures = against_unrolled(1 if quick else MAPS, 100 if quick else ITERATIONS)
    figures |= plans(64 if quick else 512, 2 if quick else 10)
    rows = growth([64, 128] if quick else [64, 128, 256, 512, 1024, 2048, 4096])
    show(figures, rows)
    print(json.dumps({**{key: round(number, 4) for key, number in figures.items()}, "growth": rows}))


if __name__ == "__main__":
    main()
