"""Small runs of the experiment, trained once for all its tests."""

import pytest

from vinlab.experiments.base import TrainingRequest
from vinlab.experiments.rl import EXPERIMENT
from vinlab.experiments.runner import train


@pytest.fixture(scope="session")
def rl_runs(tmp_path_factory):
    """A VIN, a CNN, and a VIN without a curriculum, at the smallest budget."""
    folder = tmp_path_factory.mktemp("runs")
    ids = ("rl/8/vin", "rl/8/cnn", "rl/8/vin-no-curriculum")
    requests = [TrainingRequest(id=id, out=folder / id, budget="smoke", recipe="paper") for id in ids]
    return [train(EXPERIMENT, request) for request in requests]
