"""One planner for maps with costs: a VIN that is shown costs and learns what they mean."""

from dataclasses import dataclass, replace

from vinlab.experiments.base import Budget, Recipe, Setting, by_id
from vinlab.experiments.graded.data import GradedData
from vinlab.learners.imitation import ImitationConfig, one_cycle
from vinlab.networks.configs import NetworkConfig
from vinlab.networks.grid.fixed_point import GradedVinConfig


@dataclass(frozen=True)
class GradedTraining:
    """The configuration of a run."""

    network: NetworkConfig
    data: GradedData
    learning: ImitationConfig


EPOCHS: dict[Budget, int] = {"smoke": 1, "small": 4, "paper": 12}


def configure(budget: Budget, recipe: Recipe) -> GradedTraining:
    """A VIN with one price a cell that plans to the fixed point, for a budget."""
    data = GradedData()
    if budget == "smoke":  # a few small maps, to see that everything runs
        parts = (data.training, data.validation, data.test)
        small = ([part for part in each if part.graded_set.size <= 32] for each in parts)
        training, validation, test = (
            tuple(replace(one, maps=min(one.maps, 4)) for one in each) for each in small
        )
        data = GradedData(training, validation, test)
    elif budget == "small":
        data = replace(data, test=tuple(replace(part, maps=min(part.maps, 10)) for part in data.test))
    return GradedTraining(GradedVinConfig(), data, one_cycle(EPOCHS[budget], 1e-2, batch=4))


ABOUT = "one VIN for maps with costs of any size, planning to the fixed point (K = ∞)"
SETTINGS = by_id([Setting("grid/costs", ABOUT, configure, recipes=("default",))])
