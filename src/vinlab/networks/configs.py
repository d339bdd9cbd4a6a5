"""The registry of networks: every kind that a manifest or a model card can name, and how to build it.

Modules are imported when a kind is built, so that planning on a grid loads no other network.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Protocol, runtime_checkable

from torch import Tensor, nn

from vinlab.recording.serialization import dataclass_from_plain, shortened
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
    "authors-hierarchical-vin": "grid.configs:AuthorsHierarchicalVinConfig",
    "untied-vin": "grid.configs:UntiedVinConfig",
    "hierarchical-vin": "grid.configs:HierarchicalVinConfig",
    "cost-vin": "grid.cost_vin:CostVinConfig",
    "hierarchical-cost-vin": "grid.cost_vin:HierarchicalCostVinConfig",
    "fixed-point-vin": "grid.fixed_point:FixedPointVinConfig",
    "graded-vin": "grid.fixed_point:GradedVinConfig",
    "motion-vin": "grid.motion_vin:MotionVinConfig",
    "plain-vin": "literature.dense:PlainVinConfig",
    "gated-planner": "literature.gated:GatedPlannerConfig",
    "dynamic-transition-vin": "literature.dynamic:DynamicTransitionVinConfig",
    "value-propagation": "literature.propagation:ValuePropagationConfig",
    "implicit-vin": "literature.implicit:ImplicitVinConfig",
    "equivariant-vin": "literature.equivariant:EquivariantVinConfig",
    "reactive-resnet": "literature.resnets:ReactiveResNetConfig",
    "recurrent-resnet": "literature.resnets:RecurrentResNetConfig",
    "cnn": "grid.cnn:CnnConfig",
    "fcn": "grid.fcn:FcnConfig",
    "value-vin": "grid.rl:ValueVinConfig",
    "pooled-cnn": "grid.rl:PooledCnnConfig",
    "terrain-vin": "terrain.configs:TerrainVinConfig",
    "terrain-shortest-path": "terrain.configs:TerrainShortestPathConfig",
    "terrain-cnn": "terrain.configs:TerrainCnnConfig",
    "terrain-classifier": "terrain.configs:ClassifierConfig",
    "ground-vin": "terrain.ground_vin:GroundVinConfig",
    "guidance-vin": "terrain.ground_vin:GuidanceVinConfig",
    "ground-cnn": "terrain.ground_rivals:GroundCnnConfig",
    "move-classifier": "terrain.ground_rivals:MoveClassifierConfig",
    "control-vin": "control:ControlVinConfig",
    "control-cnn": "control:ControlCnnConfig",
    "reactive": "links.configs:ReactiveConfig",
    "index-vin": "links.configs:IndexVinConfig",
    "member-vin": "links.configs:MemberVinConfig",
    "softmax-vin": "links.configs:SoftmaxVinConfig",
    "page-vin": "links.configs:PageVinConfig",
    "seen-graph-vin": "links.game:SeenGraphVinConfig",
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

MISSING_FIELDS = {kind: {"outside": "zero"} for kind in ("cost-vin", "hierarchical-cost-vin")}
"""What a manifest means that was written before these kinds had the field."""

REMOVED_FIELDS = {"leaving": 0.0, "attention": "similarity", "reactive_rest": False}
"""Fields that some recorded manifests still hold, with the only value that networks have kept."""


def plans_on_grids(kind: str) -> bool:
    """Whether networks of this kind read a map of cells, and a position on it."""
    return REGISTRY.get(OLD_KINDS.get(kind, kind), "").startswith("grid.")


def config_class(kind: str) -> type[Any]:
    """The class of a kind's settings."""
    if kind not in REGISTRY:
        raise InputError(
            f"expected a kind of network among {', '.join(REGISTRY)}, got {shortened(repr(kind))}."
        )
    module, name = REGISTRY[kind].split(":")
    return getattr(import_module(f"vinlab.networks.{module}"), name)


MOST = {"iterations": 100_000, "updates": 1_000_000_000}
WIDEST, MOST_LAYERS = 8192, 64
"""The largest K and number of updates, the largest of all other numbers, and the longest list in the settings of a
network."""


def network_config(plain: Any) -> NetworkConfig:
    """The settings that a manifest or card holds; names of older versions are understood."""
    if not isinstance(plain, Mapping):
        raise InputError(f"network: expected its kind and settings, got a {type(plain).__name__}.")
    kept = {name: entry for name, entry in plain.items() if REMOVED_FIELDS.get(name, plain) != entry}
    settings: dict[str, Any] = {OLD_FIELDS.get(str(name), str(name)): entry for name, entry in kept.items()}
    kind = settings.pop("kind", None)
    current = OLD_KINDS.get(kind, kind) if isinstance(kind, str) else repr(kind)[:40]
    found = config_class(current)
    for name, entry in settings.items():
        _require_modest(entry, name)
    return dataclass_from_plain(found, MISSING_FIELDS.get(current, {}) | settings, name=f"network ({kind})")


def _require_modest(entry: Any, name: str) -> None:
    """Refuse numbers of which no network can be built."""
    entries = entry if isinstance(entry, list) else [entry]
    most = MOST.get(name, WIDEST)
    if len(entries) > MOST_LAYERS:
        raise InputError(f"network.{name}: expected at most {MOST_LAYERS} entries, got {len(entries)}.")
    for number in entries:
        if isinstance(number, int | float) and not 0 <= abs(number) <= most:
            raise InputError(f"network.{name}: expected numbers up to {most:,}, got {str(number)[:40]}.")
        least = 1 if name == "iterations" else 0
        if isinstance(number, int) and number < least:
            raise InputError(f"network.{name}: expected whole numbers of at least {least}, got {number}.")


def current_weight_names(network: nn.Module, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights under the names that the network has now."""
    own = network.state_dict().keys()
    renamed = {name: ".".join(OLD_WEIGHTS.get(part, part) for part in name.split(".")) for name in tensors}
    return {name if name in own else renamed[name]: tensor for name, tensor in tensors.items()}
