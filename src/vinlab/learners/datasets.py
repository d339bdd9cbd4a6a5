"""Demonstrations on several sets of tasks, each with its own map size and depth of planning."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from vinlab.learners.imitation import summed_nll
from vinlab.types import Demonstrations


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

    def __len__(self) -> int:
        return int(self._ends[-1])

    def __getitem__(self, chosen: Tensor) -> list[TaskSet]:
        """The chosen problems by set; without any problem, the first set with none of its problems."""
        sets = torch.searchsorted(self._ends, chosen, right=True)
        return [
            TaskSet(tasks.demonstrations[self._within(index, chosen[sets == index])], tasks.iterations)
            for index, tasks in enumerate(self.task_sets)
            if (sets == index).any() or (index == 0 and not len(chosen))
        ]

    def _within(self, index: int, chosen: Tensor) -> Tensor:
        """Indices among all problems as indices within one set."""
        return chosen - (int(self._ends[index - 1]) if index else 0)


class MixtureLoss(nn.Module):
    """The policy with its loss on several sets of tasks, each planned with its own number of backups."""

    def __init__(self, policy: nn.Module) -> None:
        super().__init__()
        self.policy = policy

    def forward(self, batch: list[TaskSet]) -> Float[Tensor, ""]:
        """The sum of the losses of all states in the batch."""
        losses = [
            summed_nll(self.policy, tasks.demonstrations, iterations=tasks.iterations) for tasks in batch
        ]
        return torch.stack(losses).sum()
