"""Value iteration as a layer without weights: from reward and transition to a plan."""

from vinlab.planning.bellman import LocalKernels, SharedKernels, UntiedKernels
from vinlab.planning.costs import CostMap, MoveTable
from vinlab.planning.fixed_point import FixedPointPlanner, TerminalReward
from vinlab.planning.graph import GraphPlanner, GraphTransition
from vinlab.planning.grid import GridPlanner
from vinlab.planning.hierarchy import HierarchicalPlanner, coarse_as_initial_value, coarse_as_reward
from vinlab.planning.shortest_path import ShortestPathPlanner

__all__ = [
    "CostMap",
    "FixedPointPlanner",
    "GraphPlanner",
    "GraphTransition",
    "GridPlanner",
    "HierarchicalPlanner",
    "LocalKernels",
    "MoveTable",
    "SharedKernels",
    "ShortestPathPlanner",
    "TerminalReward",
    "UntiedKernels",
    "coarse_as_initial_value",
    "coarse_as_reward",
]
