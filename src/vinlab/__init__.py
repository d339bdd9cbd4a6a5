"""vinlab: Value Iteration Networks, neural networks with a planner inside, which learn to plan.

Every name is imported when it is first used, so that ``import vinlab`` and ``vinlab --help`` load nothing else.
"""

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vinlab.envs import register_environments
    from vinlab.experiments.terrain_costs.fit import FitOptions, fit
    from vinlab.maps import read_map
    from vinlab.models import Model, load
    from vinlab.modules import (
        CnnReward,
        ExpCostReward,
        FeaturePolicy,
        FixedTransition,
        HierarchicalReward,
        HierarchicalTransition,
        IdentityPolicy,
        LinearPolicy,
        LinearReward,
        MlpPolicy,
        PatchAttention,
        PooledLinearReward,
        SharedTransition,
        SoftmaxTransition,
        StateAttention,
        TemperaturePolicy,
        UntiedTransition,
        move_kernels,
        move_logits,
        random_kernels,
    )
    from vinlab.modules.attention import PatchFeatures
    from vinlab.modules.move_cost import KnownMoves, MoveCosts, WithTerminals
    from vinlab.navigation.evaluation import evaluate
    from vinlab.navigation.map_files import plan_on_map
    from vinlab.navigation.planner import Planner
    from vinlab.navigation.routes import Route, navigate
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
    from vinlab.planning.costs import CostMap, MoveTable
    from vinlab.planning.fixed_point import FixedPointPlanner, TerminalReward
    from vinlab.planning.shortest_path import ShortestPathPlanner
    from vinlab.types import Demonstrations, GraphPlan, GridProblems, InputError, Plan, Scores

    __version__: str

__all__ = [
    "CnnReward",
    "CostMap",
    "Demonstrations",
    "ExpCostReward",
    "FeaturePolicy",
    "FitOptions",
    "FixedPointPlanner",
    "FixedTransition",
    "GraphPlan",
    "GraphPlanner",
    "GraphTransition",
    "GridPlanner",
    "GridProblems",
    "HierarchicalPlanner",
    "HierarchicalReward",
    "HierarchicalTransition",
    "IdentityPolicy",
    "InputError",
    "KnownMoves",
    "LinearPolicy",
    "LinearReward",
    "LocalKernels",
    "MlpPolicy",
    "Model",
    "MoveCosts",
    "MoveTable",
    "PatchAttention",
    "PatchFeatures",
    "Plan",
    "Planner",
    "PooledLinearReward",
    "Route",
    "Scores",
    "SharedKernels",
    "SharedTransition",
    "ShortestPathPlanner",
    "SoftmaxTransition",
    "StateAttention",
    "TemperaturePolicy",
    "TerminalReward",
    "UntiedKernels",
    "UntiedTransition",
    "ValueIterationNetwork",
    "WithTerminals",
    "coarse_as_initial_value",
    "coarse_as_reward",
    "evaluate",
    "fit",
    "load",
    "move_kernels",
    "move_logits",
    "navigate",
    "plan_on_map",
    "random_kernels",
    "read_map",
    "register_environments",
]

_CORE = ("vinlab.types", "vinlab.planning", "vinlab.modules", "vinlab.networks")
"""Where the public names are that need torch and numpy alone."""

_ELSEWHERE = {
    "vinlab.envs": ("register_environments",),
    "vinlab.experiments.terrain_costs.fit": ("FitOptions", "fit"),
    "vinlab.maps": ("read_map",),
    "vinlab.models": ("Model", "load"),
    "vinlab.modules.attention": ("PatchFeatures",),
    "vinlab.modules.move_cost": ("KnownMoves", "MoveCosts", "WithTerminals"),
    "vinlab.navigation.evaluation": ("evaluate",),
    "vinlab.navigation.map_files": ("plan_on_map",),
    "vinlab.navigation.planner": ("Planner",),
    "vinlab.navigation.routes": ("Route", "navigate"),
    "vinlab.planning.costs": ("CostMap", "MoveTable"),
    "vinlab.planning.fixed_point": ("FixedPointPlanner", "TerminalReward"),
    "vinlab.planning.shortest_path": ("ShortestPathPlanner",),
}
"""Where the others are."""

_RENAMED = {
    "CostReward": "ExpCostReward",
    "GivenTransition": "FixedTransition",
    "LosslessTransition": "SoftmaxTransition",
    "SharpPolicy": "TemperaturePolicy",
    "as_guess": "coarse_as_initial_value",
    "as_reward": "coarse_as_reward",
    "sure_moves": "move_logits",
}
"""Names of version 0.1, which will be removed."""


def __getattr__(name: str) -> Any:
    if name in _RENAMED:
        warnings.warn(f"vinlab.{name} is now vinlab.{_RENAMED[name]}.", DeprecationWarning, stacklevel=2)
        name = _RENAMED[name]
    if name == "__version__":
        from importlib import metadata

        return metadata.version("vinlab")
    if name not in __all__:
        raise AttributeError(f"module 'vinlab' has no attribute '{name}'")
    places = [module for module, names in _ELSEWHERE.items() if name in names] or _CORE
    modules = map(import_module, places)
    return getattr(next(module for module in modules if hasattr(module, name)), name)
