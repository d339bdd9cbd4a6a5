"""The networks for images of terrain, from plain settings that a manifest can hold."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from vinlab.modules import LinearPolicy, SharedTransition, StateAttention, TemperaturePolicy
from vinlab.modules.move_cost import KnownMoves
from vinlab.modules.transition import Initialisation, initial_kernels
from vinlab.networks.terrain.classifier import (
    ClassifierPlanner,
    FlipAveragedClassifier,
    LogProbabilityCost,
    ObstacleClassifier,
    ThresholdCost,
)
from vinlab.networks.terrain.costs import FlipAveragedTerrainCosts, TerrainCosts, TerrainShortestPathVin
from vinlab.networks.terrain.encoder import CellImageLayers, DeepImageLayers, ImageEncoder, ImageLayers
from vinlab.networks.terrain.policies import TerrainCnn, TerrainVin
from vinlab.networks.terrain.reward import FlipAveragedTerrainReward, TerrainReward
from vinlab.planning import GridPlanner
from vinlab.planning.shortest_path import ShortestPathPlanner

ImageKind = Literal["paper", "deep", "cell"]
"""The paper's image layers, ours with a wider receptive field, or the paper's on the pixels of one cell at a time."""


def image_layers(kind: ImageKind, dropout: float) -> ImageEncoder:
    """Image layers with fresh weights."""
    if kind == "deep":
        return DeepImageLayers(dropout=dropout)
    return CellImageLayers(ImageLayers()) if kind == "cell" else ImageLayers()


@dataclass(frozen=True)
class TerrainVinConfig:
    """The paper's VIN for terrain; its kernels are initialised as grid moves or at random."""

    kind: ClassVar[str] = "terrain-vin"
    iterations: int = 24
    initialisation: Initialisation = "moves"
    image: ImageKind = "paper"
    hidden: int = 150
    actions: int = 10
    dropout: float = 0.3
    """The share of features that is dropped in training, in our image layers."""
    flip_average: bool = False
    """Whether it averages over the image and its vertical flip, outside of training."""

    def build(self) -> TerrainVin:
        """The network with fresh weights."""
        policy = LinearPolicy(actions=self.actions, like_moves=self.initialisation == "moves")
        reward = FlipAveragedTerrainReward if self.flip_average else TerrainReward
        return TerrainVin(
            reward=reward(image=image_layers(self.image, self.dropout), hidden=self.hidden),
            transition=SharedTransition(initial_kernels(self.initialisation, actions=self.actions)),
            planner=GridPlanner(iterations=self.iterations),
            attention=StateAttention(),
            policy=policy,
        )


@dataclass(frozen=True)
class TerrainShortestPathConfig:
    """A VIN for terrain that learns the cost of each cell and plans to the fixed point."""

    kind: ClassVar[str] = "terrain-shortest-path"
    image: ImageKind = "paper"
    hidden: int = 150
    dropout: float = 0.3
    flip_average: bool = False
    log_inverse_temperature: float = 1.0
    """Of the policy before training."""

    def build(self) -> TerrainShortestPathVin:
        """The network with fresh weights."""
        costs = FlipAveragedTerrainCosts if self.flip_average else TerrainCosts
        return TerrainShortestPathVin(
            reward=costs(image=image_layers(self.image, self.dropout), hidden=self.hidden),
            transition=KnownMoves(),
            planner=ShortestPathPlanner(),
            attention=StateAttention(),
            policy=TemperaturePolicy(log_inverse_temperature=self.log_inverse_temperature),
        )


@dataclass(frozen=True)
class TerrainCnnConfig:
    """A reactive CNN on the VIN's image layers, with dilated convolutions."""

    kind: ClassVar[str] = "terrain-cnn"
    image: ImageKind = "paper"
    dropout: float = 0.3
    width: int = 32
    dilations: tuple[int, ...] = (1, 2, 4, 8, 1)
    """The dilation of each layer; together they span the map."""

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
        classifier = FlipAveragedClassifier if self.flip_average else ObstacleClassifier
        image, width = image_layers(self.image, self.dropout), 1 if self.image == "cell" else 3
        caution = ThresholdCost() if self.caution == "hard" else LogProbabilityCost()
        return ClassifierPlanner(
            classifier=classifier(image=image, hidden=self.hidden, width=width), caution=caution
        )


TerrainNetworkConfig = TerrainVinConfig | TerrainShortestPathConfig | TerrainCnnConfig | ClassifierConfig
