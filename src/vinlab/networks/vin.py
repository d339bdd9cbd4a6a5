"""The value iteration network: a policy with a planner inside."""

from typing import Any

from jaxtyping import Float, Int
from torch import Tensor, nn

from vinlab.networks.base import Policy
from vinlab.types import Iterations


class ValueIterationNetwork(Policy):
    """A policy that plans (Figure 2 of the paper).

    Reward and transition tell the planner what to want and how the world moves, attention picks the values that
    matter in a state, and the policy acts on them.
    """

    def __init__(
        self,
        *,
        reward: nn.Module,
        transition: nn.Module,
        planner: nn.Module,
        attention: nn.Module,
        policy: nn.Module,
    ) -> None:
        super().__init__()
        self.reward = reward
        self.transition = transition
        self.planner = planner
        self.attention = attention
        self.policy = policy

    @property
    def iterations(self) -> int | tuple[int, ...] | None:
        """The planner's own K."""
        return getattr(self.planner, "iterations", None)

    def plan(self, observation: Float[Tensor, "B C H W"], *, iterations: Iterations = None) -> Any:
        """One plan per problem, as the planner gives it, to be read in as many of its states as one likes."""
        return self.planner(self.reward(observation), self.transition(observation), iterations=iterations)

    def act(self, plan: Any, states: Int[Tensor, "B S X"]) -> Float[Tensor, "B S M"]:
        """The logits of the moves in some states of each problem, read from its plan."""
        return self.policy(self.attention(plan, states))
