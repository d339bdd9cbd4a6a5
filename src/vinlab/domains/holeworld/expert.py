"""The expert of the hole world: shortest paths of the four moves."""

import numpy as np
from jaxtyping import Bool, Float64, Int, UInt8

from vinlab.domains.gridworld import expert
from vinlab.domains.gridworld.expert import NO_MOVE, ExactSolution, expert_paths
from vinlab.domains.holeworld.environment import NUM_MOVES
from vinlab.planning.exact import cost_to_go
from vinlab.types import GridProblems


def moves_to_goal(
    obstacles: UInt8[np.ndarray, "B H W"], goals: Int[np.ndarray, "B 2"]
) -> Float64[np.ndarray, "B H W"]:
    """The number of moves from each cell to the goal; infinite where no path exists."""
    return cost_to_go(obstacles, goals, num_moves=NUM_MOVES)


def optimal_moves(
    distances: Float64[np.ndarray, "B H W"], obstacles: UInt8[np.ndarray, "B H W"]
) -> Bool[np.ndarray, "B 4 H W"]:
    """Which moves begin a shortest path, given the number of moves from each cell to the goal."""
    return expert.optimal_moves(distances, obstacles)[:, :NUM_MOVES]


def solve(problems: GridProblems) -> ExactSolution:
    """The exact solution of all problems; the expert makes the first of the optimal moves."""
    distances = moves_to_goal(problems.obstacles, problems.goals)
    optimal = optimal_moves(distances, problems.obstacles)
    moves = np.where(optimal.any(axis=1), optimal.argmax(axis=1), NO_MOVE).astype(np.int8)
    paths, lengths = expert_paths(moves, problems.obstacles, problems.starts, problems.goals)
    return ExactSolution(distances, moves, optimal, paths, lengths)
