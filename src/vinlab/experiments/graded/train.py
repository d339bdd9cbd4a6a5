"""Training one network on maps with costs of many kinds."""

from typing import Any

from vinlab.experiments.base import FitContext
from vinlab.experiments.graded.data import GradedSets
from vinlab.experiments.graded.evaluate import validator
from vinlab.experiments.graded.settings import GradedTraining
from vinlab.learners.datasets import MixtureLoss
from vinlab.learners.imitation import imitate
from vinlab.learners.training_state import Best


def fit(config: GradedTraining, data: GradedSets, network: Any, context: FitContext) -> Best:
    """Imitate the exact planner on all sets at once and keep the weights that do best on validation maps."""
    return imitate(
        network,
        data.demonstrations,
        config.learning,
        loss=MixtureLoss,
        validate=validator(network, data.validation),
        **context.options,
    )
