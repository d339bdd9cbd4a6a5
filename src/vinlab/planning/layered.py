"""Value iteration over states with layers, K backups deep: the reference, and the planner as a layer.

A backup reads the table of moves: ``q[l, a] = reward[l, a] + discount[l, a] * value of the state that action a of
layer l leads to``, then ``value[l] = max over a of q[l, a]``. Actions that lead off the map or that a layer does not
have are impossible: worth ``UNREACHABLE``, without a gradient.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from vinlab.planning.bellman import require_iterations
from vinlab.planning.costs import UNREACHABLE
from vinlab.planning.fused.layered_function import fused_layered_value_iteration, is_layered_fusible
from vinlab.planning.layered_evaluation import next_states
from vinlab.planning.layered_search import LayeredPlan
from vinlab.planning.moves import LayeredMoves
from vinlab.types import InputError


@dataclass(frozen=True)
class LayeredTransition:
    """A table of moves, and the discount of each action."""

    moves: LayeredMoves
    discounts: Float[Tensor, "L A"]


def layered_value_iteration(
    reward: Float[Tensor, "B L A H W"],
    transition: LayeredTransition,
    iterations: int,
    *,
    initial_value: Float[Tensor, "B L H W"] | None = None,
) -> tuple[Float[Tensor, "B L A H W"], Float[Tensor, "B L H W"]]:
    """The value after K maximisations and the q that follows, in plain tensor operations."""
    require_layered(reward, transition, iterations, initial_value)
    batch, layers, actions, rows, cols = reward.shape
    following, possible = next_states(transition.moves, rows, cols, device=reward.device)
    gains = reward.transpose(1, 2).flatten(2)
    discounts = transition.discounts.T[:, :, None, None].expand(actions, layers, rows, cols).flatten(1)

    def read_q(value: Tensor) -> Tensor:
        onwards = value[:, following]
        return (gains + discounts * onwards).where(possible & (onwards > UNREACHABLE / 2), UNREACHABLE)

    value = gains.new_zeros(batch, gains.shape[2]) if initial_value is None else initial_value.flatten(1)
    for _ in range(iterations):
        value = read_q(value).max(dim=1).values
    q = read_q(value).view(batch, actions, layers, rows, cols).transpose(1, 2)
    return q, value.view(batch, layers, rows, cols)


class LayeredPlanner(nn.Module):
    """``GridPlanner`` over states with layers: K backups by a table of moves."""

    def __init__(self, *, iterations: int) -> None:
        super().__init__()
        self.iterations = iterations

    def forward(
        self,
        reward: Float[Tensor, "B L A H W"],
        transition: LayeredTransition,
        *,
        iterations: int | None = None,
        initial_value: Float[Tensor, "B L H W"] | None = None,
    ) -> LayeredPlan:
        """Plan for every state at once, on any H and W; ``iterations`` replaces the planner's own K."""
        iterations = self.iterations if iterations is None else iterations
        require_layered(reward, transition, iterations, initial_value)
        moves, discounts = transition.moves, transition.discounts
        if is_layered_fusible(reward, discounts, initial_value):
            q, value = fused_layered_value_iteration(reward, discounts, moves, iterations, initial_value)
        else:
            q, value = layered_value_iteration(reward, transition, iterations, initial_value=initial_value)
        return LayeredPlan(reward, q, value)

    def extra_repr(self) -> str:
        """The settings that ``print`` shows."""
        return f"iterations={self.iterations}"


def require_layered(
    reward: Tensor, transition: LayeredTransition, iterations: int, initial_value: Tensor | None
) -> None:
    """Refuse a reward, discounts and an initial value that do not fit the table of moves."""
    require_iterations(iterations)
    shape = (transition.moves.num_layers, transition.moves.num_actions)
    if tuple(reward.shape[1:3]) != shape or tuple(transition.discounts.shape) != shape:
        raise InputError(
            f"expected a reward and discounts of {shape[0]} layers and {shape[1]} actions, got "
            f"{tuple(reward.shape[1:3])} and {tuple(transition.discounts.shape)}."
        )
    expected = (len(reward), shape[0], *reward.shape[3:])
    if initial_value is not None and tuple(initial_value.shape) != expected:
        raise InputError(f"initial_value: expected the shape {expected}, got {tuple(initial_value.shape)}.")
    if not torch.is_floating_point(reward):
        raise InputError(f"reward: expected floating-point numbers, got {reward.dtype}.")
