"""Value iteration with the compiled kernels against eager PyTorch, side by side in one run."""

import json
import time
from collections.abc import Callable, Sequence

import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor
from torch.nn import functional

from vinlab.planning.bellman import SharedKernels
from vinlab.planning.fused import fused_value_iteration

THREADS = 2
MAPS, SIDE, ACTIONS, ITERATIONS = 128, 28, 10, 36
GROWTH_MAPS = 64  # enough to make the overhead of a call negligible
Planner = Callable[[Tensor, SharedKernels, int], tuple[Tensor, Tensor]]


def eager_value_iteration(reward: Tensor, kernels: SharedKernels, iterations: int) -> tuple[Tensor, Tensor]:
    """Value iteration as it is usually written: concatenate, convolve, maximise, with autograd."""
    weights = torch.cat([kernels.reward, kernels.value], dim=1)
    value = torch.zeros_like(reward)
    for _ in range(iterations):
        q = functional.conv2d(torch.cat([reward, value], dim=1), weights, padding=1)
        value = q.max(dim=1, keepdim=True).values
    return functional.conv2d(torch.cat([reward, value], dim=1), weights, padding=1), value


def problem(maps: int, side: int) -> tuple[Tensor, SharedKernels]:
    """A reward and kernels as after some training: each action weighs a few neighbours, discounted."""
    source = torch.Generator().manual_seed(0)
    reward = torch.randn(maps, 1, side, side, generator=source)
    reward_kernels = torch.randn(ACTIONS, 1, 3, 3, generator=source) / 3
    peaked = torch.softmax(3 * torch.randn(ACTIONS, 9, generator=source), dim=1)
    value_kernels = 0.95 * peaked.view(ACTIONS, 1, 3, 3)
    return reward.requires_grad_(), SharedKernels(
        reward_kernels.requires_grad_(), value_kernels.requires_grad_()
    )


def training_step(planner: Planner, maps: int, side: int, iterations: int) -> Callable[[], object]:
    """Forward and backward, with a gradient that is nonzero everywhere."""
    reward, kernels = problem(maps, side)
    weights = torch.randn(maps, ACTIONS, side, side, generator=torch.Generator().manual_seed(1))

    def step() -> object:
        q, value = planner(reward, kernels, iterations)
        parts = (reward, kernels.reward, kernels.value)
        return torch.autograd.grad((q, value), parts, (weights, weights[:, :1]))

    return step


def planning(planner: Planner, maps: int) -> Callable[[], object]:
    """Forward alone, as in a trained network."""
    reward, kernels = problem(maps, SIDE)

    def plan() -> object:
        with torch.no_grad():
            return planner(reward, kernels, ITERATIONS)

    return plan


def best_times(tasks: Sequence[Callable[[], object]], repeats: int) -> list[float]:
    """The shortest time of each task in seconds; the tasks take turns, so that load on the machine affects all alike.

    A turn is three runs, because PyTorch's worker threads spin for a while after each of its own.
    """
    times = [float("inf")] * len(tasks)
    for task in tasks:
        task()
    for _ in range(repeats):
        for index, task in ((index, task) for index, task in enumerate(tasks) for _ in range(3)):
            start = time.perf_counter()
            task()
            times[index] = min(times[index], time.perf_counter() - start)
    return times


def bytes_kept(planner: Planner, maps: int, side: int, iterations: int) -> int:
    """The bytes that autograd keeps from forward to backward, each storage counted once."""
    reward, kernels = problem(maps, side)
    kept: dict[int, int] = {}

    def note(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        outputs = planner(reward, kernels, iterations)
    del outputs
    return sum(kept.values())


def per_cell_and_backup(planner: Planner, maps: int, side: int, iterations: int) -> float:
    return bytes_kept(planner, maps, side, iterations) / (maps * side * side * iterations)


def compare() -> dict[str, float]:
    """Times of both in milliseconds, and the ratios."""
    planners = (eager_value_iteration, fused_value_iteration)
    results = {}
    for name, tasks, repeats in (
        ("training", [training_step(p, MAPS, SIDE, ITERATIONS) for p in planners], 8),
        ("forward", [planning(p, MAPS) for p in planners], 8),
        ("one_map", [planning(p, 1) for p in planners], 50),
    ):
        eager, ours = best_times(tasks, repeats)
        results |= {
            f"{name}_eager_ms": 1e3 * eager,
            f"{name}_ms": 1e3 * ours,
            f"{name}_speedup": eager / ours,
        }
    return results


def growth(maps: int, sizes: Sequence[tuple[int, int]]) -> list[dict[str, float]]:
    """Time and memory of a training step for each side and number of iterations."""
    tasks = [training_step(fused_value_iteration, maps, side, iterations) for side, iterations in sizes]
    return [
        {
            "side": side,
            "iterations": iterations,
            "ms": 1e3 * seconds,
            "ns_per_cell_and_backup": 1e9 * seconds / (maps * side * side * iterations),
            "bytes_per_cell_and_backup": per_cell_and_backup(fused_value_iteration, maps, side, iterations),
        }
        for (side, iterations), seconds in zip(sizes, best_times(tasks, 7), strict=True)
    ]


def show(results: dict[str, float], rows: list[dict[str, float]]) -> None:
    """The results as two tables."""
    console = Console()
    table = Table(
        "", "PyTorch ms", "vinlab ms", "ratio", title=f"{MAPS} maps of {SIDE}x{SIDE}, K = {ITERATIONS}"
    )
    for name, words in (
        ("training", "forward + backward"),
        ("forward", "forward"),
        ("one_map", "forward, one map"),
    ):
        numbers = (results[f"{name}_eager_ms"], results[f"{name}_ms"], results[f"{name}_speedup"])
        table.add_row(words, *(f"{number:.2f}" for number in numbers))
    console.print(table)
    grown = Table(
        *(key.replace("_", " ") for key in rows[0]),
        title=f"growth with K and with the map, {GROWTH_MAPS} maps",
    )
    for row in rows:
        grown.add_row(*(f"{number:.4g}" for number in row.values()))
    console.print(grown)


def main() -> None:
    torch.set_num_threads(THREADS)
    results = compare()
    rows = growth(GROWTH_MAPS, [(28, 36), (28, 72), (28, 144), (28, 360), (56, 36), (112, 36)])
    kept = per_cell_and_backup(fused_value_iteration, MAPS, SIDE, ITERATIONS)
    kept_eager = per_cell_and_backup(eager_value_iteration, MAPS, SIDE, ITERATIONS)
    show(results, rows)
    print(f"kept for backward per cell and backup: {kept:.2f} bytes; PyTorch: {kept_eager:.0f} bytes")
    summary = {"speedup": results["training_speedup"], "bytes_per_cell_and_backup": kept}
    summary |= {"eager_bytes_per_cell_and_backup": kept_eager, "threads": THREADS} | results
    print(json.dumps({**{key: round(number, 4) for key, number in summary.items()}, "growth": rows}))


if __name__ == "__main__":
    main()
