"""Training on grid-worlds by imitation."""

from functools import partial
from typing import Any

from vinlab.experiments.base import FitContext
from vinlab.experiments.gridworld.curriculum import train_near_goal
from vinlab.experiments.gridworld.data import GridworldSets
from vinlab.experiments.gridworld.evaluate import validate
from vinlab.experiments.gridworld.rows import begin_as_authors
from vinlab.experiments.gridworld.settings import GridworldTraining
from vinlab.learners.imitation import ImitationLoss, imitate
from vinlab.learners.training_state import Best


def fit(config: GridworldTraining, data: GridworldSets, network: Any, context: FitContext) -> Best:
    """Imitate the expert, from the weights and in the order of the authors where the configuration asks for them."""
    order = None
    if config.curriculum:
        train_near_goal(config, data, network, context)
    elif config.start == "authors":
        order = begin_as_authors(network, len(data.training), config.learning.batch_problems, context.seed)
    return imitate(
        network,
        data.training,
        config.learning,
        order=order,
        loss=partial(ImitationLoss, iterations=config.training_iterations),
        validate=partial(validate, data),
        **context.options,
    )
