"""A VIN that plans on the part of a graph that it has seen, with expectations of what lies behind the rest."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from vinlab.networks.links.modules import SparseScores
from vinlab.planning.graph import GraphPlanner, GraphTransition


class Expectation(nn.Module):
    """The expected value of a page not visited yet: a sigmoid of its similarities to the target."""

    def __init__(self, initial: Sequence[float], *, bias: float = -4.0) -> None:
        super().__init__()
        self.scores = SparseScores(initial)
        self.bias = nn.Parameter(torch.tensor(bias))

    def forward(self, similarities: Float[Tensor, "*S kinds"]) -> Float[Tensor, "*S"]:
        """Between 0 and 1."""
        return torch.sigmoid(self.scores(similarities) + self.bias)


class SeenGraphVin(nn.Module):
    """Value iteration on the graph seen so far; the reward of a page not visited is what is expected behind it."""

    def __init__(self, expectation: nn.Module, planner: GraphPlanner, *, discount: float) -> None:
        super().__init__()
        self.expectation = expectation
        self.planner = planner
        self.discount = discount
        self.scale = nn.Parameter(torch.tensor(1.0))

    @property
    def iterations(self) -> int:
        """How many backups a plan takes, the reward included."""
        return self.planner.iterations

    def expect(
        self, similarities: Float[Tensor, "*S kinds"], found: Bool[Tensor, "*S"]
    ) -> Float[Tensor, "*S"]:
        """What is expected of pages; 1 for the target itself, which its title gives away."""
        return torch.where(found, 1.0, self.expectation(similarities))

    def plan(
        self,
        expected: Float[Tensor, " n"],
        visited: Bool[Tensor, " n"],
        sources: Int[Tensor, " E"],
        targets: Int[Tensor, " E"],
        *,
        iterations: int | None = None,
    ) -> Float[Tensor, " n"]:
        """The value of every node; a page visited was not the target, so it is worth what its links are."""
        weights = torch.full((len(sources),), self.discount)
        graph = GraphTransition(sources, targets, weights, len(expected))
        reward = torch.where(visited, 0.0, expected)
        return self.planner.values(reward[None], graph, iterations=iterations)[0]

    def logits(self, values: Float[Tensor, "*S"]) -> Float[Tensor, "*S"]:
        """The logits of clicks to pages with these values."""
        return self.scale * torch.log(values + 1e-12)


@dataclass(frozen=True)
class SeenGraphVinConfig:
    """The VIN of the player's game."""

    kind: ClassVar[str] = "seen-graph-vin"
    iterations: int
    """1 reads the expectations themselves (K = 0); each further one is a backup."""
    initial: tuple[float, ...]
    """The weight of each kind of similarity before training."""
    discount: float = 0.5

    def build(self) -> SeenGraphVin:
        """The network with fresh weights."""
        return SeenGraphVin(
            Expectation(self.initial), GraphPlanner(iterations=self.iterations), discount=self.discount
        )
