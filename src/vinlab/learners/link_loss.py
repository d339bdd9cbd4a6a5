"""The loss of imitating an expert that chooses links, on pages with different numbers of them."""

from typing import Any

from jaxtyping import Float
from torch import Tensor, nn

from vinlab.learners.losses import set_nll
from vinlab.types import LinkDemonstrations


class LinkLoss(nn.Module):
    """A policy with its loss on one site; it plans once per query, whatever the number of steps."""

    def __init__(self, policy: nn.Module, site: Any) -> None:
        super().__init__()
        self.policy = policy
        self.site = site

    def forward(self, batch: LinkDemonstrations) -> Float[Tensor, ""]:
        """The sum of the losses of all steps in the batch."""
        plan = self.policy.plan(self.site, batch.queries, words=batch.words)  # type: ignore[operator]
        loss = batch.queries.new_zeros(())
        for choices, right in batch.steps:
            logits = self.policy.logits(self.site, plan, choices)  # type: ignore[operator]
            loss = loss + set_nll(logits[None], right[None]).sum()
        return loss
