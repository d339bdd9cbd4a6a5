"""Random worlds with something to see: a start far from the goal, and obstacles between them."""

from typing import Any

import numpy as np

from vinlab.domains.gridworld.expert import solve
from vinlab.domains.gridworld.gallery import GALLERY, gallery_problem
from vinlab.domains.gridworld.mazes import MazeConfig
from vinlab.domains.gridworld.problem import GridworldConfig, sample_problems
from vinlab.serve.schemas import WorldRequest, world_response
from vinlab.types import GridProblems

TRIES = 8
"""Maps of which the one with the longest detour is shown."""


def random_world(request: WorldRequest) -> dict[str, Any]:
    """A random map with a start and a goal; mazes have odd sizes, so they may be a cell smaller."""
    height, width, family = request.height, request.width, None
    if request.kind == "maze":
        height, width, family = height - 1 + height % 2, width - 1 + width % 2, MazeConfig()
    rng = np.random.default_rng(request.seed)
    problems = sample_problems(GridworldConfig(size=(height, width), family=family), TRIES, rng=rng)
    starts, costs = far_starts(problems, rng)
    best = int((costs - _free_lengths(starts, problems.goals)).argmax())
    return world_response(problems.obstacles[best], starts[best], problems.goals[best])


def far_starts(problems: GridProblems, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """For each problem one of the tenth of the cells with the longest paths to the goal, and how long its path is."""
    chosen = [_far_start(costs, rng) for costs in solve(problems).costs]
    return np.array([start for start, _ in chosen]), np.array([cost for _, cost in chosen])


def _far_start(costs: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, float]:
    cells = np.argwhere(np.isfinite(costs) & (costs > 0))
    order = np.argsort(costs[tuple(cells.T)], kind="stable")
    start = cells[rng.choice(order[-max(1, len(order) // 10) :])]
    return start, float(costs[tuple(start)])


def _free_lengths(starts: np.ndarray, goals: np.ndarray) -> np.ndarray:
    """How long the paths would be without obstacles."""
    across, down = np.abs(starts - goals).T
    return np.maximum(across, down) + (np.sqrt(2) - 1) * np.minimum(across, down)


def gallery_worlds() -> list[dict[str, Any]]:
    """The name of each map, what it is, its cells and its ends."""
    problems = {name: gallery_problem(name) for name in GALLERY}
    return [
        {"name": name, "about": GALLERY[name].about}
        | world_response(one.obstacles[0], one.starts[0], one.goals[0])
        for name, one in problems.items()
    ]
