"""How the networks of the control experiment are trained, by recipe and budget: Section 4.3."""

from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

from vinlab.domains.control.environment import Physics
from vinlab.domains.control.expert import Gains
from vinlab.experiments.base import Budget, Recipe, Setting, by_id
from vinlab.experiments.control.data import ControlData
from vinlab.learners.gps.search import LocalSearchConfig
from vinlab.learners.optimizers import Stage
from vinlab.learners.regression import RegressionConfig
from vinlab.networks.control import ControlCnnConfig, ControlNetworkConfig, ControlVinConfig


@dataclass(frozen=True)
class SearchTeacher:
    """The paper's teacher: a local controller for each domain, by iLQG with fitted dynamics."""

    kind: ClassVar[str] = "SearchTeacher"
    search: LocalSearchConfig = field(default_factory=LocalSearchConfig)
    noise: float = 0.5
    """Standard deviation of the noise on the forces of the demonstrations, as with the route teacher.

    By the end of the search the controllers' own noise is so small that their samples stay close to one trajectory, and
    a policy would not learn how to return to it.
    """
    precision_floor: float = 0.1
    """Precisions are divided by their mean and clipped between this and its inverse."""


@dataclass(frozen=True)
class RouteTeacher:
    """Our teacher: it knows the map and tracks the shortest route, disturbed by noise."""

    kind: ClassVar[str] = "RouteTeacher"
    gains: Gains = field(default_factory=Gains)
    samples: int = 16
    noise: float = 0.5
    horizon: int = 100


Teacher = SearchTeacher | RouteTeacher


@dataclass(frozen=True)
class ControlTraining:
    """The configuration of a run."""

    network: ControlNetworkConfig
    data: ControlData
    physics: Physics
    teacher: Teacher
    learning: RegressionConfig


@dataclass(frozen=True)
class Sizes:
    """The sizes of a budget."""

    data: ControlData
    samples: int
    """Rollouts of the teacher per domain, and per iteration of its search."""
    iterations: int
    """Of the teacher's search."""
    epochs: int


def _domains(training: int, validation: int, test: int) -> ControlData:
    return ControlData(training_domains=training, validation_domains=validation, test_domains=test)


SIZES: dict[Budget, Sizes] = {
    "smoke": Sizes(_domains(6, 4, 8), samples=4, iterations=2, epochs=2),
    "small": Sizes(_domains(100, 30, 100), samples=16, iterations=10, epochs=60),
    "paper": Sizes(_domains(200, 60, 240), samples=16, iterations=10, epochs=80),
}

ABOUT = {
    "control/vin": "VIN that plans on a 16 x 16 image and applies forces to a particle",
    "control/cnn": "the baseline: two convolutions and the same three layers",
}


def configure(id: str, budget: Budget, recipe: Recipe) -> ControlTraining:
    """The configuration of a network: the recipe ``paper`` has the paper's teacher, the default one ours."""
    sizes, cnn = SIZES[budget], ControlCnnConfig()
    if recipe == "paper":
        network = cnn if id == "control/cnn" else ControlVinConfig()
        teacher = SearchTeacher(LocalSearchConfig(iterations=sizes.iterations, samples=sizes.samples))
        learning = RegressionConfig((Stage(sizes.epochs, 2e-3, "one-cycle"),))
    else:
        # With fewer features in the reward the VIN does as well and is faster; the paper has 150.
        network = cnn if id == "control/cnn" else ControlVinConfig(features=50)
        teacher = RouteTeacher(samples=sizes.samples)
        # Smaller batches at a higher rate learn faster from the route teacher.
        stage = Stage(max(1, 3 * sizes.epochs // 4), 5e-3, "one-cycle")
        learning = RegressionConfig((stage,), batch_problems=5)
    return ControlTraining(network, sizes.data, Physics(), teacher, learning)


SETTINGS = by_id(Setting(id, about, partial(configure, id)) for id, about in ABOUT.items())
