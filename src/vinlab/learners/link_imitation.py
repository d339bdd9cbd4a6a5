"""Learning which link an expert clicks: the loss of a batch of queries with pages of different numbers of links."""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from vinlab.learners.imitation import surprise


@runtime_checkable
class Clicks(Protocol):
    """Steps on pages with about as many links."""

    @property
    def rows(self) -> Int[Tensor, " S"]:
        """The query of each step."""
        ...

    @property
    def pages(self) -> Int[Tensor, " S"]:
        """Where each step is made."""
        ...

    @property
    def candidates(self) -> Int[Tensor, "S L"]:
        """The links there."""
        ...

    @property
    def right(self) -> Bool[Tensor, "S L"]:
        """Which of them are right."""
        ...


@runtime_checkable
class LinkBatch(Protocol):
    """Some queries and the steps of their paths."""

    @property
    def queries(self) -> Float[Tensor, "B D"]:
        """The features of the queries."""
        ...

    @property
    def tables(self) -> Sequence[Clicks]:
        """The steps, those on pages with many links apart from those with few."""
        ...


class LinkLoss(nn.Module):
    """A policy with its loss on one site; it plans once per query, whatever the number of steps."""

    def __init__(self, policy: nn.Module, site: Any) -> None:
        super().__init__()
        self.policy = policy
        self.site = site

    def forward(self, batch: LinkBatch) -> Float[Tensor, ""]:
        """The sum of the losses of all steps in the batch."""
        plan = self.policy.plan(self.site, batch.queries)  # type: ignore[operator]
        loss = batch.queries.new_zeros(())
        for table in batch.tables:
            scores = self.policy.scores(self.site, plan, table.rows, table.pages, table.candidates)  # type: ignore[operator]
            loss = loss + surprise(scores[None], table.right[None]).sum()
        return loss
