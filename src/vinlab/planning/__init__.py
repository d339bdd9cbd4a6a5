"""Value iteration as a layer without weights: from reward and transition to a plan."""

from vinlab.planning.bellman import LocalKernels, SharedKernels, UntiedKernels
from vinlab.planning.graph import GraphPlanner, GraphTransition
from vinlab.planning.grid import GridPlanner
from vinlab.planning.hierarchy import HierarchicalPlanner, coarse_as_initial_value, coarse_as_reward

__all__ = [
    "GraphPlanner",
    "GraphTransition",
    "GridPlanner",
    "HierarchicalPlanner",
    "LocalKernels",
    "SharedKernels",
    "UntiedKernels",
    "coarse_as_initial_value",
    "coarse_as_reward",
]
