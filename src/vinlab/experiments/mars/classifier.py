"""The "best achievable" planner: a classifier of cells that learns from labels, and the choice of its cost."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import torch
from jaxtyping import Float, Float32
from torch import Tensor, nn
from torch.nn import functional

from vinlab.domains.mars.expert import TerrainDemonstrations
from vinlab.experiments.mars.validation import reach_rate
from vinlab.learners.callbacks import Validation
from vinlab.networks.terrain.classifier import (
    ClassifierPlanner,
    LogProbabilityCost,
    ObstacleClassifier,
    ThresholdCost,
)
from vinlab.types import DenseDemonstrations

THRESHOLDS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
WEIGHTS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0)


@dataclass(frozen=True)
class CellDemonstrations:
    """The same patches, in which every cell counts once."""

    patches: TerrainDemonstrations

    def __len__(self) -> int:
        return len(self.patches)

    @property
    def weights(self) -> Float32[Tensor, " P"]:
        """The number of cells."""
        return torch.full((len(self.patches),), float(self.patches.obstacles[0].size))

    def __getitem__(self, chosen: Any) -> DenseDemonstrations:
        return self.patches[chosen]


class LabelLoss(nn.Module):
    """The classifier with its cross-entropy over the labels of all cells."""

    def __init__(self, classifier: nn.Module) -> None:
        super().__init__()
        self.classifier = classifier

    def forward(self, batch: DenseDemonstrations) -> Float[Tensor, ""]:
        """The sum over all cells of the batch."""
        logits = self.classifier(batch.observations)
        return functional.binary_cross_entropy_with_logits(logits, batch.blocked.float(), reduction="sum")


@dataclass(frozen=True)
class LabelConfig:
    """Labels of all cells; there is nothing to set."""

    kind: ClassVar[str] = "labels"

    def build(self, policy: nn.Module) -> LabelLoss:
        """The classifier with its loss."""
        return LabelLoss(policy)


@torch.no_grad()
def validate_labels(demonstrations: TerrainDemonstrations, classifier: nn.Module) -> Validation:
    """The loss of a classifier on the labels of validation terrain."""
    batch = demonstrations[range(len(demonstrations))]
    logits = torch.cat([classifier(part) for part in batch.observations.split(100)])
    loss = functional.binary_cross_entropy_with_logits(logits, batch.blocked.float()).item()
    accuracy = ((logits > 0) == batch.blocked).float().mean().item()
    return Validation(-loss, {"validation_loss": loss, "validation_accuracy": accuracy})


def tune_cost(
    classifier: ObstacleClassifier, kind: Literal["hard", "soft"], demonstrations: TerrainDemonstrations
) -> ClassifierPlanner:
    """The planner whose threshold or weight reaches the goal from most cells of the validation terrain."""
    costs = {
        "hard": [ThresholdCost(threshold) for threshold in THRESHOLDS],
        "soft": [LogProbabilityCost(weight) for weight in WEIGHTS],
    }[kind]
    planners = [ClassifierPlanner(classifier=classifier, caution=cost) for cost in costs]
    return max(planners, key=lambda planner: reach_rate(planner, demonstrations))
