"""Training on grid-worlds by imitation."""

from dataclasses import replace
from functools import partial
from typing import Any

from vinlab.experiments.base import FitContext, TrainingRequest
from vinlab.experiments.gridworld.data import GridworldSets, make_sets
from vinlab.experiments.gridworld.evaluate import validate
from vinlab.experiments.gridworld.rows import begin_as_authors
from vinlab.experiments.gridworld.settings import DROPOUT_SHARE, GridworldTraining
from vinlab.learners.imitation import ImitationLoss, imitate
from vinlab.learners.optimizers import Stage
from vinlab.learners.training_state import Best
from vinlab.networks.grid.configs import ActionDropoutVinConfig

SEEDS_APART = 1000
"""Between the seeds of the starts of one training, so that trainings share none."""


def make_data(config: GridworldTraining, request: TrainingRequest) -> GridworldSets:
    """The sets of a run."""
    return make_sets(config.data, seed=request.seed, source=request.data)


def adapt(config: GridworldTraining, data: GridworldSets) -> GridworldTraining:
    """The configuration with the number of updates in which actions are left out, where its planner does so."""
    if not isinstance(config.network, ActionDropoutVinConfig):
        return config
    updates = config.learning.epochs * (len(data.training) // config.learning.batch_problems)
    return replace(config, network=replace(config.network, updates=round(DROPOUT_SHARE * updates)))


def best_start(config: GridworldTraining, data: GridworldSets, network: Any, seed: int) -> int:
    """The seed whose initial weights are best by validation after one epoch at the first rate.

    Where goal and obstacles begin with rewards of the same sign, training seldom recovers; one epoch shows it.
    """
    first = replace(config.learning, stages=(Stage(1, config.learning.stages[0].rate),), keep="last")
    fresh = {name: entry.clone() for name, entry in network.state_dict().items()}
    scores = {}
    for start in (seed + SEEDS_APART * number for number in range(config.starts)):
        order = begin_as_authors(network, len(data.training), first.batch_problems, start)
        imitate(network, data.training, first, seed=start, order=order)
        scores[start] = validate(data, network.eval()).score
        network.load_state_dict(fresh)
    return max(scores, key=lambda start: scores[start])


def fit(config: GridworldTraining, data: GridworldSets, network: Any, context: FitContext) -> Best:
    """Imitate the expert, from the weights and in the order of the authors where the configuration asks for them."""
    order = None
    if config.start == "authors":
        seed = context.seed
        if config.starts > 1 and context.logger.load_checkpoint() is None:
            seed = best_start(config, data, network, context.seed)
        order = begin_as_authors(network, len(data.training), config.learning.batch_problems, seed)
    return imitate(
        network,
        data.training,
        config.learning,
        seed=context.seed,
        order=order,
        loss=partial(ImitationLoss, iterations=config.training_iterations),
        validate=partial(validate, data),
        record=context.logger,
        progress=context.progress,
    )
