"""Training one network on maps of many sets."""

from typing import Any

from vinlab.experiments.any_map.data import AnyMapSets
from vinlab.experiments.any_map.evaluate import validator
from vinlab.experiments.any_map.settings import AnyMapTraining
from vinlab.experiments.base import FitContext
from vinlab.learners.callbacks import Validator
from vinlab.learners.datasets import MixtureLoss
from vinlab.learners.imitation import imitate
from vinlab.learners.training_state import Best
from vinlab.models import Model


def fit(config: AnyMapTraining, data: AnyMapSets, network: Any, context: FitContext) -> Best:
    """Train on the sets of a run."""
    model = Model("", network, config.data.size, {}, corner_cutting=config.data.corner_cutting)
    return fit_sets(config, data, network, context, validator(model, data.validation))


def fit_sets(config: Any, data: Any, network: Any, context: FitContext, validate: Validator) -> Best:
    """Imitate the expert on all sets at once and keep the weights that do best on validation maps."""
    options = {"loss": MixtureLoss, "validate": validate, **context.options}
    return imitate(network, data.demonstrations, config.learning, **options)
