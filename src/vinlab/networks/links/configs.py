"""The settings of the link policies, as a manifest holds them."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from torch import Tensor, nn

from vinlab.networks.links.modules import (
    DiagonalBilinear,
    LogMembershipAttention,
    MembershipAttention,
    PlanGate,
    ReactiveScores,
    SimilarityAttention,
    SoftmaxAttention,
    SoftmaxPageReward,
    SparsePageReward,
    SparseScores,
    TanhSimilarityReward,
)
from vinlab.networks.links.policies import (
    LinkPolicy,
    LinkValueIterationNetwork,
    PlannedPolicy,
    ReactivePolicy,
)
from vinlab.planning.graph import GraphPlanner

SQUARE_WEIGHTS = ("reactive.hidden.weight", "reward.turn.weight")
"""Weights with as many rows as a page has features; every link policy has one of them."""


@dataclass(frozen=True)
class LinkConfig(ABC):
    """What all link policies share."""

    kind: ClassVar[str]
    dimension: int = field(default=100, kw_only=True)
    """The number of features of a page; filled in from the site."""
    sparse: bool = field(default=False, kw_only=True)
    """Whether sparse features are read too."""

    def words(self, initial: Sequence[float] = (10.0, 2.0, 10.0, 0.0)) -> SparseScores | None:
        """The weights of the kinds of similarity, where sparse features are read."""
        return SparseScores(initial) if self.sparse else None

    @abstractmethod
    def build(self) -> LinkPolicy:
        """The policy with fresh weights."""

    def for_weights(self, tensors: Mapping[str, Tensor]) -> "LinkConfig":
        """The settings with the dimension of trained weights: manifests of version 0.1 do not hold it."""
        found = [len(tensors[name]) for name in SQUARE_WEIGHTS if name in tensors]
        return replace(self, dimension=found[0]) if found else self


@dataclass(frozen=True)
class ReactiveConfig(LinkConfig):
    """The baseline: no plan."""

    kind: ClassVar[str] = "reactive"

    def build(self) -> LinkPolicy:
        """The policy with fresh weights."""
        return ReactivePolicy(self.dimension, words=self.words())


@dataclass(frozen=True)
class IndexVinConfig(LinkConfig):
    """The paper's VIN on index pages."""

    kind: ClassVar[str] = "index-vin"
    iterations: int
    """1 reads the reward itself (the paper's K = 0); each further one is a backup."""
    discount: float = 1.0

    def build(self) -> LinkPolicy:
        """The policy with fresh weights."""
        return self._build(SimilarityAttention(self.dimension))

    def _build(self, attention: nn.Module, likeness: DiagonalBilinear | None = None) -> LinkPolicy:
        return LinkValueIterationNetwork(
            self.dimension,
            reward=TanhSimilarityReward(likeness or DiagonalBilinear(self.dimension)),
            planner=GraphPlanner(iterations=self.iterations),
            attention=attention,
            coefficient=PlanGate(self.dimension),
            reactive=ReactiveScores(self.dimension),
            words=self.words(),
        )


@dataclass(frozen=True)
class MemberVinConfig(IndexVinConfig):
    """The same, but a link reads the value of the index pages that contain it."""

    kind: ClassVar[str] = "member-vin"

    def build(self) -> LinkPolicy:
        """The policy with fresh weights."""
        return self._build(MembershipAttention(scale=2.0))


@dataclass(frozen=True)
class SoftmaxVinConfig(IndexVinConfig):
    """The same on a graph of thousands of pages: the attention is normalised, and the reward far from saturation."""

    kind: ClassVar[str] = "softmax-vin"

    def build(self) -> LinkPolicy:
        """The policy with fresh weights."""
        size = self.dimension
        # A page's own node has a likeness of 20 to it and outweighs thousands of others.
        attention = SoftmaxAttention(DiagonalBilinear(size, initial=2.0, unit=10 / size), scale=20.0)
        return self._build(attention, DiagonalBilinear(size, initial=1.0, unit=1 / size))


@dataclass(frozen=True)
class PageVinConfig(LinkConfig):
    """A VIN that plans on the pages themselves (ours)."""

    kind: ClassVar[str] = "page-vin"
    iterations: int
    discount: float = 0.5

    def build(self) -> LinkPolicy:
        """The policy with fresh weights."""
        return PlannedPolicy(
            self.dimension,
            reward=SparsePageReward() if self.sparse else SoftmaxPageReward(self.dimension),
            planner=GraphPlanner(iterations=self.iterations),
            attention=LogMembershipAttention(scale=2.0),
            # A query describes an article: categories start with next to no reward.
            words=self.words((40.0, 6.0, 0.0, -10.0)),
        )
