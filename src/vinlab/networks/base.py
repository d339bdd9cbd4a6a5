"""The interface of all networks, for learners and rollouts."""

from abc import ABC, abstractmethod
from typing import Any

from jaxtyping import Float, Shaped
from torch import Tensor, nn

from vinlab.types import InputError, Iterations


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
    def act(self, plan: Any, states: Shaped[Tensor, "B S X"]) -> Float[Tensor, "B S M"]:
        """The logits of the moves, or the continuous actions, in some states of each problem."""

    def forward(
        self,
        observation: Float[Tensor, "B C H W"],
        states: Shaped[Tensor, "B S X"],
        *,
        iterations: Iterations = None,
    ) -> tuple[Float[Tensor, "B S M"], Any]:
        """What ``act`` gives, and the plan it was read from."""
        plan = self.plan(observation, iterations=iterations)
        return self.act(plan, states), plan


def require_side(observation: Float[Tensor, "B C H W"], side: int, name: str) -> None:
    """Refuse maps of another side than that which a network is tied to."""
    if tuple(observation.shape[2:]) != (side, side):
        raise InputError(f"expected maps of side {side} for this {name}, got {tuple(observation.shape[2:])}.")
