"""The gated planner: Lee et al., Gated Path Planning Networks, ICML 2018.

Value iteration is seen as a recurrent network, whose update is replaced by that of an LSTM: in every step a cell reads
one number from the hidden state of its neighbourhood, ``x = conv(h)``, and updates ``h, c = LSTM(x, (h, c))``.
"""

from dataclasses import dataclass
from typing import ClassVar, cast

import torch
from jaxtyping import Float
from torch import Tensor, nn

from vinlab.networks.literature.dense import DenseConfig, DensePolicy
from vinlab.networks.literature.gated_updates import UpdateWeights, gated_updates


class GatedPlanner(DensePolicy):
    """K - 1 LSTM updates of every cell, from a first state that two convolutions give; a linear layer acts."""

    def __init__(self, *, motion: str, iterations: int, hidden: int, width: int) -> None:
        super().__init__(motion=motion, iterations=iterations)
        self.features = nn.Conv2d(self.channels, hidden, 3, padding=1)
        self.first_hidden = nn.Conv2d(hidden, hidden, 3, padding=1)
        self.first_cell = nn.Conv2d(hidden, hidden, 3, padding=1)
        self.neighbourhood = nn.Conv2d(hidden, 1, width, padding=width // 2)
        self.update = nn.LSTMCell(1, hidden)
        self.policy = nn.Conv2d(hidden, self.outputs, 1, bias=False)
        with torch.no_grad():  # cells start by remembering, so that gradients reach the first state
            self.update.bias_ih[hidden : 2 * hidden] += 1.0

    def logits(
        self, observation: Float[Tensor, "B C H W"], iterations: int | None
    ) -> Float[Tensor, "B M H W"]:
        """The logits after K - 1 updates."""
        features = self.features(observation)
        weights = UpdateWeights(
            self.neighbourhood.weight,
            cast(Tensor, self.neighbourhood.bias),
            self.update.weight_ih,
            self.update.weight_hh,
            self.update.bias_ih + self.update.bias_hh,
        )
        hidden, cell = self.first_hidden(features), self.first_cell(features)
        return self.policy(gated_updates(hidden, cell, weights, (iterations or 1) - 1))


@dataclass(frozen=True)
class GatedPlannerConfig(DenseConfig):
    """The authors' gated planner; they have 150 hidden units and K and the width of the reading filter by search."""

    kind: ClassVar[str] = "gated-planner"
    policy: ClassVar = GatedPlanner
    iterations: int = 20
    hidden: int = 150
    width: int = 11
