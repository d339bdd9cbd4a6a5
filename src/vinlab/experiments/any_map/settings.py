"""One planner for any map: a VIN trained over sizes, densities of obstacles and mazes."""

from dataclasses import dataclass, replace
from functools import partial

from vinlab.experiments.any_map.data import TEST, UNROLLED_TRAINING, VALIDATION, AnyMapData
from vinlab.experiments.base import Budget, Recipe, Setting, by_id
from vinlab.learners.imitation import ImitationConfig, one_cycle
from vinlab.networks.configs import NetworkConfig
from vinlab.networks.grid.configs import VinConfig
from vinlab.networks.grid.cost_vin import CostVinConfig
from vinlab.networks.grid.fixed_point import FixedPointVinConfig


@dataclass(frozen=True)
class AnyMapTraining:
    """The configuration of a run."""

    network: NetworkConfig
    data: AnyMapData
    learning: ImitationConfig


EPOCHS: dict[Budget, int] = {"smoke": 1, "small": 3, "paper": 12}
UNROLLED_EPOCHS: dict[Budget, int] = {"smoke": 1, "small": 3, "paper": 16}
HIDDEN = 40
"""Filters of the unrolled network's reward; more of them take longer and reach no further."""


def configure(budget: Budget, recipe: Recipe, *, corner_cutting: bool = True) -> AnyMapTraining:
    """A VIN that plans to the fixed point, for a budget."""
    data = _for_budget(AnyMapData(corner_cutting=corner_cutting), budget)
    return AnyMapTraining(FixedPointVinConfig(), data, one_cycle(EPOCHS[budget], 1e-2, batch=4))


def configure_unrolled(budget: Budget, recipe: Recipe) -> AnyMapTraining:
    """A VIN with K backups; the recipe ``paper`` has the paper's network, with kernels left free."""
    paper = VinConfig(48, hidden=HIDDEN)
    network = CostVinConfig(48, HIDDEN, outside="zero") if recipe == "default" else paper
    data = _for_budget(AnyMapData(UNROLLED_TRAINING, VALIDATION, TEST), budget)
    return AnyMapTraining(network, data, one_cycle(UNROLLED_EPOCHS[budget], 1e-2, batch=8))


def _for_budget(data: AnyMapData, budget: Budget) -> AnyMapData:
    """For ``small`` fewer maps to test on; for ``smoke`` a few of the small kinds, to see that everything runs."""
    if budget == "paper":
        return data
    if budget == "small":
        return replace(data, test=tuple(replace(part, maps=min(part.maps, 20)) for part in data.test))
    return replace(
        data,
        training=tuple(replace(part, maps=16) for part in data.training if part.map_set.size <= 16),
        validation=tuple(replace(part, maps=4) for part in data.validation if part.map_set.size <= 28),
        test=tuple(replace(part, maps=10) for part in data.test if part.map_set.size <= 28),
    )


SETTINGS = by_id(
    [
        Setting(
            "grid/any",
            "one VIN for maps of any size, planning to the fixed point (K = ∞)",
            configure,
            recipes=("default",),
        ),
        Setting(
            "grid/strict",
            "one VIN for maps of any size where a diagonal move may not pass an obstacle's corner (K = ∞)",
            partial(configure, corner_cutting=False),
            recipes=("default",),
        ),
        Setting(
            "grid/unrolled",
            "one VIN for maps of any size with unrolled backups, K chosen for each map",
            configure_unrolled,
        ),
    ]
)
