"""Networks without a planner, as rivals: a reactive residual network, and one whose block is applied again and again.

The second is that of Bansal et al., End-to-end Algorithm Synthesis with Recurrent Networks: Logical Extrapolation
Without Overthinking, NeurIPS 2022 ("deep thinking"): the observation is given to every application of the block, so
that it can be applied more often on larger mazes.
"""

from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn

from vinlab.networks.literature.dense import DenseConfig, DensePolicy


class ResidualBlock(nn.Module):
    """Two convolutions of 3 x 3 that are added to what they read."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(hidden, hidden, 3, padding=1)
        self.second = nn.Conv2d(hidden, hidden, 3, padding=1)

    def forward(self, image: Float[Tensor, "B D H W"]) -> Float[Tensor, "B D H W"]:
        """The image after the block."""
        return (image + self.second(self.first(image).relu())).relu()


class ReactiveResNet(DensePolicy):
    """Residual blocks with weights of their own, and no plan."""

    def __init__(self, *, motion: str, blocks: int, hidden: int) -> None:
        super().__init__(motion=motion)
        self.features = nn.Conv2d(self.channels, hidden, 3, padding=1)
        self.blocks = nn.Sequential(*(ResidualBlock(hidden) for _ in range(blocks)))
        self.policy = nn.Conv2d(hidden, self.outputs, 1)

    def logits(
        self, observation: Float[Tensor, "B C H W"], iterations: int | None
    ) -> Float[Tensor, "B M H W"]:
        """The logits after all blocks."""
        return self.policy(self.blocks(self.features(observation).relu()))


class RecurrentResNet(DensePolicy):
    """One residual block, applied K times; each time it is shown the observation again."""

    def __init__(self, *, motion: str, iterations: int, hidden: int) -> None:
        super().__init__(motion=motion, iterations=iterations)
        self.features = nn.Conv2d(self.channels, hidden, 3, padding=1)
        self.recall = nn.Conv2d(hidden + self.channels, hidden, 3, padding=1)
        self.block = ResidualBlock(hidden)
        self.policy = nn.Conv2d(hidden, self.outputs, 1)

    def logits(
        self, observation: Float[Tensor, "B C H W"], iterations: int | None
    ) -> Float[Tensor, "B M H W"]:
        """The logits after K applications."""
        image = self.features(observation).relu()
        for _ in range(iterations or 1):
            image = self.block(self.recall(torch.cat([image, observation], dim=1)).relu())
        return self.policy(image)


@dataclass(frozen=True)
class ReactiveResNetConfig(DenseConfig):
    """A reactive residual network."""

    kind: ClassVar[str] = "reactive-resnet"
    policy: ClassVar = ReactiveResNet
    blocks: int = 8
    hidden: int = 64


@dataclass(frozen=True)
class RecurrentResNetConfig(DenseConfig):
    """A residual network with recall, whose block is applied K times."""

    kind: ClassVar[str] = "recurrent-resnet"
    policy: ClassVar = RecurrentResNet
    iterations: int = 20
    hidden: int = 64
