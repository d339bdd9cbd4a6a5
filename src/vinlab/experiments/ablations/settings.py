"""What moves the numbers: one choice of the recipe changed at a time, on 16 x 16 maps."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from vinlab.experiments.base import Budget, Recipe, Setting, by_id
from vinlab.experiments.gridworld.settings import DEEP_ITERATIONS, ITERATIONS, GridworldTraining, vin_recipe
from vinlab.learners.optimizers import Stage
from vinlab.networks.grid.configs import VinConfig
from vinlab.networks.grid.cost_vin import CostVinConfig

SIZE = 16
K = DEEP_ITERATIONS[SIZE]

Change = Callable[[GridworldTraining], GridworldTraining]


def _network(network: VinConfig | CostVinConfig) -> Change:
    return lambda config: replace(config, network=network)


def _paths(config: GridworldTraining) -> GridworldTraining:
    return replace(config, data=replace(config.data, targets="trajectories"))


def _maps(factor: float) -> Change:
    """More or fewer maps, and as many fewer or more epochs, so that the number of updates stays."""

    def change(config: GridworldTraining) -> GridworldTraining:
        (stage,) = config.learning.stages
        stages = (replace(stage, epochs=max(1, round(stage.epochs / factor))),)
        data = replace(config.data, attempts=round(config.data.attempts * factor))
        return replace(config, data=data, learning=replace(config.learning, stages=stages))

    return change


def _learning(*, batch: int = 8, rate: float = 1e-2) -> Change:
    def change(config: GridworldTraining) -> GridworldTraining:
        (stage,) = config.learning.stages
        stages = (Stage(stage.epochs, rate, stage.schedule),)
        return replace(config, learning=replace(config.learning, stages=stages, batch_problems=batch))

    return change


_noise = _network(VinConfig(iterations=K, initialisation="random"))

ABLATIONS: dict[str, tuple[str, Change]] = {
    "default": ("the recipe `default` as it is", lambda config: config),
    "free": ("parts: the paper's, free kernels that start as moves", _network(VinConfig(iterations=K))),
    "noise": ("parts and initialisation: the paper's, kernels start as noise", _noise),
    "paths": ("targets: the expert's one move along seven paths per map", _paths),
    "noise-paths": (
        "the paper's parts from noise, and one move along seven paths",
        lambda config: _paths(_noise(config)),
    ),
    "k-half": (f"K = {K // 2}", _network(CostVinConfig(iterations=K // 2, outside="zero"))),
    "k-paper": (
        f"K = {ITERATIONS[SIZE]}, the paper's",
        _network(CostVinConfig(ITERATIONS[SIZE], outside="zero")),
    ),
    "k-twice": (f"K = {2 * K}", _network(CostVinConfig(iterations=2 * K, outside="zero"))),
    "quarter-data": ("data: a quarter of the maps, as many updates", _maps(0.25)),
    "twice-data": ("data: twice the maps, as many updates", _maps(2.0)),
    "batch-32": ("32 maps an update, so a quarter of the updates", _learning(batch=32)),
    "low-rate": ("a tenth of the rate", _learning(rate=1e-3)),
}


def configure(change: Change, budget: Budget, recipe: Recipe) -> GridworldTraining:
    """The default recipe for 16 x 16 maps with one choice changed."""
    return change(vin_recipe(SIZE, budget, "default"))


SETTINGS = by_id(
    Setting(
        f"guide/{name}",
        f"VIN on {SIZE} x {SIZE} maps; {words}",
        partial(configure, change),
        recipes=("default",),
        control=True,
    )
    for name, (words, change) in ABLATIONS.items()
)
