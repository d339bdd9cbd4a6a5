"""The web policies of the tables, from plain settings that a manifest can hold."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from vinlab.networks.links.modules import (
    ArrivalReward,
    BoundedReward,
    LogMembershipAttention,
    MembershipAttention,
    PlanCoefficient,
    ReactiveScores,
    SimilarityAttention,
)
from vinlab.networks.links.policies import (
    LinkPolicy,
    PlannedPolicy,
    ReactivePolicy,
    WebValueIterationNetwork,
)
from vinlab.planning.graph import GraphPlanner
from vinlab.types import InputError


@dataclass(frozen=True)
class ReactiveConfig:
    """The baseline: no plan."""

    def build(self, dimension: int) -> LinkPolicy:
        """The policy with fresh weights."""
        return ReactivePolicy(dimension)


@dataclass(frozen=True)
class IndexVinConfig:
    """The paper's VIN on index pages."""

    iterations: int
    """1 leaves the reward as it is (the paper's K = 0); each further one is a backup."""
    discount: float = 1.0

    def build(self, dimension: int) -> LinkPolicy:
        """The policy with fresh weights."""
        return WebValueIterationNetwork(
            dimension, attention=SimilarityAttention(dimension), **self._other_parts(dimension)
        )

    def _other_parts(self, dimension: int) -> dict[str, Any]:
        return {
            "reward": BoundedReward(dimension),
            "planner": GraphPlanner(iterations=self.iterations),
            "coefficient": PlanCoefficient(dimension),
            "reactive": ReactiveScores(dimension),
        }


@dataclass(frozen=True)
class MemberVinConfig(IndexVinConfig):
    """The same, but a link reads the value of the index pages that it is in."""

    def build(self, dimension: int) -> LinkPolicy:
        """The policy with fresh weights."""
        return WebValueIterationNetwork(
            dimension, attention=MembershipAttention(scale=2.0), **self._other_parts(dimension)
        )


@dataclass(frozen=True)
class PageVinConfig:
    """Our VIN that plans on the pages themselves."""

    iterations: int
    discount: float = 0.5

    def build(self, dimension: int) -> LinkPolicy:
        """The policy with fresh weights."""
        return PlannedPolicy(
            dimension,
            reward=ArrivalReward(dimension),
            planner=GraphPlanner(iterations=self.iterations),
            attention=LogMembershipAttention(scale=2.0),
        )


WebNetworkConfig = ReactiveConfig | IndexVinConfig | MemberVinConfig | PageVinConfig

WEB_KINDS: dict[str, type[WebNetworkConfig]] = {
    "reactive": ReactiveConfig,
    "index-vin": IndexVinConfig,
    "member-vin": MemberVinConfig,
    "page-vin": PageVinConfig,
}
"""The names under which manifests hold the settings of web policies."""


def web_network_to_plain(config: WebNetworkConfig) -> dict[str, Any]:
    """The settings with the name of their kind, as a manifest holds them."""
    (kind,) = (name for name, known in WEB_KINDS.items() if type(config) is known)
    return {"kind": kind, **asdict(config)}


def web_network_from_plain(plain: Mapping[str, Any]) -> WebNetworkConfig:
    """The settings that ``web_network_to_plain`` made plain."""
    settings = dict(plain)
    kind = settings.pop("kind", None)
    if kind not in WEB_KINDS:
        raise InputError(f"the kind of web network must be one of {', '.join(WEB_KINDS)}, but {kind!r} came.")
    try:
        return WEB_KINDS[kind](**settings)
    except TypeError as error:
        raise InputError(f"the settings of the network do not fit a {kind}: {error}.") from error
