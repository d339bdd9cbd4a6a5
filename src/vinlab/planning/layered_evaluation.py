"""The fixed point of value iteration over states with layers, in plain tensor operations: the search's reference."""

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from vinlab.planning.moves import LayeredMoves
from vinlab.planning.policy_evaluation import evaluate_states, settled_states

Costs = Float[Tensor, "B L A H W"]
Allowed = Bool[Tensor, "B L A H W"] | None


def next_states(
    moves: LayeredMoves, rows: int, cols: int, *, device: torch.device | None = None
) -> tuple[Int64[Tensor, "A N"], Bool[Tensor, "A N"]]:
    """The state that each action leads to (0 where it leads off the map), and whether it leads anywhere.

    States are counted layer by layer and row by row.
    """
    layers = torch.as_tensor(moves.layers, device=device)[:, :, None, None]
    offsets = torch.as_tensor(moves.offsets, device=device)
    row = torch.arange(rows, device=device)[:, None] + offsets[..., 0, None, None]
    col = torch.arange(cols, device=device)[None, :] + offsets[..., 1, None, None]
    possible = (layers >= 0) & (row >= 0) & (row < rows) & (col >= 0) & (col < cols)
    states = ((layers * rows + row) * cols + col).where(possible, 0)
    return states.transpose(0, 1).flatten(1), possible.transpose(0, 1).flatten(1)


def reference_layered_plan(
    costs: Costs, terminals: Bool[Tensor, "B L H W"], allowed: Allowed, moves: LayeredMoves
) -> tuple[Float[Tensor, "B L A H W"], Float[Tensor, "B L H W"], Int64[Tensor, "B L H W"]]:
    """The q, value and greedy actions, by backups until they settle; of equal actions the first."""
    states = _by_action(costs), terminals.flatten(1), *_possible(allowed, moves, costs)
    greedy = settled_states(*states).view_as(terminals)
    return *evaluate_layered_moves(costs, terminals, allowed, moves, greedy), greedy


def evaluate_layered_moves(
    costs: Costs,
    terminals: Bool[Tensor, "B L H W"],
    allowed: Allowed,
    moves: LayeredMoves,
    greedy: Int64[Tensor, "B L H W"],
) -> tuple[Float[Tensor, "B L A H W"], Float[Tensor, "B L H W"]]:
    """The q and value of making the given action in every state, which must lead to a terminal one.

    It can be differentiated any number of times.
    """
    states = _by_action(costs), terminals.flatten(1), *_possible(allowed, moves, costs)
    q, value = evaluate_states(*states, greedy.flatten(1))
    return q.view(len(q), -1, *terminals.shape[1:]).transpose(1, 2), value.view_as(terminals)


def _by_action(costs: Costs) -> Float[Tensor, "B A N"]:
    """The costs with the states of all layers in a row."""
    return costs.transpose(1, 2).flatten(2)


def _possible(allowed: Allowed, moves: LayeredMoves, costs: Costs) -> tuple[Tensor, Tensor]:
    """The state that each action leads to, and whether it can be made."""
    following, possible = next_states(moves, *costs.shape[3:], device=costs.device)
    return following, possible if allowed is None else possible & allowed.transpose(1, 2).flatten(2)
