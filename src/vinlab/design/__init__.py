"""The four parts that a VIN's designer chooses: reward, transition, attention, policy. All that is learned is here."""

from vinlab.design.attention import PatchAttention, StateAttention
from vinlab.design.policy import LinearPolicy, MlpPolicy, ValuePolicy
from vinlab.design.reward import CnnReward, HierarchicalReward, LinearReward
from vinlab.design.transition import (
    GivenTransition,
    HierarchicalTransition,
    SharedTransition,
    UntiedTransition,
    move_kernels,
    random_kernels,
)

__all__ = [
    "CnnReward",
    "GivenTransition",
    "HierarchicalReward",
    "HierarchicalTransition",
    "LinearPolicy",
    "LinearReward",
    "MlpPolicy",
    "PatchAttention",
    "SharedTransition",
    "StateAttention",
    "UntiedTransition",
    "ValuePolicy",
    "move_kernels",
    "random_kernels",
]
