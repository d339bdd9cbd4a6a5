"""The paper's "best achievable" planner: a classifier of blocked cells, and the cheapest path on its map."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from vinlab.networks.terrain.encoder import ImageEncoder
from vinlab.networks.terrain.policies import DenseTerrainPolicy, TerrainPolicy
from vinlab.planning.exact import weighted_cost_to_go
from vinlab.types import CELL


class ObstacleClassifier(nn.Module):
    """The VIN's image layers as a classifier of blocked cells."""

    def __init__(self, *, image: ImageEncoder, hidden: int, width: int = 3) -> None:
        """``width`` is that of the filters on cells; with 1 they add nothing to what the image layers see."""
        super().__init__()
        self.image = image
        self.features = nn.Conv2d(image.channels, hidden, width, padding=width // 2)
        self.blocked = nn.Conv2d(hidden, 1, width, padding=width // 2)

    def forward(self, images: Float[Tensor, "B 1 h w"]) -> Float[Tensor, "B H W"]:
        """The logit of the probability that each cell is blocked."""
        return self.blocked(self.features(self.image(images)).relu())[:, 0]


class FlipAveragedClassifier(ObstacleClassifier):
    """The same, but outside of training the mean over the image and its vertical flip."""

    def forward(self, images: Float[Tensor, "B 1 h w"]) -> Float[Tensor, "B H W"]:
        """The logit of the probability that each cell is blocked."""
        logits = super().forward(images)
        return logits if self.training else (logits + super().forward(images.flip(2)).flip(1)) / 2


class ThresholdCost(nn.Module):
    """A high cost for cells whose probability to be blocked is at or above a threshold."""

    setting: Tensor
    penalty = 1000.0

    def __init__(self, threshold: float = 0.5) -> None:
        super().__init__()
        self.register_buffer("setting", torch.tensor(threshold))

    def forward(self, blocked: Float[Tensor, "B H W"]) -> Float[Tensor, "B H W"]:
        """The cost of entering a cell, beyond the length of the move."""
        return self.penalty * (blocked.sigmoid() >= self.setting)


class LogProbabilityCost(nn.Module):
    """A weight times minus the logarithm of the probability that the cell is free."""

    setting: Tensor

    def __init__(self, weight: float = 1.0) -> None:
        super().__init__()
        self.register_buffer("setting", torch.tensor(weight))

    def forward(self, blocked: Float[Tensor, "B H W"]) -> Float[Tensor, "B H W"]:
        """The cost of entering a cell, beyond the length of the move."""
        return self.setting * functional.softplus(blocked)


class ClassifierPlanner(DenseTerrainPolicy):
    """The cheapest path on the map that a classifier makes of the image; a logit is minus its cost."""

    def __init__(
        self, *, classifier: ObstacleClassifier, caution: ThresholdCost | LogProbabilityCost
    ) -> None:
        super().__init__()
        self.classifier = classifier
        self.caution = caution

    def encode(self, images: Float[Tensor, "B 1 h w"]) -> Float[Tensor, "B H W"]:
        """The cost of entering each cell, beyond the length of the move."""
        return self.caution(self.classifier(images))

    def logits(self, features: Float[Tensor, "N H W"], goals: Int[Tensor, "N 2"]) -> Float[Tensor, "N M H W"]:
        """Minus the cost of the cheapest path that begins with each move."""
        return -weighted_cost_to_go(features, goals)


class StraightLine(ClassifierPlanner):
    """The baseline that ignores the image: the shortest path if no cell were blocked."""

    def __init__(self) -> None:
        TerrainPolicy.__init__(self)

    def encode(self, images: Float[Tensor, "B 1 h w"]) -> Float[Tensor, "B H W"]:
        """Zero for every cell."""
        return images.new_zeros(len(images), images.shape[2] // CELL, images.shape[3] // CELL)
