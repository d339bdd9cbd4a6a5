"""Lessons that hold for every cell of a map at once, and the loss of imitating an expert in all of them."""

from typing import Any, Protocol, runtime_checkable

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from vinlab.learners.imitation import set_nll


@runtime_checkable
class DenseBatch(Protocol):
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

    def logits(self, policy: Any) -> Float[Tensor, "N M H W"]:
        """The policy's logits of the moves in every cell."""
        ...


class DenseLoss(nn.Module):
    """The policy with its surprise at the expert's moves, over all cells that have any."""

    def __init__(self, policy: nn.Module) -> None:
        super().__init__()
        self.policy = policy

    def forward(self, batch: DenseBatch) -> Float[Tensor, ""]:
        """The sum of the losses of all cells in the batch."""
        logits, moves = batch.logits(self.policy).flatten(2), batch.moves.flatten(2)
        return set_nll(logits.transpose(1, 2), moves.transpose(1, 2)).sum()
