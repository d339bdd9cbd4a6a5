"""Does a VIN need to share its kernels? The appendix's table of tied and untied weights by size of the data."""

from collections.abc import Sequence

from vinlab.experiments.experiment import Budget, Experiment, Recipe, Setting
from vinlab.experiments.gridworld_recipes import (
    ITERATIONS,
    default_recipe,
    for_budget,
    paper_recipe,
    with_share,
)
from vinlab.experiments.gridworld_training import GridworldTraining, train
from vinlab.experiments.scores_table import scores_table
from vinlab.networks.presets import (
    AuthorsUntiedVinConfig,
    AuthorsVinConfig,
    NetworkConfig,
    UntiedVinConfig,
    VinConfig,
)
from vinlab.recording.recorded import RecordedRun

SIZE = 16
SHARES = (20, 50, 100)
"""Of the training data, in percent."""

NETWORKS: dict[str, tuple[NetworkConfig, NetworkConfig, str]] = {
    "vin": (AuthorsVinConfig(ITERATIONS[SIZE]), VinConfig(ITERATIONS[SIZE]), "VIN"),
    "untied": (
        AuthorsUntiedVinConfig(ITERATIONS[SIZE]),
        UntiedVinConfig(ITERATIONS[SIZE]),
        "VIN with kernels of its own in every backup",
    ),
}
"""The network of each recipe: in ``paper`` it starts as noise, in ``default`` its free kernels start as moves."""


def configure(name: str, share: int, budget: Budget, recipe: Recipe) -> GridworldTraining:
    """A tied or untied VIN on a share of the data."""
    from_noise, from_moves, _ = NETWORKS[name]
    if recipe == "paper":
        config = paper_recipe(from_noise, SIZE, budget)
    else:
        config = default_recipe(from_moves, SIZE, budget)
    return for_budget(with_share(config, share), budget)


def _id(name: str, share: int) -> str:
    """All data go without saying, except of the tied one: ``gridworld/16/vin`` is that of Table 1."""
    said = share < 100 or name == "vin"
    return f"gridworld/{SIZE}/{name}" + (f"-{share}" if said else "")


def _setting(name: str, share: int) -> Setting:
    return Setting(
        id=_id(name, share),
        about=f"{NETWORKS[name][2]}, {share} % of the training data, {SIZE} x {SIZE} maps",
        configure=lambda budget, recipe: configure(name, share, budget, recipe),
    )


SETTINGS = {setting.id: setting for setting in (_setting(name, s) for s in SHARES for name in NETWORKS)}


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
