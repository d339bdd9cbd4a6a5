"""Does a VIN need to share its kernels? The appendix's table of tied and untied weights by size of the data."""

from collections.abc import Sequence

from vinlab.experiments.experiment import Budget, Experiment, Recipe, Setting
from vinlab.experiments.gridworld import GRIDWORLD
from vinlab.experiments.gridworld_recipes import (
    ITERATIONS,
    default_recipe,
    for_budget,
    paper_recipe,
    vin_recipe,
    with_share,
)
from vinlab.experiments.gridworld_training import GridworldTraining, train
from vinlab.experiments.scores_table import scores_table
from vinlab.networks.presets import AuthorsUntiedVinConfig, UntiedVinConfig
from vinlab.recording.recorded import RecordedRun

SIZE = 16
SHARES = (20, 50, 100)
"""Of the training data, in percent."""

TIED_ON_ALL = f"gridworld/{SIZE}/vin"
"""The VIN of Table 1, which stands in this table, too."""


def untied_recipe(budget: Budget, recipe: Recipe) -> GridworldTraining:
    """A VIN whose convolutions have kernels of their own, trained as the tied one is."""
    if recipe == "paper":
        return paper_recipe(AuthorsUntiedVinConfig(iterations=ITERATIONS[SIZE]), SIZE, budget)
    return default_recipe(UntiedVinConfig(iterations=ITERATIONS[SIZE]), SIZE, budget)


def configure(name: str, share: int, budget: Budget, recipe: Recipe) -> GridworldTraining:
    """A tied or untied VIN on a share of the data."""
    config = vin_recipe(SIZE, budget, recipe) if name == "vin" else untied_recipe(budget, recipe)
    return for_budget(with_share(config, share), budget)


def _setting(name: str, share: int) -> Setting:
    words = {"vin": "VIN", "untied": "VIN with kernels of its own in every backup"}[name]
    return Setting(
        id=f"gridworld/{SIZE}/{name}" + (f"-{share}" if share < 100 else ""),
        about=f"{words}, {share} % of the training data, {SIZE} x {SIZE} maps",
        configure=lambda budget, recipe: configure(name, share, budget, recipe),
    )


SETTINGS = {
    setting.id: setting for setting in (_setting(name, s) for s in SHARES for name in ("vin", "untied"))
} | {TIED_ON_ALL: GRIDWORLD.setting(TIED_ON_ALL)}


def table(runs: Sequence[RecordedRun]) -> str:
    """Tied and untied kernels: ours beside the paper's."""
    return scores_table("Weight sharing on 16 × 16 maps (appendix)", WEIGHT_SHARING.name, runs)


WEIGHT_SHARING = Experiment(
    name="weight_sharing",
    paper="Appendix, Weight Sharing",
    settings=SETTINGS,
    learn=train,
    table=table,
)
