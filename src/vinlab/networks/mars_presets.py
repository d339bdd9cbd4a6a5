"""The networks of the Mars table, from plain settings that a manifest can hold."""

from dataclasses import dataclass
from typing import Literal

import torch

from vinlab.design import LinearPolicy, SharedTransition, StateAttention, move_kernels, random_kernels
from vinlab.design.terrain import TerrainReward
from vinlab.networks.mars import (
    ClassifierPlanner,
    HardCaution,
    ObstacleClassifier,
    SoftCaution,
    TerrainCnn,
    TerrainVin,
)
from vinlab.planning import GridPlanner
from vinlab.types import MOVE_NAMES

Filters = tuple[int, int]


@dataclass(frozen=True)
class TerrainVinConfig:
    """The paper's VIN for terrain; its kernels start as grid-world moves or as noise."""

    iterations: int = 24
    initialisation: Literal["moves", "random"] = "moves"
    filters: Filters = (6, 12)
    """Of the two image layers."""
    hidden: int = 150
    actions: int = 10
    dropout: float = 0.0
    """The share of image features that each patch goes without in training."""

    def build(self) -> TerrainVin:
        """The network with fresh weights."""
        policy = LinearPolicy(actions=self.actions, moves=len(MOVE_NAMES))
        kernels = {"moves": move_kernels, "random": random_kernels}[self.initialisation]
        if self.initialisation == "moves":
            with torch.no_grad():
                policy.moves.weight += torch.eye(len(MOVE_NAMES), self.actions)
        return TerrainVin(
            reward=TerrainReward(filters=self.filters, hidden=self.hidden, dropout=self.dropout),
            transition=SharedTransition(kernels(actions=self.actions)),
            planner=GridPlanner(iterations=self.iterations),
            attention=StateAttention(),
            policy=policy,
        )


@dataclass(frozen=True)
class TerrainCnnConfig:
    """A reactive CNN on the VIN's image layers; its filters see further from layer to layer."""

    filters: Filters = (6, 12)
    width: int = 48
    dilations: tuple[int, ...] = (1, 2, 4, 8, 1)
    """How far apart the entries of each layer's filters are: together they span the map."""

    def build(self) -> TerrainCnn:
        """The network with fresh weights."""
        return TerrainCnn(filters=self.filters, width=self.width, dilations=self.dilations)


@dataclass(frozen=True)
class ClassifierConfig:
    """The VIN's image layers as a classifier of cells, with a shortest-path planner on its map."""

    caution: Literal["hard", "soft"] = "soft"
    filters: Filters = (6, 12)
    hidden: int = 150
    dropout: float = 0.0

    def build(self) -> ClassifierPlanner:
        """The network with fresh weights."""
        return ClassifierPlanner(
            classifier=ObstacleClassifier(filters=self.filters, hidden=self.hidden, dropout=self.dropout),
            caution=HardCaution() if self.caution == "hard" else SoftCaution(),
        )


MarsNetworkConfig = TerrainVinConfig | TerrainCnnConfig | ClassifierConfig
