"""What a learner is given: batches of queries with the pages and links of their steps, in tables of like width."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from vinlab.domains.web.expert import Steps
from vinlab.domains.web.links import Links
from vinlab.domains.web.problem import WebProblems
from vinlab.domains.web.site import Site

NARROWEST = 16
"""Pages with at most so many links share one table; above it a table takes those up to twice as many."""


@dataclass(frozen=True)
class ClickTable:
    """Steps on pages with about as many links."""

    rows: Int[Tensor, " S"]
    """Which query of the batch each step belongs to."""
    pages: Int[Tensor, " S"]
    candidates: Int[Tensor, "S L"]
    """The links of the page, filled up with -1."""
    right: Bool[Tensor, "S L"]
    steps: Int[np.ndarray, " S"]
    """Which of the given steps each one is."""


@dataclass(frozen=True)
class ClickBatch:
    """Some queries and all steps of their paths."""

    queries: Float[Tensor, "B D"]
    tables: tuple[ClickTable, ...]


class ClickLessons:
    """An expert's clicks, to be taken a few problems at a time; only what is taken is read from the site."""

    def __init__(self, site: Site, links: Links, problems: WebProblems, steps: Steps) -> None:
        self.site, self.links, self.problems, self.steps = site, links, problems, steps
        counts = np.bincount(steps.problems, minlength=len(problems))
        self.first = np.cumsum(counts) - counts
        self.weights = torch.from_numpy(counts.astype(np.float32))

    def __len__(self) -> int:
        return len(self.problems)

    def __getitem__(self, chosen: Int[Tensor, " n"]) -> ClickBatch:
        """The batch of these problems."""
        problems = chosen.numpy()
        counts = self.weights[chosen].long().numpy()
        rows = np.repeat(np.arange(len(problems)), counts)
        steps = self.first[problems][rows] + np.arange(len(rows)) - (np.cumsum(counts) - counts)[rows]
        features = self.site.queries.features[self.problems.queries[problems]]
        tables = make_tables(self.links, rows, self.steps.pages[steps], self.steps.following[steps])
        return ClickBatch(torch.from_numpy(np.asarray(features, dtype=np.float32)), tuple(tables))


def make_tables(
    links: Links, rows: Int[np.ndarray, " S"], pages: Int[np.ndarray, " S"], following: Int[np.ndarray, " S"]
) -> Iterator[ClickTable]:
    """The steps in few tables, so that little is filler though some pages have far more links than others."""
    widths = np.ceil(np.log2(np.maximum(links.counts(pages), NARROWEST))).astype(np.int64)
    for width in np.unique(widths):
        steps = np.flatnonzero(widths == width)
        candidates = links.padded(pages[steps])
        yield ClickTable(
            rows=torch.from_numpy(rows[steps]),
            pages=torch.from_numpy(pages[steps]),
            candidates=torch.from_numpy(candidates),
            right=torch.from_numpy(candidates == following[steps, None]),
            steps=steps,
        )
