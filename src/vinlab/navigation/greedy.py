"""The greedy moves of a policy in every cell of a map, and the paths that they make."""

from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int, Int8, UInt8

from vinlab.domains.gridworld.environment import step
from vinlab.evaluation.rollout import PlanningPolicy, greedy_actions
from vinlab.planning.shortest_path import ShortestPathPlan, ShortestPathPlanner
from vinlab.types import MOVE_OFFSETS


def greedy_moves(
    policy: PlanningPolicy,
    plan: Any,
    batch: int,
    shape: tuple[int, int],
    *,
    legal: Bool[np.ndarray, "B H W M"] | None = None,
) -> Int[np.ndarray, "B H W"]:
    """The likeliest move in every cell of every map, or with ``legal`` the likeliest of the legal ones.

    A plan that holds the greedy moves has compared them exactly; there an illegal one alone is replaced.
    """
    if not isinstance(plan, ShortestPathPlan) or plan.moves is None:
        by_cell = None if legal is None else legal.reshape(len(legal), -1, legal.shape[-1])
        return greedy_actions(policy, plan, _all_cells(batch, shape), allowed=by_cell).reshape(batch, *shape)
    moves = np.maximum(plan.moves.cpu().numpy(), 0).astype(np.int64)
    return moves if legal is None else _without_illegal(moves, plan.q.cpu().numpy(), legal)


def _without_illegal(
    moves: Int[np.ndarray, "B H W"], q: Float[np.ndarray, "B M H W"], legal: Bool[np.ndarray, "B H W M"]
) -> Int[np.ndarray, "B H W"]:
    """The moves, with the best legal one in place of each that is illegal."""
    wrong = ~np.take_along_axis(legal, moves[..., None], axis=-1)[..., 0]
    if not wrong.any():
        return moves
    best = np.where(legal, np.moveaxis(q, 1, -1), -np.inf).argmax(axis=-1)
    return np.where(wrong, best, moves)


def legal_moves(
    obstacles: UInt8[np.ndarray, "B H W"], *, corner_cutting: bool = True
) -> Bool[np.ndarray, "B H W M"]:
    """Which moves lead to another cell, by the rule of the world itself."""
    cells = _all_cells(len(obstacles), (obstacles.shape[1], obstacles.shape[2]))
    there = [
        step(obstacles, cells, np.full(cells.shape[:2], move), corner_cutting=corner_cutting)
        for move in range(len(MOVE_OFFSETS))
    ]
    moved = np.stack([(after != cells).any(axis=-1) for after in there], axis=-1)
    return moved.reshape(*obstacles.shape, len(MOVE_OFFSETS))


def _all_cells(batch: int, shape: tuple[int, int]) -> Int[np.ndarray, "B N 2"]:
    """The cells of each map, row by row."""
    return np.tile(np.indices(shape).reshape(2, -1).T, (batch, 1, 1))


def next_cells(
    moves: Int[np.ndarray, "B H W"], obstacles: UInt8[np.ndarray, "B H W"], *, corner_cutting: bool = True
) -> Int[np.ndarray, "B N"]:
    """The cell that the move of each cell leads to, cells counted row by row; an illegal move leads nowhere else."""
    batch, height, width = moves.shape
    here = _all_cells(batch, (height, width))
    there = step(obstacles, here, moves.reshape(batch, -1), corner_cutting=corner_cutting)
    return there[..., 0] * width + there[..., 1]


def follow_moves(
    moves: Int[np.ndarray, "H W"],
    obstacles: UInt8[np.ndarray, "H W"],
    start: tuple[int, int],
    goal: tuple[int, int],
    *,
    corner_cutting: bool = True,
) -> tuple[Int[np.ndarray, "T 2"], bool]:
    """The path that the moves make from the start, and whether it reaches the goal."""
    (following,) = next_cells(moves[None], obstacles[None], corner_cutting=corner_cutting)
    return follow_cells(following, start, goal, width=moves.shape[1])


def follow_cells(
    following: Int[np.ndarray, " N"], start: tuple[int, int], goal: tuple[int, int], *, width: int
) -> tuple[Int[np.ndarray, "T 2"], bool]:
    """The path from the start, if each cell leads to one ``following`` cell, and whether it reaches the goal.

    It stops at the first repeated cell: the policy is stationary. A move into an obstacle repeats the cell.
    """
    here, end = (row * width + col for row, col in (start, goal))
    path = {here: None}
    while here != end:
        here = int(following[here])
        if here in path:
            break
        path[here] = None
    cells = np.array(list(path))
    return np.stack(np.divmod(cells, width), axis=-1), here == end


def settles_alone(network: Any) -> bool:
    """Whether the network searches with known moves, so that its plans have the greedy move of every cell."""
    return isinstance(getattr(network, "planner", None), ShortestPathPlanner)


def follow_settled_plan(
    plan: ShortestPathPlan,
    index: int,
    obstacles: UInt8[np.ndarray, "H W"],
    start: tuple[int, int],
    goal: tuple[int, int],
    *,
    corner_cutting: bool = True,
) -> tuple[Int[np.ndarray, "T 2"], bool]:
    """The path by one of the plans, and whether it reaches the goal.

    Where it meets an obstacle, the best legal move of every cell is followed instead.
    """
    assert plan.moves is not None
    moves = plan.moves[index].cpu().numpy()
    path, reached = follow_settled_moves(moves, obstacles, start, goal, corner_cutting=corner_cutting)
    if reached:
        return path, reached
    legal = legal_moves(obstacles[None], corner_cutting=corner_cutting)
    known = np.maximum(moves, 0).astype(np.int64)[None]
    (allowed,) = _without_illegal(known, plan.q[index : index + 1].cpu().numpy(), legal)
    return follow_moves(allowed, obstacles, start, goal, corner_cutting=corner_cutting)


def takes_costs(network: Any) -> bool:
    """Whether the network is shown the costs of a map."""
    return getattr(getattr(network, "reward", None), "sees_costs", False)


def follow_settled_moves(
    moves: Int8[np.ndarray, "H W"],
    obstacles: UInt8[np.ndarray, "H W"],
    start: tuple[int, int],
    goal: tuple[int, int],
    *,
    corner_cutting: bool = True,
) -> tuple[Int[np.ndarray, "T 2"], bool]:
    """The path that the moves of a ``ShortestPathPlan`` make, and whether it reaches the goal.

    As ``follow_moves``, but only the cells of the path are looked at: these moves never repeat a cell or leave the map.
    """
    width = moves.shape[1]
    table, jumps = moves.tobytes(), (MOVE_OFFSETS @ (width, 1)).tolist()
    here, end = (int(row) * width + int(col) for row, col in (start, goal))
    cells = [here]
    while here != end and (move := table[here]) < len(jumps):  # the byte of NO_MOVE is 255
        here += jumps[move]
        cells.append(here)
    path = np.stack(np.divmod(np.array(cells), width), axis=-1)
    made = moves[tuple(path[:-1].T)].astype(np.int64)
    following = step(obstacles[None], path[None, :-1], made[None], corner_cutting=corner_cutting)[0]
    illegal = np.flatnonzero((following != path[1:]).any(axis=1))
    if len(illegal):
        return path[: illegal[0] + 1], False
    return path, here == end
