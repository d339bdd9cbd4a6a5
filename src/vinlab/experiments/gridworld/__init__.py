"""The grid-world by imitation: Section 4.1 and Table 1 of the paper."""

from collections.abc import Callable, Sequence

from vinlab.experiments.base import Budget, Experiment, Recipe, Setting
from vinlab.experiments.gridworld.settings import ITERATIONS, cnn_recipe, fcn_recipe, for_budget, vin_recipe
from vinlab.experiments.gridworld.table import scores_table
from vinlab.experiments.gridworld.train import GridworldTraining, train
from vinlab.recording.finished_run import RecordedRun

Configure = Callable[[int, Budget, Recipe], GridworldTraining]

NETWORKS: dict[str, tuple[Configure, str]] = {
    "vin": (vin_recipe, "VIN"),
    "cnn": (cnn_recipe, "CNN with five layers of filters"),
    "fcn": (fcn_recipe, "FCN whose first filter spans the map"),
}
"""How each row of the table is trained, and what it is."""


def _setting(size: int, name: str) -> Setting:
    configured, words = NETWORKS[name]
    planned = f" with K = {ITERATIONS[size]}" if name == "vin" else ""
    return Setting(
        id=f"gridworld/{size}/{name}",
        about=f"{words}{planned} on {size} x {size} maps with random obstacles",
        configure=lambda budget, recipe: for_budget(configured(size, budget, recipe), budget),
    )


def table(runs: Sequence[RecordedRun]) -> str:
    """Table 1: ours beside the paper's."""
    return scores_table("Grid-world by imitation (Section 4.1, Table 1)", GRIDWORLD.name, runs)


GRIDWORLD = Experiment(
    name="gridworld",
    paper="Section 4.1, Table 1",
    settings={
        setting.id: setting for size in ITERATIONS for setting in (_setting(size, n) for n in NETWORKS)
    },
    learn=train,
    table=table,
)
