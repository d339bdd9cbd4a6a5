"""The value iteration network: a policy with a planner inside."""

from dataclasses import replace
from typing import Any

from jaxtyping import Float, Int
from torch import Tensor, nn

from vinlab.modules.attention import gather_states
from vinlab.networks.base import Policy
from vinlab.types import InputError, Iterations


class ValueIterationNetwork(Policy):
    """A policy that plans (Figure 2 of the paper).

    Reward and transition tell the planner what to want and how the world moves, attention picks the values that
    matter in a state, and the policy acts on them. With ``features`` the policy also takes phi(s), the features of the
    state's cell, beside the attended values: ``policy(attended, features)``.
    """

    def __init__(
        self,
        *,
        reward: nn.Module,
        transition: nn.Module,
        planner: nn.Module,
        attention: nn.Module,
        policy: nn.Module,
        features: nn.Module | None = None,
    ) -> None:
        super().__init__()
        self.reward = reward
        self.transition = transition
        self.planner = planner
        self.attention = attention
        self.policy = policy
        self.features = features

    @property
    def iterations(self) -> int | tuple[int, ...] | None:
        """The planner's own K."""
        return getattr(self.planner, "iterations", None)

    def plan(self, observation: Float[Tensor, "B C H W"], *, iterations: Iterations = None) -> Any:
        """One plan per problem, as the planner gives it, to be read in as many of its states as one likes."""
        if observation.dim() != 4:
            hint = "; of one problem, observation[None]" if observation.dim() == 3 else ""
            raise InputError(
                f"observation: expected [B C H W], got the shape {tuple(observation.shape)}{hint}."
            )
        plan = self.planner(self.reward(observation), self.transition(observation), iterations=iterations)
        return plan if self.features is None else replace(plan, features=self.features(observation))

    def act(self, plan: Any, states: Int[Tensor, "B S X"]) -> Float[Tensor, "B S M"]:
        """The logits of the moves in some states of each problem, read from its plan."""
        attended = self.attention(plan, states)
        if self.features is None:
            return self.policy(attended)
        if plan.features is None:
            raise InputError("expected a plan of this network, which holds features, got a plan without any.")
        return self.policy(attended, gather_states(plan.features, states))
