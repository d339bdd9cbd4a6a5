"""Lessons on maps of several kinds, each kind with a size and a depth of planning of its own."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from vinlab.learners.imitation import set_nll, to_device
from vinlab.types import Demonstrations


@dataclass(frozen=True)
class TaskSet:
    """Demonstrations on maps of one size, with the number of backups that they need."""

    demonstrations: Demonstrations
    iterations: int


class MixedDemonstrations:
    """Several sets of tasks as one; a choice of problems gives those chosen from each."""

    def __init__(self, task_sets: Sequence[TaskSet]) -> None:
        self.task_sets = tuple(task_sets)
        self.weights = torch.cat([tasks.demonstrations.weights.sum(dim=1) for tasks in self.task_sets])
        self._ends = torch.tensor([len(tasks.demonstrations) for tasks in self.task_sets]).cumsum(0)

    def __len__(self) -> int:
        return int(self._ends[-1])

    def __getitem__(self, chosen: Tensor) -> list[TaskSet]:
        """The chosen problems, those of a kind together; of no problems at least one kind, with nothing in it."""
        kinds = torch.searchsorted(self._ends, chosen, right=True)
        return [
            TaskSet(tasks.demonstrations[self._within(kind, chosen[kinds == kind])], tasks.iterations)
            for kind, tasks in enumerate(self.task_sets)
            if (kinds == kind).any() or (kind == 0 and not len(chosen))
        ]

    def _within(self, kind: int, chosen: Tensor) -> Tensor:
        """Numbers among all problems as numbers among those of a kind."""
        return chosen - (int(self._ends[kind - 1]) if kind else 0)


class MixtureLoss(nn.Module):
    """The policy with its loss on several kinds of maps, each planned as deeply as it needs."""

    def __init__(self, policy: nn.Module) -> None:
        super().__init__()
        self.policy = policy

    def forward(self, batch: list[TaskSet]) -> Float[Tensor, ""]:
        """The sum of the losses of all states in the batch."""
        return torch.stack([self._loss(tasks) for tasks in batch]).sum()

    def _loss(self, tasks: TaskSet) -> Float[Tensor, ""]:
        shown = to_device(tasks.demonstrations, next(self.policy.parameters()).device)
        logits, _ = self.policy(shown.observations, shown.states, iterations=tasks.iterations)
        return (shown.weights * set_nll(logits, shown.moves)).sum()
