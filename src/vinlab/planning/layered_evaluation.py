"""The fixed point of value iteration over states with layers, in plain tensor operations: the search's reference."""

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from vinlab.planning.costs import NO_MOVE, UNREACHABLE
from vinlab.planning.moves import LayeredMoves

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
    """The q, value and greedy actions, by backups until they settle."""
    greedy = settle_layers(costs, terminals, allowed, moves)
    return *evaluate_layered_moves(costs, terminals, allowed, moves, greedy), greedy


@torch.no_grad()
def settle_layers(
    costs: Costs, terminals: Bool[Tensor, "B L H W"], allowed: Allowed, moves: LayeredMoves
) -> Int64[Tensor, "B L H W"]:
    """The greedy action of every state when value iteration has settled; of equal ones the first."""
    ends, by_action = terminals.flatten(1), _by_action(costs.double())
    following, possible = _possible(allowed, moves, costs)
    distance = torch.where(ends, 0.0, torch.inf).to(by_action)
    while True:
        best = (by_action + distance[:, following].where(possible, torch.inf)).min(dim=1)
        backed_up = best.values.masked_fill(ends, 0.0)
        if torch.equal(backed_up, distance):
            return best.indices.where(distance.isfinite() & ~ends, NO_MOVE).view_as(terminals)
        distance = backed_up


def evaluate_layered_moves(
    costs: Costs,
    terminals: Bool[Tensor, "B L H W"],
    allowed: Allowed,
    moves: LayeredMoves,
    greedy: Int64[Tensor, "B L H W"],
) -> tuple[Float[Tensor, "B L A H W"], Float[Tensor, "B L H W"]]:
    """The q and value of making the given action in every state, which must lead to a terminal one.

    It can be differentiated any number of times; the number of moves that are added up doubles with every round.
    """
    by_action, going = _by_action(costs.double()), greedy.flatten(1)
    following, possible = _possible(allowed, moves, costs)
    chosen = going.clamp(min=0)[:, None]
    goes, here = going != NO_MOVE, torch.arange(going.shape[1], device=going.device)
    cost = by_action.gather(1, chosen)[:, 0].where(goes, 0.0)
    state = following.expand(len(going), -1, -1).gather(1, chosen)[:, 0].where(goes, here)
    for _ in range(going.shape[1].bit_length()):
        if not goes.gather(1, state).any():
            break
        cost = cost + cost.gather(1, state)
        state = state.gather(1, state)
    reached = goes | terminals.flatten(1)
    q = (-(by_action + cost[:, following])).where(possible & reached[:, following], UNREACHABLE)
    value = (-cost).where(reached, UNREACHABLE).view_as(terminals)
    by_layer = q.view(len(q), -1, *terminals.shape[1:]).transpose(1, 2)
    return by_layer.to(costs), value.to(costs)


def _by_action(costs: Costs) -> Float[Tensor, "B A N"]:
    """The costs with the states of all layers in a row."""
    return costs.transpose(1, 2).flatten(2)


def _possible(allowed: Allowed, moves: LayeredMoves, costs: Costs) -> tuple[Tensor, Tensor]:
    """The state that each action leads to, and whether it can be made."""
    following, possible = next_states(moves, *costs.shape[3:], device=costs.device)
    return following, possible if allowed is None else possible & allowed.transpose(1, 2).flatten(2)
