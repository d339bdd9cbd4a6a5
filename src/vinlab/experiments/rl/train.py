"""Training on the hole world by TRPO."""

from functools import partial
from typing import Any

from torch import nn

from vinlab.experiments.base import FitContext
from vinlab.experiments.rl.data import RlSets, training_worlds
from vinlab.experiments.rl.evaluate import validate
from vinlab.experiments.rl.settings import RlTraining
from vinlab.experiments.runner import seeded
from vinlab.learners.training_state import Best
from vinlab.learners.trpo.trpo import train_trpo

CRITIC_STREAM = 3018
"""Seed of the critic's weights, so that they do not depend on the policy's."""


def build_critic(config: RlTraining, seed: int) -> nn.Module:
    """The critic with fresh weights, from its own random stream."""
    return seeded(CRITIC_STREAM + seed, config.network.build_critic)


def fit(config: RlTraining, data: RlSets, network: Any, context: FitContext) -> Best:
    """Train by TRPO and keep the weights that do best on validation problems."""
    return train_trpo(
        network,
        build_critic(config, context.seed),
        training_worlds(config.data.size, config.learning, data.keys),
        config.learning,
        validate=partial(validate, data.validation),
        **context.options,
    )
