"""The four learned parts of a VIN: reward, transition, attention and policy."""

from vinlab.modules.attention import PatchAttention, StateAttention
from vinlab.modules.policy import FeaturePolicy, IdentityPolicy, LinearPolicy, MlpPolicy, TemperaturePolicy
from vinlab.modules.reward import (
    CnnReward,
    ExpCostReward,
    HierarchicalReward,
    LinearReward,
    PooledLinearReward,
)
from vinlab.modules.transition import (
    FixedTransition,
    HierarchicalTransition,
    SharedTransition,
    SoftmaxTransition,
    UntiedTransition,
    exit_cost_logits,
    move_kernels,
    move_logits,
    random_kernels,
)

__all__ = [
    "CnnReward",
    "ExpCostReward",
    "FeaturePolicy",
    "FixedTransition",
    "HierarchicalReward",
    "HierarchicalTransition",
    "IdentityPolicy",
    "LinearPolicy",
    "LinearReward",
    "MlpPolicy",
    "PatchAttention",
    "PooledLinearReward",
    "SharedTransition",
    "SoftmaxTransition",
    "StateAttention",
    "TemperaturePolicy",
    "UntiedTransition",
    "exit_cost_logits",
    "move_kernels",
    "move_logits",
    "random_kernels",
]
