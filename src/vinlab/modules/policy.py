"""pi_re: the reactive policy, from the attended values to logits or actions."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from vinlab.planning.tensors import without_autocast


class LinearPolicy(nn.Module):
    """A linear layer without bias whose softmax is the probability of each move.

    With ``like_moves`` the logit of move m starts near the q of planner action m.
    """

    def __init__(self, *, actions: int = 10, moves: int = 8, like_moves: bool = False) -> None:
        super().__init__()
        self.moves = nn.Linear(actions, moves, bias=False)
        if like_moves:
            with torch.no_grad():
                self.moves.weight += torch.eye(moves, actions)

    def forward(self, attended: Float[Tensor, "B S A"]) -> Float[Tensor, "B S M"]:
        """The logits of the moves in every state."""
        with without_autocast(attended):  # values of neighbouring actions differ little
            return self.moves(attended)


class IdentityPolicy(nn.Module):
    """No layer: the attended values are the logits, one move per action."""

    def forward(self, attended: Float[Tensor, "B S A"]) -> Float[Tensor, "B S A"]:
        """The values as logits."""
        return attended


class TemperaturePolicy(nn.Module):
    """The values of the planner's first actions, divided by a learned temperature, as logits of the moves.

    Only differences of values count, so a distant goal with very negative values is no problem.
    """

    def __init__(self, *, moves: int = 8, log_inverse_temperature: float = 0.0) -> None:
        super().__init__()
        self.moves = moves
        self.log_inverse_temperature = nn.Parameter(torch.tensor(log_inverse_temperature))

    def forward(self, attended: Float[Tensor, "B S A"]) -> Float[Tensor, "B S M"]:
        """The logits of the moves in every state."""
        return attended[..., : self.moves] * self.log_inverse_temperature.exp()


class MlpPolicy(nn.Module):
    """Three fully connected layers: the paper's reactive policy for continuous actions."""

    def __init__(self, *, inputs: int, hidden: int = 64, outputs: int = 2) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(inputs, hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Linear(hidden, outputs),
        )

    def forward(self, attended: Float[Tensor, "B S A"]) -> Float[Tensor, "B S M"]:
        """The action in every state."""
        return self.layers(attended)


class FeaturePolicy(nn.Module):
    """A layer of rectified units on the attended values and the features of the state, side by side.

    The general policy of the paper's Section 3, which takes phi(s) beside psi(s).
    """

    def __init__(self, *, attended: int = 10, features: int, hidden: int = 64, moves: int = 8) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(attended + features, hidden), nn.ReLU(), nn.Linear(hidden, moves)
        )

    def forward(
        self, attended: Float[Tensor, "B S A"], features: Float[Tensor, "B S D"]
    ) -> Float[Tensor, "B S M"]:
        """The logits of the moves in every state."""
        return self.layers(torch.cat([attended, features], dim=-1))
