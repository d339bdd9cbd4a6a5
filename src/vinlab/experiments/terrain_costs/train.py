"""Training on demonstrated paths: the weights with the best loss on validation pictures are kept."""

from dataclasses import replace
from typing import Any

import numpy as np
import torch

from vinlab.experiments.base import FitContext
from vinlab.experiments.terrain_costs.data import TerrainCostsSets
from vinlab.experiments.terrain_costs.dataset.demonstrations import PathDemonstrations
from vinlab.experiments.terrain_costs.evaluate import move_agreement
from vinlab.experiments.terrain_costs.settings import PathLearning, TerrainCostsTraining
from vinlab.learners.callbacks import Validation
from vinlab.learners.imitation import ImitationConfig, imitate, one_cycle
from vinlab.learners.path_losses import PathLoss
from vinlab.learners.search_loss import SearchLoss
from vinlab.learners.training_state import Best
from vinlab.modules.symmetry import SYMMETRIES

LARGE = 48 * 48
"""Pixels from which on an image is large."""

MOST_PATHS = 64
"""Of an update."""


def adapt(config: TerrainCostsTraining, data: TerrainCostsSets) -> TerrainCostsTraining:
    """The configuration with the channels of the training images and the size of their cells.

    Of large images fewer are seen in an update, so that it takes no longer and needs no more memory.
    """
    mean, std = data.split.train.statistics()
    network: Any = config.network
    images = len(data.split.train.images)
    pixels = sum(image[0].size for image in data.split.train.images) / images
    together = min(MOST_PATHS, config.learning.pictures * len(data.split.train) // images)
    batch = max(1, int(max(config.learning.batch, together) * min(1.0, LARGE / pixels)))
    return replace(
        config,
        network=replace(network, mean=mean, std=std, pixels=data.split.train.pixels),
        learning=replace(config.learning, batch=batch),
    )


def fit(config: TerrainCostsTraining, data: TerrainCostsSets, network: Any, context: FitContext) -> Best:
    """Learn from the demonstrated paths."""
    shown = demonstrations(config.learning, data)
    checked = PathDemonstrations(data.split.validation)
    loss = config.loss.build(network)
    return imitate(
        network,
        shown,
        schedule(config.learning, len(shown)),
        loss=config.loss.build,
        order=lambda epoch: shown.order(np.random.default_rng([context.seed, epoch])),
        validate=lambda _: validate(loss, checked),
        **context.options,
    )


def demonstrations(learning: PathLearning, data: TerrainCostsSets) -> PathDemonstrations:
    """The training paths, each shown so often that an epoch has enough updates."""
    count = len(data.split.train)
    wanted = min(learning.epoch_updates, learning.updates)
    copies = max(1, -(-wanted * learning.batch // count))
    if learning.symmetric:
        copies = max(SYMMETRIES, copies)
    return PathDemonstrations(data.split.train, copies, learning.symmetric, learning.pictures > 0)


def schedule(learning: PathLearning, paths: int) -> ImitationConfig:
    """About the wanted number of updates in whole epochs, with one cycle of Adam's rate."""
    epochs = max(1, round(learning.updates / -(-paths // learning.batch)))
    return one_cycle(epochs, learning.rate, batch=learning.batch)


BATCH = 32
"""Paths that are validated together."""


@torch.no_grad()
def validate(loss: PathLoss | SearchLoss, paths: PathDemonstrations) -> Validation:
    """The loss of a move on validation paths, and how often the policy would have moved as the demonstrator did."""
    total, agreed = 0.0, 0.0
    for first in range(0, len(paths), BATCH):
        batch = paths[range(first, min(first + BATCH, len(paths)))]
        total += loss(batch).item()
        agreed += sum(move_agreement(loss.policy, part) for part in batch)
    moves = float(paths.weights.sum())
    return Validation(
        -total / moves, {"validation_loss": total / moves, "validation_agreement": agreed / moves}
    )
