"""Training for continuous control: a teacher's demonstrations, and a regression on its forces."""

import time
from functools import partial
from typing import Any

from vinlab.domains.control.environment import ParticleWorlds
from vinlab.experiments.base import FitContext, TrainingRequest
from vinlab.experiments.control.augmentation import mirror_at_random
from vinlab.experiments.control.data import ControlSets, make_sets
from vinlab.experiments.control.demonstrations import (
    FILE,
    demonstrations_key,
    load_demonstrations,
    make_demonstrations,
    save_demonstrations,
)
from vinlab.experiments.control.evaluate import validate
from vinlab.experiments.control.settings import ControlTraining
from vinlab.learners.regression import regress
from vinlab.learners.training_state import Best
from vinlab.types import ContinuousDemonstrations


def make_data(config: ControlTraining, request: TrainingRequest) -> ControlSets:
    """The sets of a run; its demonstrations are read where a killed run or ``--data`` has them."""
    own = request.out / FILE
    source = own if request.resume and own.exists() else None
    if request.data is not None:
        source = request.data / FILE if request.data.is_dir() else request.data
    return make_sets(config.data, config.physics, seed=request.seed, source=source)


def fit(config: ControlTraining, data: ControlSets, network: Any, context: FitContext) -> Best:
    """Fit the network to the teacher and keep the weights that do best in the validation domains."""
    demonstrations = obtain_demonstrations(config, data, context)
    started = time.perf_counter()
    best = regress(
        network,
        demonstrations,
        config.learning,
        augment=mirror_at_random,
        validate=partial(validate, ParticleWorlds(data.validation, config.physics), config.data.horizon),
        **context.options,
    )
    data.fit_seconds = time.perf_counter() - started
    return best


def obtain_demonstrations(
    config: ControlTraining, data: ControlSets, context: FitContext
) -> ContinuousDemonstrations:
    """Read the demonstrations or ask the teacher for them, and log how the teacher did."""
    key = demonstrations_key(config.teacher, data.training.problems, context.seed)
    if data.source is not None:
        demonstrations, data.teacher = load_demonstrations(data.source, key)
    else:
        (context.folder / FILE).unlink(missing_ok=True)  # of a run that is overwritten
        demonstrations, data.teacher = demonstrated = make_demonstrations(
            config.teacher, data.training, seed=context.seed, progress=context.progress
        )
        save_demonstrations(context.folder / FILE, demonstrated, key)
    if context.logger.load_checkpoint() is None:
        for entry in data.teacher.history:
            context.logger.log(entry)
    return demonstrations
