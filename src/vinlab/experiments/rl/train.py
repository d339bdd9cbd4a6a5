"""Training on the hole world by TRPO."""

from dataclasses import replace
from functools import partial
from typing import Any

from torch import nn

from vinlab.experiments.base import FitContext
from vinlab.experiments.rl.data import RlSets, training_worlds
from vinlab.experiments.rl.evaluate import validate
from vinlab.experiments.rl.settings import RlTraining
from vinlab.experiments.runner import seeded
from vinlab.learners.callbacks import CollectingLogger, Progress, RunLogger
from vinlab.learners.training_state import Best
from vinlab.learners.trpo.trpo import train_trpo

CRITIC_STREAM = 3018
"""Seed of the critic's weights, so that they do not depend on the policy's."""

SEEDS_APART = 1000
"""Between the seeds of the starts of one training, so that trainings share none."""


def build_critic(config: RlTraining, seed: int) -> nn.Module:
    """The critic with fresh weights, from its own random stream."""
    return seeded(CRITIC_STREAM + seed, config.network.build_critic)


def fit(config: RlTraining, data: RlSets, network: Any, context: FitContext) -> Best:
    """Train by TRPO and keep the weights that do best on validation problems."""
    if config.starts > 1:
        begin_with_best_start(config, data, network, context)
    return _train(config, data, network, context.seed, context.logger, context.progress)


def begin_with_best_start(config: RlTraining, data: RlSets, network: Any, context: FitContext) -> None:
    """Train some iterations from several initial weights and leave the network with the best result.

    The trials are short and leave no checkpoint; a run that was killed in them begins anew.
    """
    if context.logger.load_checkpoint() is not None:
        return
    trials = [
        _try_start(config, data, network, context, context.seed + SEEDS_APART * number)
        for number in range(config.starts)
    ]
    network.load_state_dict(max(trials, key=lambda best: best.score).weights)


def _try_start(config: RlTraining, data: RlSets, network: Any, context: FitContext, seed: int) -> Best:
    """The first iterations of a training from the weights of the seed, with the same bounds on its steps."""
    network.load_state_dict(seeded(seed, config.network.build).state_dict())
    last = config.learning.divergence_at(config.trial_iterations - 1)
    learning = replace(config.learning, iterations=config.trial_iterations, last_divergence=last)
    logged = CollectingLogger()
    best = _train(replace(config, learning=learning), data, network, seed, logged, context.progress)
    steps = sum(line["steps"] for line in logged.metrics)
    context.logger.log({"stage": "trial", "start": seed, "steps": steps, "trial_success": best.score})
    return best


def _train(
    config: RlTraining, data: RlSets, network: Any, seed: int, logger: RunLogger, progress: Progress
) -> Best:
    return train_trpo(
        network,
        build_critic(config, seed),
        training_worlds(config.data.size, config.learning, data.keys),
        config.learning,
        seed=seed,
        validate=partial(validate, data.validation),
        record=logger,
        progress=progress,
    )
