"""Training one network on maps of many sets."""

from typing import Any

from vinlab.experiments.any_map.data import AnyMapSets
from vinlab.experiments.any_map.evaluate import validator
from vinlab.experiments.any_map.settings import AnyMapTraining
from vinlab.experiments.base import FitContext
from vinlab.learners.datasets import MixtureLoss
from vinlab.learners.imitation import imitate
from vinlab.learners.training_state import Best
from vinlab.models import Model


def fit(config: AnyMapTraining, data: AnyMapSets, network: Any, context: FitContext) -> Best:
    """Imitate the expert on all sets at once and keep the weights that do best on validation maps."""
    model = Model("", network, config.data.size, {}, corner_cutting=config.data.corner_cutting)
    return imitate(
        network,
        data.demonstrations,
        config.learning,
        loss=MixtureLoss,
        validate=validator(model, data.validation),
        **context.options,
    )
