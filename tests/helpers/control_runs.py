"""Smoke runs of the control experiment."""

from vinlab.experiments.base import TrainingRequest
from vinlab.experiments.control import EXPERIMENT
from vinlab.experiments.runner import train


def train_smoke(folder, id="control/vin", recipe="default", **options):
    """Train a setting at the smallest budget."""
    return train(EXPERIMENT, TrainingRequest(id=id, out=folder, budget="smoke", recipe=recipe, **options))
