"""One planner for maps with costs: a VIN that is shown costs and learns what they mean."""

from dataclasses import dataclass, replace

from vinlab.experiments.base import Budget, Recipe, Setting
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
        chosen = {
            name: tuple(
                replace(part, maps=min(part.maps, 4))
                for part in getattr(data, name)
                if part.graded_set.size <= 32
            )
            for name in ("training", "validation", "test")
        }
        data = replace(data, **chosen)
    elif budget == "small":
        data = replace(data, test=tuple(replace(part, maps=min(part.maps, 10)) for part in data.test))
    return GradedTraining(
        network=GradedVinConfig(),
        data=data,
        learning=one_cycle(EPOCHS[budget], 1e-2, batch=4),
    )


SETTINGS = {
    "grid/costs": Setting(
        id="grid/costs",
        about="one VIN for maps with costs of any size, planning to the fixed point (K = ∞)",
        configure=configure,
        recipes=("default",),
    )
}
