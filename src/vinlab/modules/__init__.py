"""The four parts that a VIN's designer chooses: reward, transition, attention, policy. All that is learned is here."""

from vinlab.modules.attention import PatchAttention, StateAttention
from vinlab.modules.policy import LinearPolicy, MlpPolicy, SharpPolicy, ValuePolicy
from vinlab.modules.reward import CnnReward, CostReward, HierarchicalReward, LinearReward
from vinlab.modules.transition import (
    GivenTransition,
    HierarchicalTransition,
    LosslessTransition,
    SharedTransition,
    UntiedTransition,
    cost_of_leaving,
    move_kernels,
    random_kernels,
    sure_moves,
)

__all__ = [
    "CnnReward",
    "CostReward",
    "GivenTransition",
    "HierarchicalReward",
    "HierarchicalTransition",
    "LinearPolicy",
    "LinearReward",
    "LosslessTransition",
    "MlpPolicy",
    "PatchAttention",
    "SharedTransition",
    "SharpPolicy",
    "StateAttention",
    "UntiedTransition",
    "ValuePolicy",
    "cost_of_leaving",
    "move_kernels",
    "random_kernels",
    "sure_moves",
]
