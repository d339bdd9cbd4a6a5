"""The interface of all networks, for learners and rollouts."""

from abc import ABC, abstractmethod
from typing import Any

from jaxtyping import Float, Int
from torch import Tensor, nn

from vinlab.types import Iterations


class Policy(nn.Module, ABC):
    """A policy that plans once per problem and then gives the moves in any of its states."""

    @property
    def iterations(self) -> int | tuple[int, ...] | None:
        """K of a plan, or K of each level from coarse to fine; None for a reactive policy."""
        return None

    @abstractmethod
    def plan(self, observation: Float[Tensor, "B C H W"], *, iterations: Iterations = None) -> Any:
        """The plan that all states of a problem share."""

    @abstractmethod
    def act(self, plan: Any, states: Int[Tensor, "B S 2"]) -> Float[Tensor, "B S M"]:
        """The logits of the moves in some states of each problem."""

    def forward(
        self,
        observation: Float[Tensor, "B C H W"],
        states: Int[Tensor, "B S 2"],
        *,
        iterations: Iterations = None,
    ) -> tuple[Float[Tensor, "B S M"], Any]:
        """The logits of the moves, and the plan they were read from."""
        plan = self.plan(observation, iterations=iterations)
        return self.act(plan, states), plan
