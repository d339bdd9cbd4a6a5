"""The paper's second rival: a fully convolutional network whose first filter spans the whole map."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from vinlab.modules import LinearPolicy
from vinlab.networks.base import Policy
from vinlab.networks.grid.unique_states import distinct
from vinlab.types import MOVE_NAMES, InputError


@dataclass(frozen=True)
class FcnConfig:
    """The FCN of the technical details: a filter as wide as two maps, then two layers that see one cell."""

    kind: ClassVar[str] = "fcn"
    size: int
    """Side of the maps; unlike a VIN the network is tied to it."""
    filters: tuple[int, ...] = (150, 150, 10)
    std: float = 0.01
    """Of the noise in all weights, as in the authors' code."""

    def build(self) -> "FullyConvolutionalNetwork":
        """The network with fresh weights."""
        network = FullyConvolutionalNetwork(self)
        for parameter in network.parameters():
            nn.init.normal_(parameter, std=self.std)
        return network


class FullyConvolutionalNetwork(Policy):
    """A policy that sees the whole map from every cell, each in the same way.

    All layers but the first see one cell, and the policy reads one cell, so the whole network is computed in the
    cells of the states that are asked for and nowhere else: the same result as everywhere, for a part of the work.
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
        self, observation: Float[Tensor, "B C H W"], *, iterations: int | Sequence[int] | None = None
    ) -> Float[Tensor, "B C P P"]:
        """The map with so much empty space around it that the first filter fits on every cell."""
        if tuple(observation.shape[2:]) != (self.size, self.size):
            raise InputError(
                f"this FCN was made for maps of side {self.size}, but {tuple(observation.shape[2:])} came."
            )
        return functional.pad(observation, (self.size - 1,) * 4)

    def act(self, plan: Float[Tensor, "B C P P"], states: Int[Tensor, "B S 2"]) -> Float[Tensor, "B S M"]:
        """The logits of the moves; a state that is asked for several times is looked at once."""
        asked = distinct(states, self.size)
        width = 2 * self.size - 1
        views = plan.unfold(2, width, 1).unfold(3, width, 1)
        seen = views[asked.owner, :, asked.places[:, 0], asked.places[:, 1]]
        for layer in (self.span, self.second, self.third):
            # On one cell a convolution is a full layer, which is faster.
            seen = functional.linear(seen.flatten(1), layer.weight.flatten(1), layer.bias).relu()
        return asked.spread(self.policy(seen[:, None])[:, 0])

    def dense_logits(self, observation: Float[Tensor, "B C H W"]) -> Float[Tensor, "B A H W"]:
        """The third layer in every cell, by plain convolutions: what ``act`` reads in the states."""
        image = observation
        for layer in (self.span, self.second, self.third):
            image = layer(image).relu()
        return image
