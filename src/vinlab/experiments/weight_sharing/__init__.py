"""Does a VIN need to share its kernels? The appendix's table of tied and untied weights by size of the data."""

from collections.abc import Sequence

from vinlab.experiments.base import Budget, Experiment, Recipe, Setting
from vinlab.experiments.gridworld.settings import (
    ITERATIONS,
    default_recipe,
    for_budget,
    paper_recipe,
    with_share,
)
from vinlab.experiments.gridworld.table import scores_table
from vinlab.experiments.gridworld.train import GridworldTraining, train
from vinlab.networks.configs import (
    AuthorsUntiedVinConfig,
    AuthorsVinConfig,
    NetworkConfig,
    UntiedVinConfig,
    VinConfig,
)
from vinlab.recording.finished_run import RecordedRun

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
    """All data go without saying, except of the tied one: ``gridworld/16/vin`` is that of Table 1."""
    said = share < 100 or name == "vin"
    return f"gridworld/{SIZE}/{name}" + (f"-{share}" if said else "")


def _setting(name: str, share: int) -> Setting:
    return Setting(
        id=_id(name, share),
        about=f"{WORDS[name]}, {share} % of the training data, {SIZE} x {SIZE} maps",
        configure=lambda budget, recipe: configure(name, share, budget, recipe),
    )


SETTINGS = {setting.id: setting for setting in (_setting(name, s) for s in SHARES for name in WORDS)}


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
