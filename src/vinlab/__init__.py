"""vinlab: Value Iteration Networks, neural networks with a planner inside, which learn to plan."""

from importlib import import_module, metadata
from typing import TYPE_CHECKING, Any

from vinlab.modules import (
    CnnReward,
    ExpCostReward,
    FixedTransition,
    HierarchicalReward,
    HierarchicalTransition,
    LinearPolicy,
    LinearReward,
    SharedTransition,
    SoftmaxTransition,
    StateAttention,
    TemperaturePolicy,
    UntiedTransition,
    move_kernels,
    move_logits,
    random_kernels,
)
from vinlab.networks import ValueIterationNetwork
from vinlab.planning import (
    GraphPlanner,
    GraphTransition,
    GridPlanner,
    HierarchicalPlanner,
    LocalKernels,
    SharedKernels,
    UntiedKernels,
    coarse_as_initial_value,
    coarse_as_reward,
)
from vinlab.types import Demonstrations, GraphPlan, GridProblems, InputError, Plan, Scores

if TYPE_CHECKING:
    from vinlab.domains.gridworld.environment import register_environments
    from vinlab.maps import read_map
    from vinlab.models import Model, load
    from vinlab.navigation.evaluation import evaluate
    from vinlab.navigation.map_files import plan_on_map
    from vinlab.navigation.routes import Route, navigate

__version__ = metadata.version("vinlab")

# What needs more than torch and numpy is loaded when it is first asked for.
_LATER = {
    "Model": "vinlab.models",
    "Route": "vinlab.navigation.routes",
    "evaluate": "vinlab.navigation.evaluation",
    "load": "vinlab.models",
    "navigate": "vinlab.navigation.routes",
    "plan_on_map": "vinlab.navigation.map_files",
    "read_map": "vinlab.maps",
    "register_environments": "vinlab.domains.gridworld.environment",
}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module 'vinlab' has no attribute '{name}'")


__all__ = [
    "CnnReward",
    "Demonstrations",
    "ExpCostReward",
    "FixedTransition",
    "GraphPlan",
    "GraphPlanner",
    "GraphTransition",
    "GridPlanner",
    "GridProblems",
    "HierarchicalPlanner",
    "HierarchicalReward",
    "HierarchicalTransition",
    "InputError",
    "LinearPolicy",
    "LinearReward",
    "LocalKernels",
    "Model",
    "Plan",
    "Route",
    "Scores",
    "SharedKernels",
    "SharedTransition",
    "SoftmaxTransition",
    "StateAttention",
    "TemperaturePolicy",
    "UntiedKernels",
    "UntiedTransition",
    "ValueIterationNetwork",
    "coarse_as_initial_value",
    "coarse_as_reward",
    "evaluate",
    "load",
    "move_kernels",
    "move_logits",
    "navigate",
    "plan_on_map",
    "random_kernels",
    "read_map",
    "register_environments",
]
