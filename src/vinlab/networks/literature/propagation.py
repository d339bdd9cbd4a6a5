"""Value propagation: Nardelli et al., Value Propagation Networks, ICLR 2019.

Every cell has a propagation p between 0 and 1 and a reward, both from convolutions of the map, and its value is the
best that its neighbours and itself (N) offer; neighbours are the cells that one move reaches.
VProp: ``v = max(v, max over n in N of p * v[n] + r_in[n] - r_out)`` from zero.
MVProp: ``v = max(v, max over n in N of r + p * (v[n] - r))`` from r.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from vinlab.networks.literature.dense import DenseConfig, DensePolicy
from vinlab.types import MOVE_OFFSETS


def best_neighbour(image: Float[Tensor, "B 1 H W"], *, straight: bool = False) -> Float[Tensor, "B 1 H W"]:
    """The largest entry among the neighbours of each cell and itself; nothing beyond the map.

    There are eight neighbours, or with ``straight`` four.
    """
    if not straight:
        return functional.max_pool2d(image, 3, stride=1, padding=1)
    upright = functional.max_pool2d(image, (3, 1), stride=1, padding=(1, 0))
    return torch.maximum(upright, functional.max_pool2d(image, (1, 3), stride=1, padding=(0, 1)))


def propagate(
    inward: Float[Tensor, "B 1 H W"],
    outward: Float[Tensor, "B 1 H W"],
    propagation: Float[Tensor, "B 1 H W"],
    iterations: int,
    *,
    straight: bool = False,
) -> Float[Tensor, "B 1 H W"]:
    """The value of VProp after K steps, from zero.

    A cell's p multiplies what comes from its neighbours, so the maximum over them has to be taken for each neighbour.
    """
    value = torch.zeros_like(inward)
    rows, cols = value.shape[2:]
    places = [(row, col) for row in range(3) for col in range(3) if not straight or 1 in (row, col)]
    entering = functional.pad(inward, (1,) * 4, value=-torch.inf)
    for _ in range(iterations):
        near = functional.pad(value, (1,) * 4)
        offers = [
            propagation * near[..., y : y + rows, x : x + cols] + entering[..., y : y + rows, x : x + cols]
            for y, x in places
        ]
        value = torch.maximum(value, torch.stack(offers).amax(dim=0) - outward)
    return value


def max_propagate(
    reward: Float[Tensor, "B 1 H W"],
    propagation: Float[Tensor, "B 1 H W"],
    iterations: int,
    *,
    straight: bool = False,
) -> Float[Tensor, "B 1 H W"]:
    """The value of MVProp after K steps; p is not negative, so the best neighbour makes the best offer."""
    value = reward
    for _ in range(iterations):
        value = torch.maximum(
            value, reward + propagation * (best_neighbour(value, straight=straight) - reward)
        )
    return value


GAIN = 10.0
"""The logit of a move for each unit of value, before training."""

START = (3.0, -4.0)
"""Of VProp: the biases of p and of both rewards, so that at first values spread far and no cell is worth much."""


class ValuePropagation(DensePolicy):
    """Convolutions give reward and propagation, K steps the value, and a filter of 3 x 3 values the logits."""

    def __init__(
        self, *, motion: str, iterations: int, hidden: int, rule: Literal["vprop", "mvprop"]
    ) -> None:
        super().__init__(motion=motion, iterations=iterations)
        self.rule = rule
        features = nn.Conv2d(self.channels, hidden, 3, padding=1)
        images = nn.Conv2d(hidden, 3 if rule == "vprop" else 2, 1)
        if rule == "vprop" and images.bias is not None:
            with torch.no_grad():
                images.bias.copy_(torch.tensor([START[0], START[1], START[1]]))
        self.embedding = nn.Sequential(features, nn.ReLU(), images)
        self.straight = motion == "four"
        self.policy = nn.Conv2d(1, self.outputs, 3, padding=1)
        if motion in ("four", "eight"):  # each move starts by reading the value of the cell that it leads to
            with torch.no_grad():
                for move, (down, right) in enumerate(MOVE_OFFSETS[: self.outputs]):
                    self.policy.weight[move, 0, 1 + down, 1 + right] += GAIN

    def value(self, observation: Float[Tensor, "B C H W"], iterations: int) -> Float[Tensor, "B 1 H W"]:
        """The value of each cell."""
        propagation, *rewards = self.embedding(observation).split(1, dim=1)
        rule: Any = propagate if self.rule == "vprop" else max_propagate
        images = [image.sigmoid() for image in (*rewards, propagation)]
        return rule(*images, iterations, straight=self.straight)

    def logits(
        self, observation: Float[Tensor, "B C H W"], iterations: int | None
    ) -> Float[Tensor, "B M H W"]:
        """The logits, from the values around each cell."""
        return self.policy(self.value(observation, iterations or 1))


@dataclass(frozen=True)
class ValuePropagationConfig(DenseConfig):
    """VProp, or its simpler form MVProp."""

    kind: ClassVar[str] = "value-propagation"
    policy: ClassVar = ValuePropagation
    iterations: int = 30
    hidden: int = 64
    rule: Literal["vprop", "mvprop"] = "mvprop"
