"""The equivariant VIN: Zhao et al., Integrating Symmetry into Differentiable Planning with Steerable Convolutions,
ICLR 2023.

The moves north, south, east and west are turns of one another, so their kernels are turns of one kernel, and the
filters of the reward do not change under turns and reflections. Turning the map then turns the policy.
"""

from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from vinlab.networks.literature.dense import DenseConfig, DensePolicy
from vinlab.planning.bellman import SharedKernels
from vinlab.planning.grid import GridPlanner
from vinlab.types import InputError

TURNS = (0, 2, 3, 1)
"""By how many quarter turns against the clock the moves N, S, E and W differ from north."""


def symmetric(filters: Float[Tensor, "A C F F"]) -> Float[Tensor, "A C F F"]:
    """The mean over the eight turns and reflections of each filter."""
    turned = [torch.rot90(filters, turn, (2, 3)) for turn in range(4)]
    return torch.stack([*turned, *(one.flip(3) for one in turned)]).mean(dim=0)


def kernels_of_moves(north: Float[Tensor, "1 R F F"]) -> Float[Tensor, "4 R F F"]:
    """The kernels of the four moves from that of north, which is made symmetric about its axis first."""
    upright = (north + north.flip(3)) / 2
    return torch.cat([torch.rot90(upright, turn, (2, 3)) for turn in TURNS])


class EquivariantVin(DensePolicy):
    """A VIN for four moves whose reward, kernels and policy are tied under the symmetries of the grid."""

    def __init__(self, *, motion: str, iterations: int, hidden: int) -> None:
        if motion != "four":
            raise InputError(f"motion: expected four for this network, got {motion!r}.")
        super().__init__(motion=motion, iterations=iterations)
        self.features = nn.Conv2d(self.channels, hidden, 3, padding=1)
        self.reward = nn.Conv2d(hidden, 1, 3, padding=1, bias=False)
        self.north_reward = nn.Parameter(0.01 * torch.randn(1, 1, 3, 3))
        self.north_value = nn.Parameter(0.01 * torch.randn(1, 1, 3, 3))
        with torch.no_grad():  # north starts as a move, as the kernels of move_kernels do
            self.north_reward[0, 0, 0, 1] += 1.0
            self.north_value[0, 0, 0, 1] += 0.95
        self.planner = GridPlanner(iterations=iterations)

    def logits(
        self, observation: Float[Tensor, "B C H W"], iterations: int | None
    ) -> Float[Tensor, "B M H W"]:
        """The q of the four moves."""
        features = functional.conv2d(
            observation, symmetric(self.features.weight), self.features.bias, padding=1
        )
        reward = functional.conv2d(features.relu(), symmetric(self.reward.weight), padding=1)
        kernels = SharedKernels(kernels_of_moves(self.north_reward), kernels_of_moves(self.north_value))
        return self.planner(reward, kernels, iterations=iterations).q


@dataclass(frozen=True)
class EquivariantVinConfig(DenseConfig):
    """A VIN with kernels tied under the symmetries of the grid."""

    kind: ClassVar[str] = "equivariant-vin"
    policy: ClassVar = EquivariantVin
    iterations: int = 30
    hidden: int = 40
