"""Datasets for imitation: some states of a problem at a time, or several sets of tasks with their own map size."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from vinlab.learners.imitation import summed_nll
from vinlab.learners.losses import PolicyLoss
from vinlab.types import Demonstrations


@dataclass(frozen=True)
class StateRows:
    """Rows of as many states each, every row from one problem; a problem with more states has several rows."""

    observations: Float[Tensor, "B C H W"]
    """Of each problem, however many rows it has."""
    owners: Int[Tensor, " N"]
    """The problem of each row."""
    states: Int[Tensor, "N S 2"]
    moves: Bool[Tensor, "N S M"]
    weights: Float[Tensor, "N S"]

    def __len__(self) -> int:
        return len(self.owners)

    def __getitem__(self, chosen: Tensor) -> Demonstrations:
        """Some rows, each with the observation of its problem."""
        observations = self.observations[self.owners[chosen]]
        return Demonstrations(observations, self.states[chosen], self.moves[chosen], self.weights[chosen])

    def rows(self, chosen: slice | Bool[Tensor, " N"]) -> "StateRows":
        """Some rows, with the observations of all problems."""
        parts = (part[chosen] for part in (self.owners, self.states, self.moves, self.weights))
        return StateRows(self.observations, *parts)


@dataclass(frozen=True)
class TaskSet:
    """Demonstrations on maps of one size, with the number of backups that they need."""

    demonstrations: Demonstrations
    iterations: int | None


class MixedDemonstrations:
    """Several sets of tasks as one dataset; a choice of problems gives those chosen from each set."""

    def __init__(self, task_sets: Sequence[TaskSet]) -> None:
        self.task_sets = tuple(task_sets)
        self.weights = torch.cat([tasks.demonstrations.weights.sum(dim=1) for tasks in self.task_sets])
        self._ends = torch.tensor([len(tasks.demonstrations) for tasks in self.task_sets]).cumsum(0)
        self._firsts = [0, *self._ends.tolist()]

    def __len__(self) -> int:
        return int(self._ends[-1])

    def __getitem__(self, chosen: Tensor) -> list[TaskSet]:
        """The chosen problems by set; without any problem, the first set with none of its problems."""
        sets = torch.searchsorted(self._ends, chosen, right=True)
        return [
            TaskSet(tasks.demonstrations[chosen[sets == index] - self._firsts[index]], tasks.iterations)
            for index, tasks in enumerate(self.task_sets)
            if (sets == index).any() or (index == 0 and not len(chosen))
        ]


class MixtureLoss(PolicyLoss):
    """The policy with its loss on several sets of tasks, each planned with its own number of backups."""

    def forward(self, batch: list[TaskSet]) -> Float[Tensor, ""]:
        """The sum of the losses of all states in the batch."""
        losses = [
            summed_nll(self.policy, tasks.demonstrations, iterations=tasks.iterations) for tasks in batch
        ]
        return torch.stack(losses).sum()
