"""The "best achievable" planner: a classifier of cells that learns from labels, with as much caution as serves."""

from dataclasses import dataclass
from typing import Any, Literal

import torch
from jaxtyping import Float, Float32
from torch import Tensor, nn
from torch.nn import functional

from vinlab.domains.mars.expert import TerrainBatch, TerrainDemonstrations
from vinlab.experiments.mars.evaluate import reach_rate
from vinlab.learners.callbacks import Progress, RunLogger, Validation
from vinlab.learners.imitation import Best, ImitationConfig, imitate
from vinlab.networks.terrain.policies import (
    ClassifierPlanner,
    LogProbabilityCost,
    ObstacleClassifier,
    ThresholdCost,
)

THRESHOLDS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
WEIGHTS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0)


@dataclass(frozen=True)
class CellLessons:
    """The same patches, in which every cell counts once."""

    ground: TerrainDemonstrations

    def __len__(self) -> int:
        return len(self.ground)

    @property
    def weights(self) -> Float32[Tensor, " P"]:
        """The number of cells."""
        return torch.full((len(self.ground),), float(self.ground.obstacles[0].size))

    def __getitem__(self, chosen: Any) -> TerrainBatch:
        return self.ground[chosen]


class LabelLoss(nn.Module):
    """The classifier with its surprise at the labels of all cells."""

    def __init__(self, classifier: nn.Module) -> None:
        super().__init__()
        self.classifier = classifier

    def forward(self, batch: TerrainBatch) -> Float[Tensor, ""]:
        """The sum over all cells of the batch."""
        labels = batch.blocked.float()
        return functional.binary_cross_entropy_with_logits(
            self.classifier(batch.images), labels, reduction="sum"
        )


def classify(
    network: ClassifierPlanner,
    lessons: TerrainDemonstrations,
    learning: ImitationConfig,
    *,
    validation: TerrainDemonstrations,
    seed: int,
    record: RunLogger,
    progress: Progress,
) -> Best:
    """Learn which cells are blocked, then choose how much that shall count on the way."""
    best = imitate(
        network.classifier,
        CellLessons(lessons),
        learning,
        seed=seed,
        loss=LabelLoss,
        validate=lambda classifier: validate_labels(classifier, validation),
        record=record,
        progress=progress,
    )
    network.caution = tune_cost(network.classifier, "soft", validation).caution
    return best


@torch.no_grad()
def validate_labels(classifier: nn.Module, lessons: TerrainDemonstrations) -> Validation:
    """How little the labels of validation ground surprise, and how many of them are guessed."""
    batch = lessons[range(len(lessons))]
    logits = torch.cat([classifier(part) for part in batch.images.split(100)])
    surprise = functional.binary_cross_entropy_with_logits(logits, batch.blocked.float()).item()
    right = ((logits > 0) == batch.blocked).float().mean().item()
    return Validation(-surprise, {"validation_loss": surprise, "validation_accuracy": right})


def tune_cost(
    classifier: ObstacleClassifier, kind: Literal["hard", "soft"], lessons: TerrainDemonstrations
) -> ClassifierPlanner:
    """The planner whose threshold or weight arrives from most cells of the validation ground."""
    cautions = {
        "hard": [ThresholdCost(threshold) for threshold in THRESHOLDS],
        "soft": [LogProbabilityCost(weight) for weight in WEIGHTS],
    }[kind]
    planners = [ClassifierPlanner(classifier=classifier, caution=one) for one in cautions]
    return max(planners, key=lambda planner: reach_rate(planner, lessons))
