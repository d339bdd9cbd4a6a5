"""The networks of the Mars table, from plain settings that a manifest can hold."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import torch

from vinlab.modules import LinearPolicy, SharedTransition, StateAttention, move_kernels, random_kernels
from vinlab.networks.terrain.policies import (
    ClassifierPlanner,
    FlipAveragedClassifier,
    LogProbabilityCost,
    ObstacleClassifier,
    TerrainCnn,
    TerrainVin,
    ThresholdCost,
)
from vinlab.networks.terrain.reward import (
    DeepImageLayers,
    FlipAveragedTerrainReward,
    ImageLayers,
    TerrainReward,
)
from vinlab.planning import GridPlanner
from vinlab.types import MOVE_NAMES

ImageKind = Literal["paper", "deep"]
"""Image layers of the paper, or ours, which see further."""


def image_layers(kind: ImageKind, dropout: float) -> ImageLayers | DeepImageLayers:
    """Image layers with fresh weights."""
    return DeepImageLayers(dropout=dropout) if kind == "deep" else ImageLayers()


@dataclass(frozen=True)
class TerrainVinConfig:
    """The paper's VIN for terrain; its kernels start as grid-world moves or as noise."""

    kind: ClassVar[str] = "terrain-vin"
    iterations: int = 24
    initialisation: Literal["moves", "random"] = "moves"
    image: ImageKind = "paper"
    hidden: int = 150
    actions: int = 10
    dropout: float = 0.3
    """The share of features that each patch goes without in training, in our image layers."""
    flip_average: bool = False
    """Whether it looks a second time, with the picture upside down."""

    def build(self) -> TerrainVin:
        """The network with fresh weights."""
        policy = LinearPolicy(actions=self.actions, moves=len(MOVE_NAMES))
        kernels = {"moves": move_kernels, "random": random_kernels}[self.initialisation]
        if self.initialisation == "moves":
            with torch.no_grad():
                policy.moves.weight += torch.eye(len(MOVE_NAMES), self.actions)
        look = FlipAveragedTerrainReward if self.flip_average else TerrainReward
        return TerrainVin(
            reward=look(image=image_layers(self.image, self.dropout), hidden=self.hidden),
            transition=SharedTransition(kernels(actions=self.actions)),
            planner=GridPlanner(iterations=self.iterations),
            attention=StateAttention(),
            policy=policy,
        )


@dataclass(frozen=True)
class TerrainCnnConfig:
    """A reactive CNN on the VIN's image layers; its filters see further from layer to layer."""

    kind: ClassVar[str] = "terrain-cnn"
    image: ImageKind = "paper"
    dropout: float = 0.3
    width: int = 32
    dilations: tuple[int, ...] = (1, 2, 4, 8, 1)
    """How far apart the entries of each layer's filters are: together they span the map."""

    def build(self) -> TerrainCnn:
        """The network with fresh weights."""
        return TerrainCnn(
            image=image_layers(self.image, self.dropout), width=self.width, dilations=self.dilations
        )


@dataclass(frozen=True)
class ClassifierConfig:
    """The VIN's image layers as a classifier of cells, with a shortest-path planner on its map."""

    kind: ClassVar[str] = "terrain-classifier"
    caution: Literal["hard", "soft"] = "soft"
    image: ImageKind = "paper"
    hidden: int = 150
    dropout: float = 0.3
    flip_average: bool = False

    def build(self) -> ClassifierPlanner:
        """The network with fresh weights."""
        look = FlipAveragedClassifier if self.flip_average else ObstacleClassifier
        return ClassifierPlanner(
            classifier=look(image=image_layers(self.image, self.dropout), hidden=self.hidden),
            caution=ThresholdCost() if self.caution == "hard" else LogProbabilityCost(),
        )


MarsNetworkConfig = TerrainVinConfig | TerrainCnnConfig | ClassifierConfig
