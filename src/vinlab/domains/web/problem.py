"""Navigation problems: a query, a start page, and the page that the query describes."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Int

from vinlab.domains.web.corpus import ARTICLE
from vinlab.domains.web.site import Site
from vinlab.types import Batch, InputError

Part = Literal["training", "validation", "test"]
PARTS: tuple[Part, ...] = ("training", "validation", "test")
ROOT = 0


@dataclass(frozen=True)
class WebProblems(Batch):
    """Tasks on one site: find the page that a query describes."""

    queries: Int[np.ndarray, " B"]
    """Indices of the site's queries."""
    starts: Int[np.ndarray, " B"]
    targets: Int[np.ndarray, " B"]


def split_pages(
    site: Site, *, rng: np.random.Generator, shares: tuple[float, float] = (0.1, 0.12)
) -> Int[np.ndarray, " N"]:
    """The part (0 training, 1 validation, 2 test) of every page; pages with the same text share one."""
    return split_texts(site.duplicate_of, rng=rng, shares=shares)


def split_texts(
    duplicate_of: Int[np.ndarray, " N"],
    *,
    rng: np.random.Generator,
    shares: tuple[float, float] = (0.1, 0.12),
) -> Int[np.ndarray, " N"]:
    """The same, from the first page with the text of each page."""
    draws = rng.random(len(duplicate_of))[duplicate_of]
    validation, test = shares
    return np.where(draws < test, 2, np.where(draws < test + validation, 1, 0))


def queries_of(site: Site, split: Int[np.ndarray, " N"], part: Part) -> Int[np.ndarray, " n"]:
    """The queries whose pages are in this part."""
    return np.flatnonzero(split[site.queries.pages] == PARTS.index(part))


def start_at_root(site: Site, queries: Int[np.ndarray, " n"]) -> WebProblems:
    """Problems that start at the root: the paper's training set and first test set."""
    return WebProblems(queries, np.full(len(queries), ROOT), site.queries.pages[queries])


def start_anywhere(site: Site, queries: Int[np.ndarray, " n"], *, rng: np.random.Generator) -> WebProblems:
    """Problems that start at a random article other than the target."""
    articles = np.flatnonzero(site.levels == ARTICLE)
    if len(articles) < 2:
        raise InputError(f"random starts: expected a site with two articles or more, got {len(articles)}.")
    targets = site.queries.pages[queries]
    starts = rng.choice(articles, len(queries))
    while (same := starts == targets).any():
        starts[same] = rng.choice(articles, int(same.sum()))
    return WebProblems(queries, starts, targets)


def draw(
    queries: Int[np.ndarray, " n"], count: int, *, rng: np.random.Generator
) -> Int[np.ndarray, " count"]:
    """``count`` queries, each as often as any other or once more."""
    if not len(queries):
        raise InputError("expected queries to draw from, got none: the site is too small for this split.")
    rounds = [rng.permutation(queries) for _ in range(-(-count // len(queries)))]
    return np.concatenate([queries[:0], *rounds])[:count]
