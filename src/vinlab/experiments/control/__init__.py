"""Continuous control: Section 4.3 of the paper, a particle pushed past obstacles."""

from collections.abc import Sequence
from typing import Any

from vinlab.domains.control.environment import Physics
from vinlab.domains.control.problem import ControlConfig
from vinlab.experiments.base import Budget, Experiment, Recipe, Setting
from vinlab.experiments.control.demonstrations import RouteTeacher, SearchTeacher, Teacher
from vinlab.experiments.control.table import control_table
from vinlab.experiments.control.train import ControlData, ControlTraining, score_on_test_domains, train
from vinlab.learners.gps.search import LocalSearchConfig
from vinlab.learners.optimizers import Stage
from vinlab.learners.regression import ControlFitConfig
from vinlab.models import Model
from vinlab.networks.control import ControlCnnConfig, ControlNetworkConfig, ControlPolicy, ControlVinConfig
from vinlab.recording.finished_run import FinishedRun
from vinlab.types import GridProblems, InputError

NETWORKS: dict[str, ControlNetworkConfig] = {
    "control/vin": ControlVinConfig(),
    "control/cnn": ControlCnnConfig(),
}
ABOUT = {
    "control/vin": "VIN that plans on a 16 x 16 picture and pushes a particle",
    "control/cnn": "the rival: two convolutions and the same three layers",
}

SIZES: dict[Budget, dict[str, int]] = {
    "smoke": {"domains": 6, "validation": 4, "test": 8, "samples": 4, "iterations": 2, "epochs": 2},
    "small": {"domains": 100, "validation": 30, "test": 100, "samples": 16, "iterations": 10, "epochs": 60},
    "paper": {"domains": 200, "validation": 60, "test": 240, "samples": 16, "iterations": 10, "epochs": 80},
}


def configure(id: str, budget: Budget, recipe: Recipe) -> ControlTraining:
    """The configuration of a network: the recipe ``paper`` has the paper's teacher, the default one our own."""
    sizes = SIZES[budget]
    return ControlTraining(
        network=_network(id, recipe),
        data=ControlData(
            ControlConfig(),
            training_domains=sizes["domains"],
            validation_domains=sizes["validation"],
            test_domains=sizes["test"],
        ),
        physics=Physics(),
        teacher=_teacher(recipe, sizes["iterations"], sizes["samples"]),
        learning=_learning(recipe, sizes["epochs"]),
    )


def _network(id: str, recipe: Recipe) -> ControlNetworkConfig:
    """Fewer features in the reward serve as well and are faster; the paper has 150."""
    return ControlVinConfig(features=50) if (id, recipe) == ("control/vin", "default") else NETWORKS[id]


def _teacher(recipe: Recipe, iterations: int, samples: int) -> Teacher:
    if recipe == "paper":
        return SearchTeacher(LocalSearchConfig(iterations=iterations, samples=samples))
    return RouteTeacher(samples=samples)


def _learning(recipe: Recipe, epochs: int) -> ControlFitConfig:
    """Smaller batches at a higher rate learn from routes faster."""
    if recipe == "paper":
        return ControlFitConfig(Stage(epochs, 2e-3, "one-cycle"))
    return ControlFitConfig(Stage(max(1, 3 * epochs // 4), 5e-3, "one-cycle"), batch_domains=5)


def _setting(id: str) -> Setting:
    return Setting(id, ABOUT[id], lambda budget, recipe: configure(id, budget, recipe))


def judge(model: Model, problems: GridProblems | None, iterations: int | None) -> dict[str, Any]:
    """How a trained policy does in the test domains, as evaluate prints it."""
    if problems is not None or iterations is not None:
        raise InputError(f"'{model.id}' is judged in its own test domains, with the backups of its training.")
    if not isinstance(model.network, ControlPolicy):
        raise InputError(f"'{model.id}' holds no policy for continuous control.")
    return score_on_test_domains(model.network, configure("control/vin", "paper", "default"))


def table(runs: Sequence[FinishedRun]) -> str:
    """The table of Figure 5: ours beside the paper's."""
    return control_table(runs)


CONTROL = Experiment(
    name="control",
    paper="Section 4.3",
    settings={id: _setting(id) for id in NETWORKS},
    learn=train,
    table=table,
    judge=judge,
)
