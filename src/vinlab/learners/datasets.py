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
    """Several courses as one; a choice of problems gives those chosen from each."""

    def __init__(self, courses: Sequence[TaskSet]) -> None:
        self.courses = tuple(courses)
        self.weights = torch.cat([course.demonstrations.weights.sum(dim=1) for course in self.courses])
        self._ends = torch.tensor([len(course.demonstrations) for course in self.courses]).cumsum(0)

    def __len__(self) -> int:
        return int(self._ends[-1])

    def __getitem__(self, chosen: Tensor) -> list[TaskSet]:
        """The chosen problems, those of a kind together; of no problems at least one kind, with nothing in it."""
        kinds = torch.searchsorted(self._ends, chosen, right=True)
        return [
            TaskSet(course.demonstrations[self._within(kind, chosen[kinds == kind])], course.iterations)
            for kind, course in enumerate(self.courses)
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
        return torch.stack([self._loss(course) for course in batch]).sum()

    def _loss(self, course: TaskSet) -> Float[Tensor, ""]:
        lessons = to_device(course.demonstrations, next(self.policy.parameters()).device)
        logits, _ = self.policy(lessons.observations, lessons.states, iterations=course.iterations)
        return (lessons.weights * set_nll(logits, lessons.moves)).sum()
