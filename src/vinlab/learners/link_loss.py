"""The loss of imitating an expert that chooses links, on pages with different numbers of them."""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from jaxtyping import Bool, Float
from torch import Tensor, nn

from vinlab.learners.imitation import set_nll


@runtime_checkable
class LinkBatch(Protocol):
    """Some queries and the expert's steps for them."""

    @property
    def queries(self) -> Float[Tensor, "B D"]:
        """The features of each query."""
        ...

    @property
    def steps(self) -> Sequence[tuple[Any, Bool[Tensor, "_ _"]]]:
        """Tables of steps on pages with about as many links, and which of these links are right."""
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
        for choices, right in batch.steps:
            logits = self.policy.logits(self.site, plan, choices)  # type: ignore[operator]
            loss = loss + set_nll(logits[None], right[None]).sum()
        return loss
