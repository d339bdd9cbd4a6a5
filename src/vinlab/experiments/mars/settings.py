"""How the networks of Mars are trained, by recipe and budget: Section 4.2."""

from dataclasses import dataclass, replace
from functools import partial

from vinlab.domains.mars.expert import DemonstrationConfig
from vinlab.domains.mars.splits import Protocol
from vinlab.domains.mars.terrain.synthetic import SyntheticConfig
from vinlab.experiments.base import RECIPES, Budget, Recipe, Setting, by_id
from vinlab.experiments.mars.classifier import LabelConfig
from vinlab.experiments.mars.data import MarsData
from vinlab.learners.imitation import authors_rmsprop, one_cycle
from vinlab.learners.losses import DenseConfig, ReachConfig
from vinlab.learners.staged import TrainingStage
from vinlab.networks.terrain.configs import (
    ClassifierConfig,
    TerrainCnnConfig,
    TerrainNetworkConfig,
    TerrainShortestPathConfig,
    TerrainVinConfig,
)

NETWORKS = {
    "vin": "VIN on an image of the terrain, by imitation",
    "vin-arrival": "VIN on an image of the terrain, by imitation, then maximising the probability to reach the goal",
    "fixed-point": "VIN that learns the cost of each cell and plans to the fixed point, by imitation",
    "fixed-point-arrival": "VIN to the fixed point, by imitation, then maximising the probability to reach the goal",
    "cnn": "reactive CNN on the same image, by imitation",
    "classifier": "classifier of steep cells with a shortest-path planner on its map, soft and hard",
    "cell-classifier": "the same, where the classifier sees one cell of 8 x 8 pixels at a time",
}
BEYOND_PAPER = ("fixed-point", "fixed-point-arrival")
"""Networks that have no counterpart in the paper, and so only one recipe."""
CLASSIFIERS = ("classifier", "cell-classifier")
ON_MORE_GROUND = ("fixed-point-arrival", "classifier")
"""Networks that are also trained with further patches, on synthetic terrain that no other split holds."""
FURTHER: dict[Budget, tuple[int, int]] = {"smoke": (40, 2), "small": (3000, 4), "paper": (30_000, 40)}
"""How many further patches, on how many terrains."""
PROTOCOLS: dict[Protocol, tuple[str, str]] = {
    "disjoint": ("", "test terrain disjoint from training terrain"),
    "overlapping": ("overlapping/", "test patches that overlap with training patches"),
}
EPOCHS = {
    "vin": 2,
    "vin-arrival": 1,
    "fixed-point": 4,
    "fixed-point-arrival": 2,
    "cnn": 2,
    "classifier": 1,
    "cell-classifier": 1,
}
"""Over all patches, at the budget ``paper``; patches overlap, so few epochs suffice."""
REACH_EPOCHS = {"vin-arrival": 1, "fixed-point-arrival": 3}
"""Of the second stage, at the budget ``paper``."""
EPOCHS_ON_MORE_GROUND = {"fixed-point-arrival": (1, 4), "classifier": (3,)}
"""Of each stage: there are four times as many patches. On validation terrain both still gained by more than one."""
PAPER_EPOCHS = 8
"""Ours, of each of RMSProp's rates in the authors' grid-world; the paper gives neither for Mars."""
PATCHES: dict[Budget, int] = {"smoke": 40, "small": 1000, "paper": 10_000}
RATE, REACH_RATE = 5e-3, 2e-3
"""Adam's highest rates. In the second stage a higher one loses what imitation learned."""


@dataclass(frozen=True)
class MarsTraining:
    """The configuration of a run."""

    network: TerrainNetworkConfig
    data: MarsData
    stages: tuple[TrainingStage, ...]


def configure(name: str, protocol: Protocol, budget: Budget, recipe: Recipe) -> MarsTraining:
    """The configuration of a setting.

    ``paper`` starts from random kernels and learns from seven paths a patch, by RMSProp as in the grid-world.
    """
    recipe = "default" if name in BEYOND_PAPER else recipe
    data = _data(protocol, budget, recipe)
    return MarsTraining(_network(name, recipe), data, _stages(name, _epochs(name, budget), budget, recipe))


def configure_on_more_ground(name: str, budget: Budget, _: Recipe) -> MarsTraining:
    """The same network with further patches, in the one recipe ``default``."""
    config = configure(name, "disjoint", budget, "default")
    patches, terrains = FURTHER[budget]
    data = replace(config.data, further_patches=patches, further_terrains=terrains)
    epochs = EPOCHS_ON_MORE_GROUND[name] if budget == "paper" else _epochs(name, budget)
    return replace(config, data=data, stages=_stages(name, epochs, budget, "default"))


def _network(name: str, recipe: Recipe) -> TerrainNetworkConfig:
    """The network of a row; all of them have the paper's image layers."""
    flip_average = recipe == "default"
    if name == "cnn":
        return TerrainCnnConfig()
    if name in CLASSIFIERS:
        image = "cell" if name == "cell-classifier" else "paper"
        return ClassifierConfig(image=image, flip_average=flip_average)
    if name in BEYOND_PAPER:
        return TerrainShortestPathConfig(flip_average=flip_average)
    start = "moves" if recipe == "default" else "random"
    return TerrainVinConfig(initialisation=start, flip_average=flip_average)


def _data(protocol: Protocol, budget: Budget, recipe: Recipe) -> MarsData:
    along_paths = DemonstrationConfig(goals=1, trajectories=7, mirror=False)
    shown = along_paths if recipe == "paper" else DemonstrationConfig()
    data = MarsData(protocol=protocol, patches=PATCHES[budget], demonstrations=shown)
    if budget != "smoke":
        return data
    small = SyntheticConfig(side=256, largest_crater=20.0)
    return replace(data, validation_problems=10, test_problems=20, terrains=4, synthetic=small)


def _epochs(name: str, budget: Budget) -> tuple[int, ...]:
    """Of each stage."""
    epochs = (EPOCHS[name], REACH_EPOCHS[name]) if name in REACH_EPOCHS else (EPOCHS[name],)
    return epochs if budget == "paper" else (1,) * len(epochs)


def _stages(name: str, epochs: tuple[int, ...], budget: Budget, recipe: Recipe) -> tuple[TrainingStage, ...]:
    first = LabelConfig() if name in CLASSIFIERS else DenseConfig()
    learning = one_cycle(epochs[0], RATE, batch=16)
    if recipe == "paper" and name not in CLASSIFIERS:
        learning = authors_rmsprop(PAPER_EPOCHS if budget == "paper" else 1)
    reach = (TrainingStage(ReachConfig(), one_cycle(more, REACH_RATE, batch=16)) for more in epochs[1:])
    return TrainingStage(first, learning), *reach


def _setting(name: str, protocol: Protocol) -> Setting[MarsTraining]:
    prefix, terrain = PROTOCOLS[protocol]
    about = f"{NETWORKS[name]}; {terrain}"
    recipes: tuple[Recipe, ...] = ("default",) if name in BEYOND_PAPER else RECIPES
    return Setting(f"mars/{prefix}{name}", about, partial(configure, name, protocol), recipes)


def _setting_on_more_ground(name: str) -> Setting[MarsTraining]:
    about = (
        f"{NETWORKS[name]}; with four times as many training patches, the further ones on synthetic terrain"
    )
    return Setting(f"mars/{name}-more-ground", about, partial(configure_on_more_ground, name), ("default",))


SETTINGS = by_id(
    [
        *(_setting(name, protocol) for protocol in PROTOCOLS for name in NETWORKS),
        *(_setting_on_more_ground(name) for name in ON_MORE_GROUND),
    ]
)
