"""Kernels of the cell against eager PyTorch, and the price of layers, side by side in one run."""

import argparse
import json
import time
from collections.abc import Callable

import torch
from torch import Tensor

from vinlab.planning.bellman import LocalKernels, value_iteration
from vinlab.planning.costs import CostMap
from vinlab.planning.fused.local_function import fused_local_value_iteration
from vinlab.planning.layered import LayeredPlanner, LayeredTransition
from vinlab.planning.layered_search import LayeredCostMap, LayeredShortestPathPlanner
from vinlab.planning.moves import LayeredMoves, differential_drive, grid_moves
from vinlab.planning.shortest_path import ShortestPathPlanner

MAPS, SIDE, ACTIONS, ITERATIONS = 32, 28, 4, 36


def fastest(steps: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """The least processor time of each step in milliseconds; steps take turns, so that all meet the same machine."""
    times = dict.fromkeys(steps, float("inf"))
    for _ in range(repeats + 1):
        for name, step in steps.items():
            began = time.process_time()
            step()
            times[name] = min(times[name], 1e3 * (time.process_time() - began))
    return times


def local_step(planner: Callable, source: torch.Generator) -> Callable[[], object]:
    """Forward and backward with kernels of the cell."""
    reward = torch.randn(MAPS, 1, SIDE, SIDE, generator=source).requires_grad_()
    shape = (MAPS, ACTIONS, 1, 3, 3, SIDE, SIDE)
    first, second = (torch.rand(shape, generator=source).div(9).requires_grad_() for _ in range(2))
    kernels = LocalKernels(first, second)
    weights = torch.randn(MAPS, ACTIONS, SIDE, SIDE, generator=source)

    def step() -> object:
        q, _ = planner(reward, kernels, ITERATIONS)
        return torch.autograd.grad(q, (reward, kernels.reward, kernels.value), weights)

    return step


def costs_of(moves: LayeredMoves) -> tuple[Tensor, Tensor]:
    """Random costs and a goal."""
    source = torch.Generator().manual_seed(0)
    shape = (4 * MAPS, moves.num_layers, moves.num_actions, SIDE, SIDE)
    costs = (1 + torch.rand(shape, generator=source)).requires_grad_()
    terminals = torch.zeros(4 * MAPS, moves.num_layers, SIDE, SIDE, dtype=torch.bool)
    terminals[:, 0, 5, 5] = True
    return costs, terminals


def search_step(moves: LayeredMoves) -> Callable[[], object]:
    """Forward and backward of the search over layers."""
    costs, terminals = costs_of(moves)
    planner = LayeredShortestPathPlanner()
    return lambda: torch.autograd.grad(planner(LayeredCostMap(costs, terminals), moves).q.sum(), costs)


def flat_step(moves: LayeredMoves) -> Callable[[], object]:
    """The same by the planner of a flat grid itself."""
    costs, terminals = costs_of(moves)
    planner, table = ShortestPathPlanner(), moves.flat
    return lambda: torch.autograd.grad(planner(CostMap(costs[:, 0], terminals[:, 0]), table).q.sum(), costs)


def backups_step(moves: LayeredMoves) -> Callable[[], object]:
    """Forward and backward of K backups over layers."""
    costs, _ = costs_of(moves)
    discounts = torch.full((moves.num_layers, moves.num_actions), 0.99, requires_grad=True)
    planner = LayeredPlanner(iterations=ITERATIONS)
    transition = LayeredTransition(moves, discounts)
    return lambda: torch.autograd.grad(planner(-costs, transition).q.sum(), (costs, discounts))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=15)
    repeats = parser.parse_args().repeats
    torch.set_num_threads(1)
    source = torch.Generator().manual_seed(0)
    four, drive = grid_moves(4), differential_drive(4)
    local = fastest(
        {
            "compiled": local_step(fused_local_value_iteration, source),
            "eager": local_step(value_iteration, source),
        },
        repeats,
    )
    search = fastest(
        {"flat": flat_step(four), "one layer": search_step(four), "4 headings": search_step(drive)}, repeats
    )
    backups = fastest({"one layer": backups_step(four), "4 headings": backups_step(drive)}, repeats)
    record = {
        "local_kernels_ms": local,
        "search_ms": search,
        "backups_ms": backups,
        "one_layer_to_flat": search["one layer"] / search["flat"],
        "headings_to_one_layer_search": search["4 headings"] / search["one layer"],
        "headings_to_one_layer_backups": backups["4 headings"] / backups["one layer"],
        "speedup": local["eager"] / local["compiled"],
    }
    for name, value in record.items():
        print(name, value)
    print(json.dumps(record))


if __name__ == "__main__":
    main()
