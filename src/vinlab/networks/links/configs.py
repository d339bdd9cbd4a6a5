"""The web policies of the tables, from plain settings that a manifest can hold."""

from dataclasses import dataclass
from typing import Any, ClassVar

from vinlab.networks.links.modules import (
    LogMembershipAttention,
    MembershipAttention,
    PlanGate,
    ReactiveScores,
    SimilarityAttention,
    SoftmaxPageReward,
    TanhSimilarityReward,
)
from vinlab.networks.links.policies import (
    LinkPolicy,
    PlannedPolicy,
    ReactivePolicy,
    WebValueIterationNetwork,
)
from vinlab.planning.graph import GraphPlanner


@dataclass(frozen=True)
class ReactiveConfig:
    """The baseline: no plan."""

    kind: ClassVar[str] = "reactive"
    dimension: int = 100
    """Numbers that describe a page; filled in from the site."""

    def build(self) -> LinkPolicy:
        """The policy with fresh weights."""
        return ReactivePolicy(self.dimension)


@dataclass(frozen=True)
class IndexVinConfig:
    """The paper's VIN on index pages."""

    kind: ClassVar[str] = "index-vin"
    iterations: int
    """1 leaves the reward as it is (the paper's K = 0); each further one is a backup."""
    discount: float = 1.0
    dimension: int = 100
    """Numbers that describe a page; filled in from the site."""

    def build(self) -> LinkPolicy:
        """The policy with fresh weights."""
        return WebValueIterationNetwork(
            self.dimension, attention=SimilarityAttention(self.dimension), **self._other_parts()
        )

    def _other_parts(self) -> dict[str, Any]:
        return {
            "reward": TanhSimilarityReward(self.dimension),
            "planner": GraphPlanner(iterations=self.iterations),
            "coefficient": PlanGate(self.dimension),
            "reactive": ReactiveScores(self.dimension),
        }


@dataclass(frozen=True)
class MemberVinConfig(IndexVinConfig):
    """The same, but a link reads the value of the index pages that it is in."""

    kind: ClassVar[str] = "member-vin"

    def build(self) -> LinkPolicy:
        """The policy with fresh weights."""
        return WebValueIterationNetwork(
            self.dimension, attention=MembershipAttention(scale=2.0), **self._other_parts()
        )


@dataclass(frozen=True)
class PageVinConfig:
    """Our VIN that plans on the pages themselves."""

    kind: ClassVar[str] = "page-vin"
    iterations: int
    discount: float = 0.5
    dimension: int = 100
    """Numbers that describe a page; filled in from the site."""

    def build(self) -> LinkPolicy:
        """The policy with fresh weights."""
        return PlannedPolicy(
            self.dimension,
            reward=SoftmaxPageReward(self.dimension),
            planner=GraphPlanner(iterations=self.iterations),
            attention=LogMembershipAttention(scale=2.0),
        )


WebNetworkConfig = ReactiveConfig | IndexVinConfig | MemberVinConfig | PageVinConfig
