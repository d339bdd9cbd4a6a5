"""pi_re: the reactive policy, from what was attended to what is done."""

import torch
from jaxtyping import Float
from torch import Tensor, nn


class LinearPolicy(nn.Module):
    """A linear layer without bias whose softmax is the probability of each move."""

    def __init__(self, *, actions: int = 10, moves: int = 8) -> None:
        super().__init__()
        self.moves = nn.Linear(actions, moves, bias=False)

    def forward(self, attended: Float[Tensor, "B S A"]) -> Float[Tensor, "B S M"]:
        """The logits of the moves in every state."""
        return self.moves(attended)


class IdentityPolicy(nn.Module):
    """No layer at all: the softmax of the attended values is the probability of each move, one for each action."""

    def forward(self, attended: Float[Tensor, "B S A"]) -> Float[Tensor, "B S A"]:
        """The values themselves, as logits."""
        return attended


class TemperaturePolicy(nn.Module):
    """The planner's first actions as moves, the better ones likelier, with a learned sharpness.

    Only differences of values count, however far below zero a far goal puts them all.
    """

    def __init__(self, *, moves: int = 8) -> None:
        super().__init__()
        self.moves = moves
        self.log_inverse_temperature = nn.Parameter(torch.zeros(()))
        """Its logarithm."""

    def forward(self, attended: Float[Tensor, "B S A"]) -> Float[Tensor, "B S M"]:
        """The logits of the moves in every state."""
        return attended[..., : self.moves] * self.log_inverse_temperature.exp()


class MlpPolicy(nn.Module):
    """Three fully connected layers whose output is a control: the paper's reactive policy for continuous moves."""

    def __init__(self, *, inputs: int, hidden: int = 64, controls: int = 2) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(inputs, hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Linear(hidden, controls),
        )

    def forward(self, attended: Float[Tensor, "B S A"]) -> Float[Tensor, "B S M"]:
        """The control in every state."""
        return self.layers(attended)
