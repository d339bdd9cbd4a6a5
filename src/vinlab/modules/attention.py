"""psi: which of the planner's values the policy may look at from a state."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from vinlab.types import Plan


class StateAttention(nn.Module):
    """Looks at the worth of each planner action in the agent's own cell, and nowhere else."""

    def forward(self, plan: Plan, states: Int[Tensor, "B S 2"]) -> Float[Tensor, "B S A"]:
        """The q of every state that is asked for."""
        return gather_states(plan.q, states)


def gather_states(image: Float[Tensor, "B A H W"], states: Int[Tensor, "B S 2"]) -> Float[Tensor, "B S A"]:
    """The image's entries at some cells of each map."""
    places = states[..., 0].long() * image.shape[3] + states[..., 1].long()
    by_cell = image.flatten(2)
    return by_cell.gather(2, places[:, None].expand(-1, image.shape[1], -1)).transpose(1, 2)


class PatchAttention(nn.Module):
    """Looks at a square patch of the value around the cell that a continuous position lies in.

    The first two entries of a state are its (row, col), from -1 at one edge of the map to 1 at the other. Of the
    patch only differences count: it is centred and scaled, for a value has no natural zero and grows in learning.
    """

    def __init__(self, *, width: int = 5) -> None:
        super().__init__()
        self.width = width
        self.norm = nn.LayerNorm(width * width)

    def forward(self, plan: Plan, states: Float[Tensor, "B S X"]) -> Float[Tensor, "B S A"]:
        """The patch of every state, row by row; beyond the map it repeats the value at the edge."""
        reach = self.width // 2
        value = functional.pad(plan.value, (reach,) * 4, mode="replicate")
        rows, cols = plan.value.shape[2:]
        cells, _ = cell_and_offset(states[..., :2], rows, cols)
        around = torch.arange(self.width, device=states.device)
        rows_read = (cells[..., 0, None] + around)[..., :, None]
        cols_read = (cells[..., 1, None] + around)[..., None, :]
        places = (rows_read * value.shape[3] + cols_read).flatten(1)
        patches = value.flatten(1).gather(1, places)
        return self.norm(patches.view(*states.shape[:2], self.width**2))


def cell_and_offset(
    positions: Float[Tensor, "B S 2"], rows: int, cols: int
) -> tuple[Int[Tensor, "B S 2"], Float[Tensor, "B S 2"]]:
    """The cell of each position from -1 to 1 along each side, and how far from its middle it lies, in cells."""
    size = positions.new_tensor([rows, cols])
    places = (positions + 1) / 2 * size
    cells = places.floor().clamp(min=torch.zeros_like(size), max=size - 1)
    return cells.long(), places - cells - 0.5
