"""Lessons that hold for every cell of a map at once, and the loss of imitating an expert in all of them."""

from typing import Any, Protocol, runtime_checkable

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from vinlab.learners.imitation import surprise


@runtime_checkable
class Ground(Protocol):
    """Some problems of a batch, with what an expert or a simulator knows about each of their cells."""

    @property
    def goals(self) -> Int[Tensor, "N 2"]:
        """Where each problem ends."""
        ...

    @property
    def free(self) -> Bool[Tensor, "N H W"]:
        """Where one can be without a crash."""
        ...

    @property
    def moves(self) -> Bool[Tensor, "N M H W"]:
        """Which moves are right in each cell; none where there is nothing to learn."""
        ...

    def ask(self, policy: Any) -> Float[Tensor, "N M H W"]:
        """The policy's logits of the moves in every cell."""
        ...


class EverywhereLoss(nn.Module):
    """The policy with its surprise at the expert's moves, over all cells that have any."""

    def __init__(self, policy: nn.Module) -> None:
        super().__init__()
        self.policy = policy

    def forward(self, batch: Ground) -> Float[Tensor, ""]:
        """The sum of the losses of all cells in the batch."""
        logits, moves = batch.ask(self.policy).flatten(2), batch.moves.flatten(2)
        return surprise(logits.transpose(1, 2), moves.transpose(1, 2)).sum()
