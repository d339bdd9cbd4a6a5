"""The expert of the grid-world: shortest paths, for every cell of every map at once."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float32, Float64, Int, Int8, Int64, UInt8

from vinlab.domains.gridworld.environment import step
from vinlab.domains.gridworld.problem import observe
from vinlab.planning.exact import cost_to_go
from vinlab.planning.graded import shifted
from vinlab.types import MOVE_COSTS, MOVE_NAMES, MOVE_OFFSETS, Batch, Demonstrations, GridProblems

NO_MOVE = -1
"""The label of a cell without an optimal move: blocked, without a path to the goal, or the goal itself."""

TIE = 1e-9
"""Paths closer in length than this are equally long; lengths that really differ do so by far more on any map."""

DIAGONAL_FIRST = (4, 5, 6, 7, 0, 1, 2, 3)


def optimal_moves(
    costs: Float64[np.ndarray, "B H W"],
    obstacles: UInt8[np.ndarray, "B H W"],
    *,
    corner_cutting: bool = True,
) -> Bool[np.ndarray, "B 8 H W"]:
    """Which moves begin a shortest path; none in blocked cells, at the goal and where no path exists."""
    optimal = np.zeros((len(costs), len(MOVE_NAMES), *costs.shape[1:]), bool)
    decided = np.isfinite(costs) & (costs > 0)
    finite = np.where(decided, costs, 0.0)
    for move, through in _costs_through_moves(costs, obstacles, corner_cutting):
        optimal[:, move] = decided & (through - finite < TIE)
    return optimal


def expert_moves(
    costs: Float64[np.ndarray, "B H W"],
    obstacles: UInt8[np.ndarray, "B H W"],
    *,
    corner_cutting: bool = True,
) -> Int8[np.ndarray, "B H W"]:
    """The move of the authors' expert: the cheapest; of equally cheap ones the diagonal, of those the first.

    Equal means equal to the last bit in float64. The sums are rounded, so some equally long paths are not equal
    here; which ones depends on adding up from the goal outwards, as ``cost_to_go`` does.
    """
    moves = np.full(costs.shape, NO_MOVE, np.int8)
    best = np.full(costs.shape, np.inf)
    for move, through in _costs_through_moves(costs, obstacles, corner_cutting):
        better = through < best
        moves[better] = move
        best[better] = through[better]
    moves[~np.isfinite(costs) | (costs == 0)] = NO_MOVE
    return moves


def expert_path(
    costs: Float64[np.ndarray, "H W"],
    obstacles: UInt8[np.ndarray, "H W"],
    start: tuple[int, int],
    *,
    corner_cutting: bool = True,
) -> Int64[np.ndarray, "T 2"]:
    """The path of the moves that ``expert_moves`` gives, computed on the path alone; one cell where none leads on."""
    path = [start]
    while 0 < costs[path[-1]] < np.inf:
        path.append(_next_cell(costs, obstacles, path[-1], corner_cutting))
    return np.array(path, np.int64)


def _next_cell(
    costs: np.ndarray, obstacles: np.ndarray, cell: tuple[int, int], corner_cutting: bool
) -> tuple[int, int]:
    (height, width), (row, col) = costs.shape, cell
    best, following = np.inf, cell
    for move in DIAGONAL_FIRST:
        to_row, to_col = row + int(MOVE_OFFSETS[move, 0]), col + int(MOVE_OFFSETS[move, 1])
        if not (0 <= to_row < height and 0 <= to_col < width):
            continue
        if not corner_cutting and (obstacles[to_row, col] or obstacles[row, to_col]):
            continue
        through = costs[to_row, to_col] + MOVE_COSTS[move]
        if through < best:
            best, following = through, (to_row, to_col)
    return following


def _costs_through_moves(
    costs: np.ndarray, obstacles: np.ndarray, corner_cutting: bool
) -> Iterator[tuple[int, np.ndarray]]:
    """For each move its cost plus the cost to go of the cell that it leads to, diagonal moves first."""
    around = ((0, 0), (1, 1), (1, 1))
    costs = np.pad(costs, around, constant_values=np.inf)
    blocked = np.pad(obstacles, around, constant_values=1)
    for move in DIAGONAL_FIRST:
        down, right = MOVE_OFFSETS[move].tolist()
        through = shifted(costs, down, right) + MOVE_COSTS[move]
        if not corner_cutting:
            through[(shifted(blocked, down, 0) | shifted(blocked, 0, right)) == 1] = np.inf
        yield move, through


def expert_paths(
    moves: Int8[np.ndarray, "B H W"],
    obstacles: UInt8[np.ndarray, "B H W"],
    starts: Int[np.ndarray, "B *S 2"],
    goals: Int[np.ndarray, "B 2"],
) -> tuple[Int[np.ndarray, "B *S T 2"], Int64[np.ndarray, "B *S"]]:
    """The states from each start to the goal (the last one repeated as padding), and their number with both ends.

    A start without a path to the goal has 0 states.
    """
    problem = np.arange(len(moves)).reshape(-1, *[1] * (starts.ndim - 2))
    states = [starts]
    lengths = np.ones(starts.shape[:-1], np.int64)
    while True:
        labels = moves[problem, states[-1][..., 0], states[-1][..., 1]]
        going = labels != NO_MOVE
        if not going.any():
            break
        following = step(obstacles, states[-1], np.where(going, labels, 0))
        states.append(np.where(going[..., None], following, states[-1]))
        lengths += going
    reached = (states[-1] == goals.reshape(len(goals), *[1] * (starts.ndim - 2), 2)).all(axis=-1)
    return np.stack(states, axis=-2), np.where(reached, lengths, 0)


def sample_starts(
    problems: GridProblems, count: int, *, rng: np.random.Generator
) -> Int64[np.ndarray, "B S 2"]:
    """The start of each problem and other free cells, all distinct; where a map has too few, blocked ones."""
    height, width = problems.obstacles.shape[1:]
    order = rng.random((len(problems), height * width))
    order[problems.obstacles.reshape(order.shape) == 1] = 2.0
    order[np.arange(len(order)), problems.starts[:, 0] * width + problems.starts[:, 1]] = -1.0
    count = min(count, height * width)
    first = np.argpartition(order, count - 1, axis=1)[:, :count]
    first = np.take_along_axis(first, np.take_along_axis(order, first, axis=1).argsort(axis=1), axis=1)
    return np.stack(np.unravel_index(first, (height, width)), axis=-1)


def demonstrate_trajectories(
    problems: GridProblems,
    *,
    rng: np.random.Generator,
    trajectories: int = 7,
    corner_cutting: bool = True,
) -> Demonstrations:
    """The expert's own move in every state of its paths from several starts, as in the authors' data.

    A state on several paths counts once for each; a start at the goal or without a path to it gives nothing.
    """
    obstacles, goals = problems.obstacles, problems.goals
    costs = cost_to_go(obstacles, goals, corner_cutting=corner_cutting)
    labels = expert_moves(costs, obstacles, corner_cutting=corner_cutting)
    index, states = states_on_paths(problems, labels, trajectories, rng=rng)
    moves = np.eye(len(MOVE_NAMES), dtype=bool)[labels[index, states[:, 0], states[:, 1]]]
    return pack_demonstrations(observe(obstacles, goals), index, states, moves)


def states_on_paths(
    problems: GridProblems, moves: Int8[np.ndarray, "B H W"], trajectories: int, *, rng: np.random.Generator
) -> tuple[Int64[np.ndarray, " N"], Int[np.ndarray, "N 2"]]:
    """The problem and cell of every state, but the last, on the paths from several starts of each problem."""
    starts = sample_starts(problems, trajectories, rng=rng)
    paths, lengths = expert_paths(moves, problems.obstacles, starts, problems.goals)
    on_path = np.arange(paths.shape[2]) < lengths[..., None] - 1
    return np.nonzero(on_path)[0], paths[on_path]


def demonstrate_everywhere(
    problems: GridProblems, *, rng: np.random.Generator | None = None, corner_cutting: bool = True
) -> Demonstrations:
    """All optimal moves in every cell that can reach the goal; ``rng`` is not used."""
    obstacles, goals = problems.obstacles, problems.goals
    costs = cost_to_go(obstacles, goals, corner_cutting=corner_cutting)
    optimal = optimal_moves(costs, obstacles, corner_cutting=corner_cutting)
    index, row, col = np.nonzero(np.isfinite(costs) & (costs > 0))
    states = np.stack([row, col], axis=-1)
    return pack_demonstrations(observe(obstacles, goals), index, states, optimal[index, :, row, col])


def pack_demonstrations(
    observations: Float32[torch.Tensor, "B C H W"],
    index: Int[np.ndarray, " N"],
    states: Int[np.ndarray, "N _"],
    moves: Bool[np.ndarray, "N M"],
) -> Demonstrations:
    """Demonstrations from a list of states sorted by their problem; padding has weight 0."""
    counts = np.bincount(index, minlength=len(observations))
    filled = np.arange(counts.max(initial=0)) < counts[:, None]
    all_states = np.zeros((*filled.shape, states.shape[1]), np.int16)
    # In padding every move is optimal, so that the loss is finite there before its weight of 0 removes it.
    all_moves = np.ones((*filled.shape, moves.shape[1]), bool)
    all_states[filled], all_moves[filled] = states, moves
    packed = (all_states, all_moves, filled.astype(np.float32))
    return Demonstrations(observations, *map(torch.from_numpy, packed))


@dataclass(frozen=True)
class ExactSolution(Batch):
    """Exact costs, moves and paths of some problems."""

    costs: Float64[np.ndarray, "B H W"]
    moves: Int8[np.ndarray, "B H W"]
    """The expert's own move in every cell."""
    optimal: Bool[np.ndarray, "B M H W"]
    """All moves that begin a shortest path."""
    paths: Int[np.ndarray, "B T 2"]
    """The expert's path from each start, padded."""
    lengths: Int[np.ndarray, " B"]
    """States on each path, both ends included; 0 where no path exists."""


def solve(problems: GridProblems, *, corner_cutting: bool = True) -> ExactSolution:
    """The exact solution of all problems."""
    costs = cost_to_go(problems.obstacles, problems.goals, corner_cutting=corner_cutting)
    moves = expert_moves(costs, problems.obstacles, corner_cutting=corner_cutting)
    optimal = optimal_moves(costs, problems.obstacles, corner_cutting=corner_cutting)
    paths, lengths = expert_paths(moves, problems.obstacles, problems.starts, problems.goals)
    return ExactSolution(costs, moves, optimal, paths, lengths)
