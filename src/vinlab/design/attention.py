"""psi: which of the planner's values the policy may look at from a state."""

from jaxtyping import Float, Int
from torch import Tensor, nn

from vinlab.types import Plan


class StateAttention(nn.Module):
    """Looks at the worth of each planner action in the agent's own cell, and nowhere else."""

    def forward(self, plan: Plan, states: Int[Tensor, "B S 2"]) -> Float[Tensor, "B S A"]:
        """The q of every state that is asked for."""
        return look_up(plan.q, states)


def look_up(image: Float[Tensor, "B A H W"], states: Int[Tensor, "B S 2"]) -> Float[Tensor, "B S A"]:
    """The image's entries at some cells of each map."""
    places = states[..., 0].long() * image.shape[3] + states[..., 1].long()
    by_cell = image.flatten(2)
    return by_cell.gather(2, places[:, None].expand(-1, image.shape[1], -1)).transpose(1, 2)
