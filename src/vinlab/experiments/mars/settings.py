"""How the networks of Mars are trained, by recipe and budget: Section 4.2."""

from dataclasses import dataclass, replace
from functools import partial

from vinlab.domains.mars.expert import DemonstrationConfig
from vinlab.domains.mars.splits import Protocol
from vinlab.domains.mars.terrain.synthetic import SyntheticConfig
from vinlab.experiments.base import Budget, Recipe, Setting, by_id
from vinlab.experiments.mars.classifier import LabelConfig
from vinlab.experiments.mars.data import MarsData
from vinlab.learners.imitation import ImitationConfig
from vinlab.learners.losses import DenseConfig, ReachConfig
from vinlab.learners.optimizers import Stage
from vinlab.learners.staged import TrainingStage
from vinlab.networks.terrain.configs import (
    ClassifierConfig,
    TerrainCnnConfig,
    TerrainNetworkConfig,
    TerrainVinConfig,
)

NETWORKS = {
    "vin": "VIN on an image of the terrain, by imitation",
    "vin-arrival": "the same VIN, by imitation, then by maximising the probability to reach the goal",
    "cnn": "reactive CNN on the same image, by imitation",
    "classifier": "classifier of steep cells with a shortest-path planner on its map, soft and hard",
}
PROTOCOLS: dict[Protocol, tuple[str, str]] = {
    "disjoint": ("", "test terrain disjoint from training terrain"),
    "overlapping": ("overlapping/", "test patches that overlap with training patches"),
}
EPOCHS = {"vin": 2, "vin-arrival": 1, "cnn": 2, "classifier": 1}
"""Over all patches, at the budget ``paper``; patches overlap, so few epochs suffice."""
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
    """The configuration of a setting; ``paper`` starts from random kernels and learns from seven paths a patch."""
    return MarsTraining(
        _network(name, flip_average=recipe == "default", random=recipe == "paper"),
        _data(protocol, budget, recipe),
        _stages(name, EPOCHS[name] if budget == "paper" else 1),
    )


def _network(name: str, *, flip_average: bool, random: bool) -> TerrainNetworkConfig:
    """The network of a row; all of them have the paper's image layers."""
    if name == "cnn":
        return TerrainCnnConfig()
    if name == "classifier":
        return ClassifierConfig(flip_average=flip_average)
    return TerrainVinConfig(initialisation="random" if random else "moves", flip_average=flip_average)


def _data(protocol: Protocol, budget: Budget, recipe: Recipe) -> MarsData:
    along_paths = DemonstrationConfig(goals=1, trajectories=7, mirror=False)
    shown = along_paths if recipe == "paper" else DemonstrationConfig()
    data = MarsData(protocol=protocol, patches=PATCHES[budget], demonstrations=shown)
    if budget != "smoke":
        return data
    small = SyntheticConfig(side=256, largest_crater=20.0)
    return replace(data, validation_problems=10, test_problems=20, terrains=4, synthetic=small)


def _stages(name: str, epochs: int) -> tuple[TrainingStage, ...]:
    first = LabelConfig() if name == "classifier" else DenseConfig()
    stages = (TrainingStage(first, one_cycle(epochs, RATE)),)
    if name == "vin-arrival":
        stages += (TrainingStage(ReachConfig(), one_cycle(1, REACH_RATE)),)
    return stages


def one_cycle(epochs: int, rate: float) -> ImitationConfig:
    """One cycle of Adam's rate."""
    return ImitationConfig(stages=(Stage(epochs, rate, "one-cycle"),), batch_problems=16)


def _setting(name: str, protocol: Protocol) -> Setting[MarsTraining]:
    prefix, terrain = PROTOCOLS[protocol]
    about = f"{NETWORKS[name]}; {terrain}"
    return Setting(f"mars/{prefix}{name}", about, partial(configure, name, protocol))


SETTINGS = by_id(_setting(name, protocol) for protocol in PROTOCOLS for name in NETWORKS)
