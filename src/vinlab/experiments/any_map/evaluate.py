"""Kinds of maps by name, and how well a model does on one of them: from its starts, and from all of its cells."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from vinlab.domains.gridworld.mazes import MazeConfig
from vinlab.domains.gridworld.obstacles import ObstacleConfig, ScatterConfig
from vinlab.domains.gridworld.problem import GridworldConfig, sample_problems
from vinlab.evaluation import metrics
from vinlab.models import Model
from vinlab.navigation.adaptive import think
from vinlab.navigation.routes import Judged, judge, summarise
from vinlab.planning.exact import cost_to_go
from vinlab.types import GridProblems, Iterations

DISTANCES = (0, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 10240)
"""Where the classes of distance to the goal begin, and the last one ends."""


@dataclass(frozen=True)
class MapKind:
    """Maps of one size and family."""

    size: int
    family: ObstacleConfig | ScatterConfig | MazeConfig | None = None
    """Without it, the paper's obstacles."""

    @property
    def name(self) -> str:
        """Such as ``mazes 31``, in which no wall is taken away, or ``mazes 31, 10 % open``."""
        if isinstance(self.family, ScatterConfig):
            return f"scattered {self.size}, {100 * self.family.density:.0f} %"
        if isinstance(self.family, MazeConfig):
            opened = f", {100 * self.family.removed_walls:.0f} % open" if self.family.removed_walls else ""
            return f"mazes {self.size}{opened}"
        if isinstance(self.family, ObstacleConfig):
            return f"blocks {self.size}"
        return f"paper {self.size}"

    def sample(
        self,
        count: int,
        *,
        stream: int,
        apart_from: Iterable[GridProblems] = (),
        corner_cutting: bool = True,
    ) -> GridProblems:
        """Problems that the stream decides, with the map and goal of none of the others."""
        key = int.from_bytes(self.name.encode(), "little")
        config = GridworldConfig(size=self.size, family=self.family, corner_cutting=corner_cutting)
        rng = np.random.default_rng([stream, key])
        return sample_problems(config, count, rng=rng, apart_from=apart_from)


def paper(size: int) -> MapKind:
    """Maps with the paper's obstacles."""
    return MapKind(size)


def blocks(size: int) -> MapKind:
    """Maps with a few obstacles that are large, as houses and rocks are."""
    return MapKind(size, ObstacleConfig(max_obstacles=size // 2, max_size=size / 5))


def scattered(size: int, density: float = 0.25) -> MapKind:
    """Maps whose cells are blocked by chance."""
    return MapKind(size, ScatterConfig(density))


def mazes(size: int, removed_walls: float = 0.0) -> MapKind:
    """Mazes, perfect ones unless walls are taken away."""
    return MapKind(size, MazeConfig(removed_walls))


def judge_kind(
    model: Model,
    problems: GridProblems,
    *,
    corner_cutting: bool = True,
    iterations: Iterations = None,
    watch: Callable[[], None] = lambda: None,
) -> dict[str, Any]:
    """The scores of a model on problems of one size, K given or chosen for each by thinking; every problem counts.

    Beside the scores of the rollouts: the shares of all cells with a way to the goal from which the model comes
    to it, and by a shortest way, over all of them and by their distance.
    """
    looks = []
    for index in range(len(problems)):
        looks.append(_look(model, problems[index : index + 1], corner_cutting, iterations))
        watch()
    cells = {name: np.concatenate([getattr(look, name) for look in looks]) for name in CELL_FIELDS}
    scores = summarise([look.judged for look in looks])
    backups = [look.iterations for look in looks]
    return {
        "num_problems": scores.num_problems,
        "num_unsolvable": scores.num_unsolvable,
        "success_rate": scores.success_rate,
        "trajectory_difference": scores.trajectory_difference,
        "optimal_action_accuracy": scores.optimal_action_accuracy,
        "prediction_loss": scores.prediction_loss,
        **_shares(cells),
        "mean_iterations": float(np.mean(backups)),
        "most_iterations": int(np.max(backups)),
        "by_distance": _by_distance(cells),
    }


@dataclass(frozen=True)
class Look:
    """What was seen on one map."""

    judged: Judged
    distances: np.ndarray
    """Of all cells with a way to the goal, but the goal."""
    reached: np.ndarray
    lengths: np.ndarray
    iterations: int


CELL_FIELDS = ("distances", "reached", "lengths")


def _look(model: Model, problem: GridProblems, corner_cutting: bool, iterations: Iterations) -> Look:
    costs = cost_to_go(problem.obstacles, problem.goals, corner_cutting=corner_cutting)
    counts = (np.isfinite(costs) & (costs > 0)).reshape(1, -1)
    rules = {"iterations": iterations, "corner_cutting": corner_cutting}
    thought = think(model, problem, wanted=problem.obstacles == 0, **rules)
    used = thought.iterations
    return Look(
        judge(model.network, problem, iterations=used, corner_cutting=corner_cutting),
        costs.reshape(1, -1)[counts],
        thought.ways.reached[counts],
        thought.ways.lengths[counts],
        max(used) if isinstance(used, tuple) else used or 0,
    )


def _shares(cells: dict[str, np.ndarray]) -> dict[str, float]:
    everything = np.ones((1, len(cells["reached"])), bool)
    reached, lengths, distances = (cells[name].reshape(1, -1) for name in ("reached", "lengths", "distances"))
    return {
        "reached_share": metrics.reached_share(reached, everything),
        "optimally_reached_share": metrics.optimally_reached_share(lengths, distances, everything),
    }


def _by_distance(cells: dict[str, np.ndarray]) -> list[dict[str, Any]]:
    """The shares in each class of distance that occurs."""
    found = []
    for low, high in pairwise(DISTANCES):
        within = (cells["distances"] > low) & (cells["distances"] <= high)
        if within.any():
            part = {name: values[within] for name, values in cells.items()}
            found.append({"above": low, "up_to": high, "cells": int(within.sum()), **_shares(part)})
    return found
