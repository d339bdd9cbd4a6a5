"""Does a VIN need to share its kernels? The appendix's table of tied and untied weights by size of the data."""

from dataclasses import replace
from functools import partial

from vinlab.experiments.base import RECIPES, Budget, Recipe, Setting, by_id
from vinlab.experiments.gridworld.settings import ITERATIONS, GridworldTraining, default_recipe, paper_recipe
from vinlab.experiments.gridworld.settings import SETTINGS as GRIDWORLD_SETTINGS
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
    config = train_as(NETWORKS[recipe][name], SIZE, budget)
    if recipe == "paper" and share == 50:
        # The authors' scripts for half of the data keep the second rate in the third stage.
        first, second, third, last = config.learning.stages
        stages = (first, second, replace(third, rate=second.rate), last)
        config = replace(config, learning=replace(config.learning, stages=stages))
    return replace(config, data=replace(config.data, attempts=config.data.attempts * share // 100))


def _setting(name: str, share: int) -> Setting[GridworldTraining]:
    # The suffix -100 is omitted, except for the tied network: gridworld/16/vin is that of Table 1.
    suffix = f"-{share}" if share < 100 or name == "vin" else ""
    about = f"{WORDS[name]}, {share} % of the training data, {SIZE} x {SIZE} maps"
    recipes: tuple[Recipe, ...] = ("default",) if suffix == "-100" else RECIPES
    configured = partial(configure, name, share)
    return Setting(f"gridworld/{SIZE}/{name}{suffix}", about, configured, recipes=recipes, control=True)


TABLE_1 = f"gridworld/{SIZE}/vin"
"""In the recipe ``paper`` the tied network with all data is that of Table 1."""

SETTINGS = by_id(
    (
        *(_setting(name, share) for share in SHARES for name in WORDS),
        replace(GRIDWORLD_SETTINGS[TABLE_1], recipes=("paper",)),
    )
)
