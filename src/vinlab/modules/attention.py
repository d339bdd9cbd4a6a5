"""psi: the part of the plan that the policy reads in a state."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from vinlab.planning.tensors import are_transformed
from vinlab.types import InputError, Plan


class StateAttention(nn.Module):
    """Attends to the value of each planner action in the agent's own cell."""

    def forward(self, plan: Plan, states: Int[Tensor, "B S 2"]) -> Float[Tensor, "B S A"]:
        """The q of each state."""
        return gather_states(plan.q, states)


def gather_states(image: Float[Tensor, "B A H W"], states: Int[Tensor, "B S 2"]) -> Float[Tensor, "B S A"]:
    """The entries of the image at some cells of each map."""
    _require_cells(states)
    require_inside(states, image.shape[2], image.shape[3])
    cells = states[..., 0].long() * image.shape[3] + states[..., 1].long()
    by_cell = image.flatten(2)
    return by_cell.gather(2, cells[:, None].expand(-1, image.shape[1], -1)).transpose(1, 2)


def _require_cells(states: Tensor) -> None:
    """Refuse states that are no pairs of whole numbers; without this, halves of a cell would be cut off silently."""
    if states.dim() != 3 or states.shape[2] != 2:
        hint = "; of one state of each problem, states[:, None]" if states.dim() == 2 else ""
        raise InputError(
            f"states: expected [B S 2], (row, col) of S states of each problem, got the shape "
            f"{tuple(states.shape)}{hint}."
        )
    if states.is_floating_point():
        raise InputError(f"states: expected whole numbers (row, col), got {states.dtype}.")


def require_inside(states: Int[Tensor, "B S 2"], rows: int, cols: int) -> None:
    """Refuse states that are no cells of the map; a transform of PyTorch hides their numbers."""
    if are_transformed(states) or not states.numel():
        return
    outside = (states < 0) | (states >= torch.tensor([rows, cols], dtype=states.dtype, device=states.device))
    if bool(outside.any()):
        first = tuple(states[outside.any(dim=-1)][0].tolist())
        raise InputError(f"states: expected cells of a map of {rows} x {cols} cells, got {first}.")


class PatchAttention(nn.Module):
    """Attends to a square patch of the value around the cell of a continuous position.

    The first two entries of a state are its (row, col), from -1 at one edge of the map to 1 at the other. The patch is
    normalised, as values have no natural zero and grow during training.
    """

    def __init__(self, *, width: int = 5) -> None:
        super().__init__()
        self.width = width
        self.norm = nn.LayerNorm(width * width)

    def forward(self, plan: Plan, states: Float[Tensor, "B S X"]) -> Float[Tensor, "B S A"]:
        """The patch of each state, row by row; beyond the map it repeats the value at the edge."""
        reach = self.width // 2
        value = functional.pad(plan.value, (reach,) * 4, mode="replicate")
        rows, cols = plan.value.shape[2:]
        cells, _ = cell_and_offset(states[..., :2], rows, cols)
        around = torch.arange(self.width, device=states.device)
        rows_read = (cells[..., 0, None] + around)[..., :, None]
        cols_read = (cells[..., 1, None] + around)[..., None, :]
        read = (rows_read * value.shape[3] + cols_read).flatten(1)
        patches = value.flatten(1).gather(1, read)
        return self.norm(patches.view(*states.shape[:2], self.width**2))


def cell_and_offset(
    positions: Float[Tensor, "B S 2"], rows: int, cols: int
) -> tuple[Int[Tensor, "B S 2"], Float[Tensor, "B S 2"]]:
    """The cell of each position from -1 to 1 along each side, and its offset from the cell's centre, in cells."""
    size = positions.new_tensor([rows, cols])
    scaled = (positions + 1) / 2 * size
    cells = scaled.floor().clamp(min=torch.zeros_like(size), max=size - 1)
    return cells.long(), scaled - cells - 0.5


class PatchFeatures(nn.Module):
    """The observation in the square patch around each cell; beyond the map it is zero."""

    def __init__(self, *, width: int = 3) -> None:
        super().__init__()
        self.width = width

    def forward(self, observation: Float[Tensor, "B C H W"]) -> Float[Tensor, "B D H W"]:
        """The patch of every cell, ``C * width * width`` features, channel by channel and row by row."""
        patches = functional.unfold(observation, self.width, padding=self.width // 2)
        return patches.unflatten(2, observation.shape[2:])
