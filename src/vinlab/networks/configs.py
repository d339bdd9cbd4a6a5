"""The registry of networks: every kind that a manifest or a model card can name, and how to build it.

Modules are imported when a kind is built, so that planning on a grid loads no other network.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Protocol, runtime_checkable

from torch import Tensor, nn

from vinlab.recording.serialization import dataclass_from_plain
from vinlab.types import InputError


@runtime_checkable
class NetworkConfig(Protocol):
    """Settings of a network: a dataclass whose class variable ``kind`` stands in the registry."""

    def build(self) -> nn.Module:
        """The network with fresh weights."""
        ...


REGISTRY: dict[str, str] = {
    "vin": "grid.configs:VinConfig",
    "authors-vin": "grid.configs:AuthorsVinConfig",
    "authors-untied-vin": "grid.configs:AuthorsUntiedVinConfig",
    "untied-vin": "grid.configs:UntiedVinConfig",
    "hierarchical-vin": "grid.configs:HierarchicalVinConfig",
    "cost-vin": "grid.cost_vin:CostVinConfig",
    "hierarchical-cost-vin": "grid.cost_vin:HierarchicalCostVinConfig",
    "fixed-point-vin": "grid.fixed_point:FixedPointVinConfig",
    "cnn": "grid.cnn:CnnConfig",
    "fcn": "grid.fcn:FcnConfig",
    "value-vin": "grid.rl:ValueVinConfig",
    "pooled-cnn": "grid.rl:PooledCnnConfig",
    "terrain-vin": "terrain.configs:TerrainVinConfig",
    "terrain-shortest-path": "terrain.configs:TerrainShortestPathConfig",
    "terrain-cnn": "terrain.configs:TerrainCnnConfig",
    "terrain-classifier": "terrain.configs:ClassifierConfig",
    "control-vin": "control:ControlVinConfig",
    "control-cnn": "control:ControlCnnConfig",
    "reactive": "links.configs:ReactiveConfig",
    "index-vin": "links.configs:IndexVinConfig",
    "member-vin": "links.configs:MemberVinConfig",
    "page-vin": "links.configs:PageVinConfig",
}
"""Module below ``vinlab.networks`` and class of each kind."""

OLD_KINDS = {"lossless-vin": "cost-vin", "lossless-hierarchical-vin": "hierarchical-cost-vin"}
OLD_FIELDS = {"sharpness": "move_logit", "deviation": "std", "mirrored": "flip_average"}
OLD_WEIGHTS = {
    "chances": "transition_logits",
    "weights": "cost_logits",
    "logarithm": "log_cost",
    "sharpness": "log_inverse_temperature",
}
"""Names of version 0.1, as recorded manifests, cards and weights hold them."""

REMOVED_FIELDS = {"leaving": 0.0, "attention": "similarity", "reactive_rest": False}
"""Fields that some recorded manifests still hold, with the only value that networks have kept."""


def config_class(kind: str) -> type[Any]:
    """The class of a kind's settings."""
    if kind not in REGISTRY:
        raise InputError(f"expected a kind of network among {', '.join(REGISTRY)}, got {kind!r}.")
    module, name = REGISTRY[kind].split(":")
    return getattr(import_module(f"vinlab.networks.{module}"), name)


def network_config(plain: Mapping[str, Any]) -> NetworkConfig:
    """The settings that a manifest or card holds; names of older versions are understood."""
    kept = {name: entry for name, entry in plain.items() if REMOVED_FIELDS.get(name, plain) != entry}
    settings = {OLD_FIELDS.get(name, name): entry for name, entry in kept.items()}
    kind = settings.pop("kind", None)
    found = config_class(OLD_KINDS.get(kind, kind) if isinstance(kind, str) else str(kind))
    return dataclass_from_plain(found, settings, name=f"network ({kind})")


def current_weight_names(network: nn.Module, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights under the names that the network has now."""
    own = network.state_dict().keys()
    return {name if name in own else _renamed(name): tensor for name, tensor in tensors.items()}


def _renamed(name: str) -> str:
    return ".".join(OLD_WEIGHTS.get(part, part) for part in name.split("."))
