"""A VIN on terrain that plans to the fixed point: the image gives the cost of entering each cell, moves are known."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from vinlab.networks.terrain.encoder import ImageEncoder
from vinlab.networks.terrain.policies import EncodingVin
from vinlab.planning.costs import CostMap, MoveTable, entered, terminals_at

GAIN = 3.0
"""What the last layer is multiplied by: risks of open and of steep ground must differ by much."""


class TerrainCosts(nn.Module):
    """Image layers, then two convolutions to the risk of each cell; a move of length 1 into it costs 1 + the risk.

    ``caution`` multiplies the risks and is not learned. Imitation asks for the likeliest best move alone; a planner
    that shall not fail must shun risky cells more than that.
    """

    lengths: Tensor
    caution: Tensor

    def __init__(self, *, image: ImageEncoder, hidden: int = 150) -> None:
        super().__init__()
        self.image = image
        self.features = nn.Conv2d(image.channels, hidden, 3, padding=1)
        self.risk = nn.Conv2d(hidden, 1, 3, padding=1)
        lengths = torch.as_tensor(MoveTable().lengths, dtype=torch.float32)[:, None, None]
        self.register_buffer("lengths", lengths, persistent=False)
        self.register_buffer("caution", torch.tensor(1.0))
        with torch.no_grad():
            self.risk.weight.mul_(0.1)

    def forward(self, images: Float[Tensor, "B 1 h w"]) -> Float[Tensor, "B A H W"]:
        """The cost of each move in each cell, to be paid for the cell that it enters."""
        price = 1 + self.caution * functional.softplus(GAIN * self.risk_logits(images))
        return self.lengths * entered(price[:, 0], value=1.0)

    def encode(self, images: Float[Tensor, "B 1 h w"]) -> Float[Tensor, "B A H W"]:
        """The same."""
        return self(images)

    def condition_on_goals(self, costs: Float[Tensor, "B A H W"], goals: Int[Tensor, "B G 2"]) -> CostMap:
        """The costs and the terminal cell of each goal; the goals of one image follow each other."""
        terminals = terminals_at(goals.flatten(0, 1)[:, None], costs.shape[2], costs.shape[3])
        return CostMap(costs.repeat_interleave(goals.shape[1], dim=0), terminals)

    def risk_logits(self, images: Float[Tensor, "B 1 h w"]) -> Float[Tensor, "B 1 H W"]:
        """What the risk of each cell is the softplus of, but for the gain."""
        return self.risk(self.features(self.image(images)).relu())


class FlipAveragedTerrainCosts(TerrainCosts):
    """The same, but outside of training the mean over the image and its vertical flip."""

    def risk_logits(self, images: Float[Tensor, "B 1 h w"]) -> Float[Tensor, "B 1 H W"]:
        """What the risk of each cell is the softplus of, but for the gain."""
        found = super().risk_logits(images)
        return found if self.training else (found + super().risk_logits(images.flip(2)).flip(2)) / 2


class TerrainShortestPathVin(EncodingVin):
    """A VIN whose planner searches the costs of the image: they do not depend on the goal, so goals share them."""
