"""Does a VIN need to share its kernels? The appendix's table of tied and untied weights by size of the data."""

from vinlab.experiments.base import Budget, Recipe, Setting
from vinlab.experiments.gridworld.settings import (
    ITERATIONS,
    GridworldTraining,
    default_recipe,
    for_budget,
    paper_recipe,
    with_share,
)
from vinlab.networks.configs import NetworkConfig
from vinlab.networks.grid.configs import AuthorsUntiedVinConfig, AuthorsVinConfig, UntiedVinConfig, VinConfig

SIZE = 16
SHARES = (20, 50, 100)
"""Of the training data, in percent."""

WORDS = {"vin": "VIN", "untied": "VIN with kernels of its own in every backup"}

NETWORKS: dict[Recipe, dict[str, NetworkConfig]] = {
    "paper": {
        "vin": AuthorsVinConfig(iterations=ITERATIONS[SIZE]),
        "untied": AuthorsUntiedVinConfig(iterations=ITERATIONS[SIZE]),
    },
    "default": {
        "vin": VinConfig(iterations=ITERATIONS[SIZE]),
        "untied": UntiedVinConfig(iterations=ITERATIONS[SIZE]),
    },
}
"""In the recipe ``paper`` kernels start as noise, in ``default`` they start as moves; in both they are free."""


def configure(name: str, share: int, budget: Budget, recipe: Recipe) -> GridworldTraining:
    """A tied or untied VIN on a share of the data."""
    train_as = paper_recipe if recipe == "paper" else default_recipe
    return for_budget(with_share(train_as(NETWORKS[recipe][name], SIZE, budget), share), budget)


def _id(name: str, share: int) -> str:
    """The suffix -100 is omitted, except for the tied network: ``gridworld/16/vin`` is that of Table 1."""
    said = share < 100 or name == "vin"
    return f"gridworld/{SIZE}/{name}" + (f"-{share}" if said else "")


def _setting(name: str, share: int) -> Setting:
    return Setting(
        id=_id(name, share),
        about=f"{WORDS[name]}, {share} % of the training data, {SIZE} x {SIZE} maps",
        configure=lambda budget, recipe: configure(name, share, budget, recipe),
        control=True,
    )


SETTINGS = {setting.id: setting for setting in (_setting(name, s) for s in SHARES for name in WORDS)}
