"""A VIN that plans on a coarse map first and needs fewer backups: the appendix's table of hierarchical VINs."""

from dataclasses import replace

from vinlab.experiments.base import Budget, Recipe, Setting
from vinlab.experiments.gridworld.settings import (
    ITERATIONS,
    GridworldTraining,
    default_recipe,
    for_budget,
    paper_recipe,
)
from vinlab.experiments.gridworld.settings import SETTINGS as GRIDWORLD_SETTINGS
from vinlab.networks.grid.configs import HierarchicalVinConfig
from vinlab.networks.grid.cost_vin import HierarchicalCostVinConfig

LEVEL_ITERATIONS = {8: 4, 16: 10, 28: 16}
"""The paper's K of both levels by the side of the map."""

LESSON_ITERATIONS = {8: 2, 16: 3, 28: 4}
"""K of the fine level while it learns: the less it sees by itself, the more cells teach the coarse one."""


def configure(size: int, budget: Budget, recipe: Recipe) -> GridworldTraining:
    """A hierarchical VIN in one of the two ways."""
    iterations = (LEVEL_ITERATIONS[size],) * 2
    if recipe == "paper":
        network = HierarchicalVinConfig(iterations=iterations, initialisation="random")
        return for_budget(paper_recipe(network, size, budget), budget)
    network = HierarchicalCostVinConfig(iterations=iterations)
    config = default_recipe(network, size, budget)
    lesson = (iterations[0], LESSON_ITERATIONS[size])
    return for_budget(replace(config, training_iterations=lesson), budget)


def _setting(size: int) -> Setting:
    return Setting(
        id=f"gridworld/{size}/hvin",
        about=f"hierarchical VIN, K = {LEVEL_ITERATIONS[size]} on a coarse map and as many on the full one, "
        f"{size} x {size} maps",
        configure=lambda budget, recipe: configure(size, budget, recipe),
    )


SETTINGS = {f"gridworld/{size}/vin": GRIDWORLD_SETTINGS[f"gridworld/{size}/vin"] for size in ITERATIONS} | {
    setting.id: setting for setting in map(_setting, LEVEL_ITERATIONS)
}
