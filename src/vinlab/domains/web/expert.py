"""The expert: shortest paths over links, and all links that lie on one."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int, UInt8

from vinlab.domains.web.link_graph import Links
from vinlab.domains.web.problem import WebProblems

UNREACHABLE = 255
"""The distance that stands for none."""


@dataclass(frozen=True)
class Distances:
    """The number of clicks from every page to some targets."""

    table: UInt8[np.ndarray, "T N"]
    row: Int[np.ndarray, " N"]
    """The row of each target; -1 for pages that are none."""

    def between(self, pages: Int[np.ndarray, "*S"], targets: Int[np.ndarray, "*S"]) -> Int[np.ndarray, "*S"]:
        """The clicks from each page to its target."""
        return self.table[self.row[targets], pages].astype(np.int64)


def distances_to(links: Links, targets: Int[np.ndarray, " n"]) -> Distances:
    """The clicks from every page to each of these targets."""
    from vinlab.domains.web._search import search_from

    chosen = np.unique(targets)
    table = np.full((len(chosen), links.num_pages), UNREACHABLE, dtype=np.uint8)
    back = links.reversed()
    search_from(back.offsets, back.targets, chosen, table)
    row = np.full(links.num_pages, -1)
    row[chosen] = np.arange(len(chosen))
    return Distances(table, row)


def optimal_links(
    distances: Distances,
    pages: Int[np.ndarray, " S"],
    targets: Int[np.ndarray, " S"],
    candidates: Int[np.ndarray, "S L"],
) -> Bool[np.ndarray, "S L"]:
    """Which of the candidate links begin a shortest path to the target; -1 is filler and never does."""
    here = distances.between(pages, targets)
    there = distances.between(np.maximum(candidates, 0), np.broadcast_to(targets[:, None], candidates.shape))
    return (candidates >= 0) & (there == here[:, None] - 1)


@dataclass(frozen=True)
class ExpertSteps:
    """The clicks of an expert, problem by problem in order."""

    problems: Int[np.ndarray, " S"]
    pages: Int[np.ndarray, " S"]
    """Where the click is made."""
    following: Int[np.ndarray, " S"]
    """The page that it leads to."""

    def __len__(self) -> int:
        return len(self.problems)


def shortest_paths(links: Links, problems: WebProblems, distances: Distances) -> ExpertSteps:
    """One shortest path per problem: always the first right link on the page. The target must be in reach."""
    active, pages = np.arange(len(problems)), problems.starts.copy()
    made = []
    while True:
        under_way = pages != problems.targets[active]
        active, pages = active[under_way], pages[under_way]
        if not len(active):
            return _in_order(made)
        candidates = links.padded(pages)
        right = optimal_links(distances, pages, problems.targets[active], candidates)
        assert right.any(axis=1).all(), "the target is out of reach"
        following = candidates[np.arange(len(pages)), right.argmax(axis=1)]
        made.append((active, pages, following))
        pages = following


def paths_from(links: Links, start: int, targets: Int[np.ndarray, " n"]) -> ExpertSteps:
    """The paths of one breadth-first search from the start, which needs no table of distances.

    For sites too large for one; targets out of reach have no steps.
    """
    from vinlab.domains.web._search import search_tree

    parents = np.full(links.num_pages, -1, dtype=np.int32)
    search_tree(links.offsets, links.targets, start, parents)
    active = np.flatnonzero(parents[targets] >= 0)
    pages, made = targets[active], []
    while len(active):
        above = parents[pages].astype(np.int64)
        made.insert(0, (active, above, pages))
        under_way = above != start
        active, pages = active[under_way], above[under_way]
    return _in_order(made)


def _in_order(made: list[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> ExpertSteps:
    """The steps sorted by problem; within a problem they stay as they were made."""
    if not made:
        nothing = np.zeros(0, dtype=np.int64)
        return ExpertSteps(nothing, nothing, nothing)
    problems, pages, following = (np.concatenate(column) for column in zip(*made, strict=True))
    order = np.argsort(problems, kind="stable")
    return ExpertSteps(problems[order], pages[order], following[order])
