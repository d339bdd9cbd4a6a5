"""A VIN that plans on a coarse map first and needs fewer backups: the appendix's table of hierarchical VINs."""

from dataclasses import replace
from functools import partial

from vinlab.experiments.base import Budget, Recipe, Setting, by_id
from vinlab.experiments.gridworld.settings import (
    FIRST_STAGE,
    LAST_STAGE,
    NEXT_STAGE,
    GridworldTraining,
    NearGoal,
    default_recipe,
    noise_recipe,
    paper_recipe,
)
from vinlab.experiments.gridworld.settings import SETTINGS as GRIDWORLD_SETTINGS
from vinlab.networks.grid.configs import AuthorsHierarchicalVinConfig
from vinlab.networks.grid.cost_vin import HierarchicalCostVinConfig

LEVEL_ITERATIONS = {8: 4, 16: 10, 28: 16}
"""The paper's K of both levels by the side of the map."""

TRAINING_ITERATIONS = {8: 2, 16: 3, 28: 4}
"""K of the fine level while it learns: the less it sees by itself, the more cells train the coarse one."""

NEAR_GOAL = {
    8: (NearGoal(4, (3, 3), FIRST_STAGE), NearGoal(8, (4, 4), LAST_STAGE)),
    16: (NearGoal(6, (5, 5), FIRST_STAGE), NearGoal(16, (10, 10), LAST_STAGE)),
    28: (
        NearGoal(6, (5, 5), FIRST_STAGE, 4),
        NearGoal(14, (10, 10), NEXT_STAGE, 2),
        NearGoal(28, (16, 16), LAST_STAGE),
    ),
}
"""The curriculum of the recipe ``noise``."""


def configure(size: int, budget: Budget, recipe: Recipe) -> GridworldTraining:
    """A hierarchical VIN by one of the three recipes."""
    iterations = (LEVEL_ITERATIONS[size], LEVEL_ITERATIONS[size])
    if recipe == "paper":
        return paper_recipe(AuthorsHierarchicalVinConfig(iterations=iterations), size, budget)
    if recipe == "noise":
        authors = AuthorsHierarchicalVinConfig(iterations=iterations)
        return noise_recipe(authors, NEAR_GOAL[size], size, budget)
    config = default_recipe(HierarchicalCostVinConfig(iterations=iterations, outside="zero"), size, budget)
    return replace(config, training_iterations=(iterations[0], TRAINING_ITERATIONS[size]))


def _setting(size: int) -> Setting[GridworldTraining]:
    depth = f"K = {LEVEL_ITERATIONS[size]} on a coarse map and as many on the full one"
    about = f"hierarchical VIN, {depth}, {size} x {size} maps"
    recipes: tuple[Recipe, ...] = ("default", "paper", "noise")
    return Setting(f"gridworld/{size}/hvin", about, partial(configure, size), recipes=recipes)


SETTINGS = by_id(
    setting
    for size in LEVEL_ITERATIONS
    for setting in (GRIDWORLD_SETTINGS[f"gridworld/{size}/vin"], _setting(size))
)
