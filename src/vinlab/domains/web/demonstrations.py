"""The expert's clicks as a dataset: batches of queries with the pages and links of their steps."""

from collections.abc import Iterator

import numpy as np
import torch
from jaxtyping import Int
from torch import Tensor

from vinlab.domains.web.expert import ExpertSteps
from vinlab.domains.web.link_graph import Links
from vinlab.domains.web.problem import WebProblems
from vinlab.domains.web.site import Site
from vinlab.types import LinkChoices, LinkDemonstrations

NARROWEST = 16
"""Pages with at most this many links share one table; a wider table holds pages with up to twice as many."""


class ClickDemonstrations:
    """The expert's clicks, a few problems at a time; only their rows are read from the site."""

    def __init__(self, site: Site, links: Links, problems: WebProblems, steps: ExpertSteps) -> None:
        self.site, self.links, self.problems, self.steps = site, links, problems, steps
        counts = np.bincount(steps.problems, minlength=len(problems))
        self.first = np.cumsum(counts) - counts
        self.weights = torch.from_numpy(counts.astype(np.float32))

    def __len__(self) -> int:
        return len(self.problems)

    def __getitem__(self, chosen: Int[Tensor, " n"]) -> LinkDemonstrations:
        """The batch of these problems."""
        problems = chosen.numpy()
        counts = self.weights[chosen].long().numpy()
        rows = np.repeat(np.arange(len(problems)), counts)
        steps = self.first[problems][rows] + np.arange(len(rows)) - (np.cumsum(counts) - counts)[rows]
        queries, asked = self.site.queries, self.problems.queries[problems]
        tables = make_tables(self.links, rows, self.steps.pages[steps])
        following = torch.from_numpy(self.steps.following[steps])
        return LinkDemonstrations(
            queries=torch.from_numpy(np.asarray(queries.features[asked], dtype=np.float32)),
            words=None if queries.sparse is None else queries.sparse[asked],
            steps=[(clicks, clicks.candidates == following[table, None]) for table, clicks in tables],
        )


def make_tables(
    links: Links, rows: Int[np.ndarray, " S"], pages: Int[np.ndarray, " S"]
) -> Iterator[tuple[Int[np.ndarray, " s"], LinkChoices]]:
    """The steps in a few tables of similar width, with the numbers of the steps that each one holds.

    One table for all would be mostly padding, because some pages have far more links than others.
    """
    widths = np.ceil(np.log2(np.maximum(links.counts(pages), NARROWEST))).astype(np.int64)
    for width in np.unique(widths):
        steps = np.flatnonzero(widths == width)
        clicks = LinkChoices(
            rows=torch.from_numpy(rows[steps]),
            pages=torch.from_numpy(pages[steps]),
            candidates=torch.from_numpy(links.padded(pages[steps])),
        )
        yield steps, clicks
