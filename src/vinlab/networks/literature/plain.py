"""The VIN of the paper with the moves of a table as its actions: the rival that all others set out to improve."""

from dataclasses import dataclass
from typing import ClassVar

from jaxtyping import Float
from torch import Tensor

from vinlab.modules import CnnReward, SharedTransition
from vinlab.modules.transition import move_kernels
from vinlab.networks.literature.dense import DenseConfig, DensePolicy
from vinlab.planning.grid import GridPlanner


class PlainVin(DensePolicy):
    """The paper's reward and kernels, K backups; the q of its actions are the logits."""

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
