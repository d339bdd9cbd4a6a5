"""Scores of policies on demonstrated problems: success, agreement with the moves, and the true cost of routes."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from vinlab.domains.terrain_costs.problem import observe
from vinlab.experiments.base import EvaluateRequest, Evaluation, recorded_data
from vinlab.experiments.results import RunResult
from vinlab.experiments.terrain_costs.data import TerrainCostsData, TerrainCostsSets, make_sets
from vinlab.experiments.terrain_costs.dataset.demonstrations import moves_of
from vinlab.experiments.terrain_costs.dataset.read import read_dataset
from vinlab.experiments.terrain_costs.dataset.record import PathDataset, ReadingOptions
from vinlab.learners.callbacks import Progress, no_progress
from vinlab.models import Model
from vinlab.navigation.greedy import follow_moves, greedy_moves
from vinlab.networks.terrain.ground_vin import GroundVin
from vinlab.planning.cell_costs import cheapest_moves, path_cost
from vinlab.types import Demonstrations, InputError

BATCH = 32
"""Problems that are planned together."""

GENERATED = "generated"
"""What a manifest names as the source of data that are not real."""


@dataclass(frozen=True)
class PathScores:
    """The scores of a policy on a set of demonstrated problems; start and goal are the ends of each path."""

    num_problems: int
    num_unsolvable: int
    """Problems without a path to the goal: none, as each was demonstrated."""
    success_rate: float
    """Share of problems in which the policy's moves reach the goal without entering a blocked cell."""
    move_agreement: float
    """Share of the demonstrated moves that the policy would have made in the same cells."""
    cost_ratio_mean: float | None = None
    """True cost of the route / cost of the cheapest one, over the problems in which the goal is reached."""
    cost_ratio_median: float | None = None
    demonstrated_ratio_mean: float | None = None
    """The same ratio of the demonstrated paths."""
    straight_ratio_mean: float | None = None
    """The same ratio of the shortest route, which ignores the costs."""

    def to_plain(self) -> dict[str, Any]:
        """The scores that were measured."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True)
class Episode:
    """What a policy did on one problem."""

    image: int
    path: np.ndarray
    """Its own."""
    demonstrated: np.ndarray
    reached: bool
    agreed: int
    costs: np.ndarray | None
    """The learned cost of each cell, where the policy has them."""


def episodes(policy: Any, dataset: PathDataset, progress: Progress = no_progress) -> list[Episode]:
    """The route of a policy on each problem, in their order."""
    policy.eval()
    found: dict[int, Episode] = {}
    for batch in _same_shapes(dataset):
        found.update(zip(batch, _run(policy, dataset, batch), strict=True))
        progress(len(found), len(dataset), "problems")
    return [found[number] for number in range(len(dataset))]


def _same_shapes(dataset: PathDataset) -> Iterator[list[int]]:
    """Batches of problems on images of one size."""
    shapes = [dataset.shapes[image] for image in dataset.path_image]
    for _, group in groupby(sorted(range(len(dataset)), key=shapes.__getitem__), key=shapes.__getitem__):
        numbers = list(group)
        yield from (numbers[first : first + BATCH] for first in range(0, len(numbers), BATCH))


@torch.no_grad()
def _run(policy: Any, dataset: PathDataset, batch: list[int]) -> list[Episode]:
    images = dataset.path_image[batch]
    blocked = np.stack([dataset.blocked[image] for image in images])
    paths = [dataset.paths[number] for number in batch]
    goals = np.stack([path[-1] for path in paths])
    observations = observe(
        np.stack([dataset.images[image] for image in images]), blocked, goals, dataset.pixels
    )
    plan = policy.plan(observations)
    moves = greedy_moves(policy, plan, len(batch), (blocked.shape[1], blocked.shape[2]))
    learned = policy.encode(observations[:, :-1]) if isinstance(policy, GroundVin) else None
    found = []
    for number, path in enumerate(paths):
        ends = _cell(path[0]), _cell(path[-1])
        own, reached = follow_moves(moves[number], blocked[number].astype(np.uint8), *ends)
        agreed = int((moves[number][tuple(path[:-1].T)] == moves_of(path)).sum())
        costs = None if learned is None else learned.costs[number].numpy()
        found.append(Episode(int(images[number]), own, path, reached, agreed, costs))
    return found


def _cell(position: np.ndarray) -> tuple[int, int]:
    return int(position[0]), int(position[1])


def evaluate_policy(policy: Any, dataset: PathDataset, progress: Progress = no_progress) -> PathScores:
    """The scores of a policy, which sees images, blocked cells and goals alone, on all problems."""
    found = episodes(policy, dataset, progress)
    moves = sum(len(one.demonstrated) - 1 for one in found)
    scores = PathScores(
        num_problems=len(found),
        num_unsolvable=0,
        success_rate=float(np.mean([one.reached for one in found])),
        move_agreement=sum(one.agreed for one in found) / moves,
    )
    if dataset.costs is None:
        return scores
    ratios = cost_ratios(found, dataset)
    own = ratios[:, 0][[one.reached for one in found]]
    return replace(
        scores,
        cost_ratio_mean=float(own.mean()) if len(own) else None,
        cost_ratio_median=float(np.median(own)) if len(own) else None,
        demonstrated_ratio_mean=float(ratios[:, 1].mean()),
        straight_ratio_mean=float(ratios[:, 2].mean()),
    )


def cost_ratios(found: list[Episode], dataset: PathDataset) -> np.ndarray:
    """For each problem the true cost of the policy's, the demonstrated and the shortest path, by the cheapest one."""
    assert dataset.costs is not None
    ratios = []
    for one in found:
        costs, blocked = dataset.costs[one.image], dataset.blocked[one.image]
        start, goal = _cell(one.demonstrated[0]), one.demonstrated[-1:]
        best = float(cheapest_moves(costs[None], goal, blocked[None])[1][0][start])
        moves, _ = cheapest_moves(np.ones_like(costs)[None], goal, blocked[None])
        straight, _ = follow_moves(
            np.maximum(moves[0], 0).astype(np.int64), blocked.astype(np.uint8), start, _cell(goal[0])
        )
        paths = (one.path, one.demonstrated, straight)
        ratios.append([path_cost(costs, path) / max(best, 1e-12) for path in paths])
    return np.array(ratios)


def move_agreement(policy: nn.Module, part: Demonstrations) -> float:
    """How many of the demonstrated moves the policy would have made."""
    logits: Tensor = policy(part.observations, part.states)[0]
    chosen = part.moves.gather(-1, logits.argmax(dim=-1, keepdim=True))[..., 0]
    return float((chosen * part.weights).sum())


def score(config: Any, data: TerrainCostsSets, network: Any, seed: int) -> RunResult:
    """The scores on the held-out pictures."""
    split = data.split
    extra = {
        "images": {"train": len(split.train.images), "test": len(split.test.images)},
        "paths": {"train": len(split.train), "test": len(split.test)},
    }
    return RunResult(scores=evaluate_policy(network, split.test).to_plain(), extra=extra)


def evaluate(model: Model, request: EvaluateRequest) -> Evaluation:
    """The scores of a model on the problems of a file or folder, or on those that its run held out."""
    request.refuse(
        model.id, iterations="it plans until the value settles", corner_cutting="its moves may pass corners"
    )
    if request.problems:
        pixels = model.network.pixels
        dataset = read_dataset(request.problems, ReadingOptions(pixels=pixels if pixels > 1 else None))
    else:
        dataset = held_out(model, request.data)
    require_fitting(model, dataset)
    return Evaluation(evaluate_policy(model.network, dataset, request.progress).to_plain(), {})


def held_out(model: Model, data: Path | None) -> PathDataset:
    """The images that the run of a model held out; those of a dataset need it again."""
    source = model.config["data"].get("source", GENERATED)
    if source != GENERATED and data is None:
        raise InputError(
            f"expected --problems, or --data with {source}, on which {model.id} was trained, got none."
        )
    return make_sets(recorded_data(TerrainCostsData, model.config), data, seed=0).split.test


def require_fitting(model: Model, dataset: PathDataset) -> None:
    """The images have the channels and the cells that the network was trained with."""
    network = model.config["network"]
    if dataset.channels != len(network["mean"]):
        raise InputError(
            f"{dataset.name}: expected images of {len(network['mean'])} channels, as {model.id} was trained with, got "
            f"{dataset.channels}."
        )
    if dataset.pixels != network["pixels"]:
        raise InputError(
            f"{dataset.name}: expected cells of {network['pixels']} pixels, as {model.id} was trained with, got "
            f"{dataset.pixels}."
        )
