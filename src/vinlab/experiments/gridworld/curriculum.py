"""The first part of a training from noise: states near the goal, read from plans with few backups.

A network of random weights learns little from a plan of many backups, because nothing flows through it yet. Near the
goal few backups suffice; there the kernels become moves, which longer plans then use.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor

from vinlab.domains.gridworld.problem import observe
from vinlab.experiments.base import FitContext
from vinlab.experiments.gridworld.data import GridworldSets
from vinlab.experiments.gridworld.evaluate import validate
from vinlab.experiments.gridworld.rows import begin_as_authors
from vinlab.experiments.gridworld.settings import GridworldTraining, NearGoal
from vinlab.learners.callbacks import CollectingLogger
from vinlab.learners.datasets import StateRows
from vinlab.learners.imitation import ImitationLoss, imitate
from vinlab.networks.grid.learned_moves import kernels_of, moves_of_plan
from vinlab.types import InputError

SEEDS_APART = 1000
"""Between the seeds of the starts of one training, so that trainings share none."""

LOW_LOSS = 1.25
"""Times the least loss of all starts."""


@dataclass(frozen=True)
class _Start:
    """The weights that began with one seed, after a part of the curriculum."""

    seed: int
    weights: dict[str, Tensor]
    loss: float = 0.0
    moves: int = 0
    """How many moves its plans use."""


def train_near_goal(
    config: GridworldTraining, data: GridworldSets, network: Any, context: FitContext
) -> None:
    """Go through the curriculum from several initial weights and leave the network with the best result.

    Where goal and obstacles begin with rewards of the same sign, training seldom recovers, and where two kernels become
    the same move, another one stays missing. So the better starts alone go on after a part, and the best one in the
    end. The curriculum is short and leaves no checkpoint; a run that was killed in it begins anew, a later one has it
    behind it.
    """
    if context.logger.load_checkpoint() is not None:
        return
    starts = []
    for seed in range(context.seed, context.seed + SEEDS_APART * config.starts, SEEDS_APART):
        begin_as_authors(network, len(data.training), config.learning.batch_problems, seed)
        starts.append(_Start(seed, _weights_of(network)))
    for part in config.curriculum:
        trained = [_train_part(config, data, network, context, part, start) for start in starts]
        starts = best_starts(trained, part.kept or len(trained))
    network.load_state_dict(starts[0].weights)


def _weights_of(network: Any) -> dict[str, Tensor]:
    return {name: entry.clone() for name, entry in network.state_dict().items()}


def best_starts(starts: Sequence[_Start], count: int) -> list[_Start]:
    """The best first: those with a low loss, of these the ones whose plans use most moves."""
    highest = LOW_LOSS * min(start.loss for start in starts)
    ranked = sorted(starts, key=lambda start: (start.loss > highest, -start.moves, start.loss))
    return ranked[:count]


def near_goal(rows: StateRows, distance: int) -> StateRows:
    """The states with so many rows and columns at most to the goal, packed into rows of the same length.

    The last row of a problem may have fewer states; the others of it have no weight.
    """
    near = (rows.states - _goals(rows)[rows.owners, None]).abs().amax(dim=-1) <= distance
    owners, order = rows.owners[:, None].expand(near.shape)[near].sort(stable=True)
    length = near.shape[1]
    counts = owners.bincount(minlength=len(rows.observations))
    needed = -(-counts // length)
    place = torch.arange(len(owners)) - (counts.cumsum(0) - counts)[owners]
    row, slot = (needed.cumsum(0) - needed)[owners] + place // length, place % length

    def pack(part: Tensor) -> Tensor:
        packed = part.new_zeros(int(needed.sum()), length, *part.shape[2:])
        packed[row, slot] = part[near][order]
        return packed

    problems = torch.arange(len(counts)).repeat_interleave(needed)
    return StateRows(rows.observations, problems, *map(pack, (rows.states, rows.moves, rows.weights)))


def _goals(rows: StateRows) -> Int[Tensor, "B 2"]:
    """The goal of each problem, by the channel that marks it."""
    marks = rows.observations[:, 1]
    cell = marks.flatten(1).argmax(dim=1)
    return torch.stack([cell // marks.shape[-1], cell % marks.shape[-1]], dim=-1)


def _train_part(
    config: GridworldTraining,
    data: GridworldSets,
    network: Any,
    context: FitContext,
    part: NearGoal,
    start: _Start,
) -> _Start:
    """Train on the states of one part, and log its metrics with what the network then does with its own K."""
    if data.rows is None:
        raise InputError("curriculum: expected a training on rows of states, got one on all states of a map.")
    epochs = CollectingLogger()
    network.load_state_dict(start.weights)
    imitate(
        network,
        near_goal(data.rows, part.distance),
        replace(config.learning, stages=(part.stage,), keep="last"),
        seed=start.seed,
        loss=partial(ImitationLoss, iterations=part.iterations),
        record=epochs,
        progress=context.progress,
    )
    loss, moves = epochs.metrics[-1]["loss"], moves_in_use(network.eval(), data)
    context.logger.log(
        {
            "stage": f"within {part.distance}",
            "start": start.seed,
            "loss": loss,
            "cpu_seconds": sum(metrics["cpu_seconds"] for metrics in epochs.metrics),
            "moves": moves,
            **validate(data, network).metrics,
        }
    )
    return _Start(start.seed, _weights_of(network), loss, moves)


def moves_in_use(network: Any, data: GridworldSets) -> int:
    """To how many neighbours the plans of the validation maps lead, by the kernels that win."""
    kernels, problems = kernels_of(network), data.validation
    if kernels is None:
        return 0
    with torch.no_grad():
        plan = network.plan(observe(problems.obstacles, problems.goals).to(kernels.value.device))
    return len(moves_of_plan(plan, kernels, problems.obstacles == 0))
