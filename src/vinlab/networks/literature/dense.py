"""Policies that give the logits of all moves in all states at once; the plainest is the VIN that all others set out to
improve.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from jaxtyping import Float, Int
from torch import Tensor

from vinlab.modules import CnnReward, SharedTransition, move_kernels
from vinlab.modules.layered_cost import gather_layered
from vinlab.networks.base import Policy
from vinlab.planning.grid import GridPlanner
from vinlab.planning.moves import motion_named
from vinlab.types import Batch, InputError, Iterations


@dataclass(frozen=True)
class DensePlan(Batch):
    """The logits of the moves in every state."""

    logits: Float[Tensor, "B L A H W"]


class DensePolicy(Policy):
    """A policy whose plan is the logits of all moves in all cells and layers."""

    def __init__(self, *, motion: str, iterations: int | None = None) -> None:
        super().__init__()
        moves = motion_named(motion)
        self.shape = (moves.num_layers, moves.num_actions)
        self.channels = 1 + moves.num_layers
        """Of an observation: obstacles, and a goal channel for each layer."""
        self._iterations = iterations

    @property
    def iterations(self) -> int | None:
        """K of a plan; None for a reactive policy."""
        return self._iterations

    @property
    def outputs(self) -> int:
        """Logits in each cell."""
        return self.shape[0] * self.shape[1]

    @abstractmethod
    def logits(
        self, observation: Float[Tensor, "B C H W"], iterations: int | None
    ) -> Float[Tensor, "B M H W"]:
        """The logits of each move of each layer in each cell, layer by layer."""

    def plan(self, observation: Float[Tensor, "B C H W"], *, iterations: Iterations = None) -> DensePlan:
        """The logits of every state; ``iterations`` replaces the network's own K."""
        if iterations is not None and (self._iterations is None or not isinstance(iterations, int)):
            raise InputError(f"expected no number of iterations for this network, got {iterations}.")
        used = self._iterations if iterations is None else iterations
        return DensePlan(self.logits(observation, used).unflatten(1, self.shape))

    def act(self, plan: DensePlan, states: Int[Tensor, "B S X"]) -> Float[Tensor, "B S M"]:
        """The logits in some states of each problem."""
        return gather_layered(plan.logits, states)


@dataclass(frozen=True)
class DenseConfig:
    """The settings of such a policy, which takes all of them by name."""

    policy: ClassVar[type[DensePolicy]]

    motion: str = "four"

    def build(self) -> Any:
        """The network with fresh weights."""
        return self.policy(**vars(self))


class PlainVin(DensePolicy):
    """The paper's reward and kernels, K backups; the moves of a table are its actions, and their q the logits."""

    def __init__(self, *, motion: str, iterations: int, hidden: int, discount: float) -> None:
        super().__init__(motion=motion, iterations=iterations)
        self.reward = CnnReward(channels=self.channels, hidden=hidden)
        moves = min(self.outputs, 8)
        self.transition = SharedTransition(move_kernels(actions=self.outputs, moves=moves, discount=discount))
        self.planner = GridPlanner(iterations=iterations)

    def logits(
        self, observation: Float[Tensor, "B C H W"], iterations: int | None
    ) -> Float[Tensor, "B M H W"]:
        """The q of every action after K backups."""
        return self.planner(self.reward(observation), self.transition(observation), iterations=iterations).q


@dataclass(frozen=True)
class PlainVinConfig(DenseConfig):
    """The paper's VIN, whose kernels start as moves."""

    kind: ClassVar[str] = "plain-vin"
    policy: ClassVar = PlainVin
    iterations: int = 60
    hidden: int = 40
    discount: float = 0.95
