"""phi: what the policy sees of a state's surroundings, beside the plan."""

from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional


class PatchFeatures(nn.Module):
    """The observation in the square patch around each cell; beyond the map it is zero."""

    def __init__(self, *, width: int = 3) -> None:
        super().__init__()
        self.width = width

    def forward(self, observation: Float[Tensor, "B C H W"]) -> Float[Tensor, "B D H W"]:
        """The patch of every cell, ``C * width * width`` features, channel by channel and row by row."""
        patches = functional.unfold(observation, self.width, padding=self.width // 2)
        return patches.unflatten(2, observation.shape[2:])
