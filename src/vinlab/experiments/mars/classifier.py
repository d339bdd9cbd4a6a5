"""The "best achievable" planner: a classifier of cells that learns from labels, with as much caution as serves."""

from dataclasses import dataclass
from typing import Any, Literal

import torch
from jaxtyping import Float, Float32
from torch import Tensor, nn
from torch.nn import functional

from vinlab.domains.mars.expert import GroundBatch, GroundLessons
from vinlab.experiments.mars.evaluate import arrivals_everywhere
from vinlab.learners.callbacks import Progress, Record, Validation
from vinlab.learners.imitation import Best, ImitationConfig, imitate
from vinlab.networks.terrain.policies import ClassifierPlanner, HardCaution, ObstacleClassifier, SoftCaution

THRESHOLDS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
WEIGHTS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0)


@dataclass(frozen=True)
class CellLessons:
    """The same patches, in which every cell counts once."""

    ground: GroundLessons

    def __len__(self) -> int:
        return len(self.ground)

    @property
    def weights(self) -> Float32[Tensor, " P"]:
        """The number of cells."""
        return torch.full((len(self.ground),), float(self.ground.obstacles[0].size))

    def __getitem__(self, chosen: Any) -> GroundBatch:
        return self.ground[chosen]


class LabelLoss(nn.Module):
    """The classifier with its surprise at the labels of all cells."""

    def __init__(self, classifier: nn.Module) -> None:
        super().__init__()
        self.classifier = classifier

    def forward(self, batch: GroundBatch) -> Float[Tensor, ""]:
        """The sum over all cells of the batch."""
        labels = batch.blocked.float()
        return functional.binary_cross_entropy_with_logits(
            self.classifier(batch.images), labels, reduction="sum"
        )


def classify(
    network: ClassifierPlanner,
    lessons: GroundLessons,
    learning: ImitationConfig,
    *,
    validation: GroundLessons,
    seed: int,
    record: Record,
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
    network.caution = choose_caution(network.classifier, "soft", validation).caution
    return best


@torch.no_grad()
def validate_labels(classifier: nn.Module, lessons: GroundLessons) -> Validation:
    """How little the labels of validation ground surprise, and how many of them are guessed."""
    batch = lessons[range(len(lessons))]
    logits = torch.cat([classifier(part) for part in batch.images.split(100)])
    surprise = functional.binary_cross_entropy_with_logits(logits, batch.blocked.float()).item()
    right = ((logits > 0) == batch.blocked).float().mean().item()
    return Validation(-surprise, {"validation_loss": surprise, "validation_accuracy": right})


def choose_caution(
    classifier: ObstacleClassifier, kind: Literal["hard", "soft"], lessons: GroundLessons
) -> ClassifierPlanner:
    """The planner whose threshold or weight arrives from most cells of the validation ground."""
    cautions = {
        "hard": [HardCaution(threshold) for threshold in THRESHOLDS],
        "soft": [SoftCaution(weight) for weight in WEIGHTS],
    }[kind]
    planners = [ClassifierPlanner(classifier=classifier, caution=one) for one in cautions]
    return max(planners, key=lambda planner: arrivals_everywhere(planner, lessons))
