"""The paper's second baseline: a fully convolutional network whose first filter spans the whole map."""

from dataclasses import dataclass
from typing import ClassVar

from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from vinlab.modules import LinearPolicy
from vinlab.networks.base import Policy, require_side
from vinlab.networks.grid.cnn import unique_states
from vinlab.types import MOVE_NAMES, Iterations


@dataclass(frozen=True)
class FcnConfig:
    """The FCN of the technical details: a filter as wide as two maps, then two layers of width 1."""

    kind: ClassVar[str] = "fcn"
    size: int
    """Side of the maps; unlike a VIN the network is tied to it."""
    filters: tuple[int, ...] = (150, 150, 10)
    std: float = 0.01
    """The standard deviation of all initial weights, as in the authors' code."""

    def build(self) -> "FullyConvolutionalNetwork":
        """The network with fresh weights."""
        network = FullyConvolutionalNetwork(self)
        for parameter in network.parameters():
            nn.init.normal_(parameter, std=self.std)
        return network


class FullyConvolutionalNetwork(Policy):
    """A policy whose first filter sees the whole map from every cell.

    All layers but the first have width 1 and the policy reads one cell, so the network is computed only in the cells
    of the given states, with the same result as in a full pass.
    """

    def __init__(self, config: FcnConfig) -> None:
        super().__init__()
        self.size = config.size
        first, second, third = config.filters
        self.span = nn.Conv2d(2, first, 2 * config.size - 1, padding=config.size - 1)
        self.second = nn.Conv2d(first, second, 1)
        self.third = nn.Conv2d(second, third, 1)
        self.policy = LinearPolicy(actions=third, moves=len(MOVE_NAMES))

    def plan(
        self, observation: Float[Tensor, "B C H W"], *, iterations: Iterations = None
    ) -> Float[Tensor, "B C P P"]:
        """The map, padded so that the first filter fits on every cell."""
        require_side(observation, self.size, "FCN")
        return functional.pad(observation, (self.size - 1,) * 4)

    def act(self, plan: Float[Tensor, "B C P P"], states: Int[Tensor, "B S 2"]) -> Float[Tensor, "B S M"]:
        """The logits of the moves; a repeated state is computed once."""
        unique = unique_states(states, self.size)
        width = 2 * self.size - 1
        views = plan.unfold(2, width, 1).unfold(3, width, 1)
        seen = views[unique.owner, :, unique.places[:, 0], unique.places[:, 1]]
        for layer in (self.span, self.second, self.third):
            # On one cell a convolution is a fully connected layer, which is faster.
            seen = functional.linear(seen.flatten(1), layer.weight.flatten(1), layer.bias).relu()
        return unique.spread(self.policy(seen[:, None])[:, 0])
