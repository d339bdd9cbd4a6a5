"""The expert: shortest paths over links, and all links that begin one."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int, UInt8

from vinlab.domains.web.link_graph import Links, make_links, require_pages
from vinlab.domains.web.problem import WebProblems
from vinlab.types import Batch

UNREACHABLE = 255
"""The distance of pages that cannot reach the target."""
PART = 1 << 18
"""Pages whose links are read together on large sites."""


@dataclass(frozen=True)
class Distances:
    """The number of clicks from every page to some targets."""

    table: UInt8[np.ndarray, "T N"]
    row: Int[np.ndarray, " N"]
    """The row of each target; -1 for other pages."""

    def between(self, pages: Int[np.ndarray, "*S"], targets: Int[np.ndarray, "*S"]) -> Int[np.ndarray, "*S"]:
        """The number of clicks from each page to its target."""
        return self.table[self.row[targets], pages].astype(np.int64)


def distances_to(links: Links, targets: Int[np.ndarray, " n"]) -> Distances:
    """The number of clicks from every page to each of these targets."""
    from vinlab.domains.web._search import search_from

    require_pages(targets, links.num_pages, "targets")
    chosen = np.unique(targets)
    table = np.full((len(chosen), links.num_pages), UNREACHABLE, dtype=np.uint8)
    back = links.reversed()
    search_from(back.offsets, back.targets, chosen, table)
    row = np.full(links.num_pages, -1)
    row[chosen] = np.arange(len(chosen))
    return Distances(table, row)


@dataclass(frozen=True)
class RootDistances:
    """The same for pages on shortest paths from one start alone, on sites too large for a table of distances."""

    depths: UInt8[np.ndarray, " N"]
    """The clicks from the start to every page."""
    pairs: Int[np.ndarray, " P"]
    """Target · N + page for every page on a shortest path from the start to a target, in rising order."""

    def between(self, pages: Int[np.ndarray, "*S"], targets: Int[np.ndarray, "*S"]) -> Int[np.ndarray, "*S"]:
        """The number of clicks from each page to its target; pages on no shortest path count as unreachable."""
        keys = np.asarray(targets, dtype=np.int64) * len(self.depths) + pages
        places = np.minimum(np.searchsorted(self.pairs, keys), max(0, len(self.pairs) - 1))
        known = self.pairs[places] == keys if len(self.pairs) else np.zeros(np.shape(keys), dtype=bool)
        clicks = self.depths[targets].astype(np.int64) - self.depths[pages]
        return np.where(known, clicks, UNREACHABLE)


def distances_from(links: Links, start: int, targets: Int[np.ndarray, " n"]) -> RootDistances:
    """The pages on shortest paths from the start to each of these targets."""
    from vinlab.domains.web._search import search_from

    depths = np.full((1, links.num_pages), UNREACHABLE, dtype=np.uint8)
    search_from(links.offsets, links.targets, np.array([start]), depths)
    chosen = np.unique(targets).astype(np.int64)
    chosen = chosen[depths[0, chosen] < UNREACHABLE]
    layers, before = [], np.zeros((2, 0), dtype=np.int64)
    for depth in range(int(depths[0, chosen].max(initial=0)), -1, -1):
        ends = chosen[depths[0, chosen] == depth]
        layers.append(np.concatenate([before, np.stack([ends, ends])], axis=1))
        before = _one_click_before(links, depths[0], depth, layers[-1])
    found = np.concatenate(layers, axis=1)
    return RootDistances(depths[0], np.unique(found[0] * links.num_pages + found[1]))


def _one_click_before(
    links: Links, depths: UInt8[np.ndarray, " N"], depth: int, pairs: Int[np.ndarray, "2 n"]
) -> Int[np.ndarray, "2 m"]:
    """The pairs of a target and a page that links to the page of one of these pairs, all of this depth.

    Only the links of pages one click nearer are read, part by part: the links of a large site are never reversed.
    """
    wanted = np.zeros(links.num_pages, dtype=bool)
    wanted[pairs[1]] = True
    nearer = np.flatnonzero(depths == depth - 1) if depth else np.zeros(0, dtype=np.int64)
    found = [np.zeros((2, 0), dtype=np.int64)]
    for part in np.array_split(nearer, 1 + len(nearer) // PART):
        rows, following = links.rows_of(part)
        kept = wanted[following]
        found.append(np.stack([part[rows[kept]], following[kept]]))
    sources, reached = np.concatenate(found, axis=1)
    rows, before = make_links(reached, sources, links.num_pages).rows_of(pairs[1])
    return np.unique(np.stack([pairs[0][rows], before]), axis=1)


def optimal_links(
    distances: Distances | RootDistances,
    pages: Int[np.ndarray, " S"],
    targets: Int[np.ndarray, " S"],
    candidates: Int[np.ndarray, "S L"],
) -> Bool[np.ndarray, "S L"]:
    """Which of the candidate links begin a shortest path to the target; padding (-1) never does."""
    here = distances.between(pages, targets)
    there = distances.between(np.maximum(candidates, 0), np.broadcast_to(targets[:, None], candidates.shape))
    return (candidates >= 0) & (there == here[:, None] - 1)


@dataclass(frozen=True)
class ExpertSteps(Batch):
    """The clicks of an expert, problem by problem in order."""

    problems: Int[np.ndarray, " S"]
    pages: Int[np.ndarray, " S"]
    """The page of the click."""
    following: Int[np.ndarray, " S"]
    """The page of the link clicked."""


def shortest_paths(links: Links, problems: WebProblems, distances: Distances) -> ExpertSteps:
    """One shortest path per problem: always the first optimal link on the page. Targets must be reachable."""
    active, pages = np.arange(len(problems)), problems.starts.copy()
    steps = []
    while True:
        unfinished = pages != problems.targets[active]
        active, pages = active[unfinished], pages[unfinished]
        if not len(active):
            return _by_problem(steps)
        candidates = links.padded(pages)
        right = optimal_links(distances, pages, problems.targets[active], candidates)
        assert right.any(axis=1).all(), "a target cannot be reached"
        following = candidates[np.arange(len(pages)), right.argmax(axis=1)]
        steps.append((active, pages, following))
        pages = following


def paths_from(links: Links, start: int, targets: Int[np.ndarray, " n"]) -> ExpertSteps:
    """The paths of one breadth-first search from the start, for sites too large for a table of distances.

    Targets that cannot be reached have no steps.
    """
    from vinlab.domains.web._search import search_tree

    require_pages(np.array([start]), links.num_pages, "start")
    require_pages(targets, links.num_pages, "targets")
    parents = np.full(links.num_pages, -1, dtype=np.int32)
    search_tree(links.offsets, links.targets, start, parents)
    active = np.flatnonzero(parents[targets] >= 0)
    pages, steps = targets[active], []
    while len(active):
        above = parents[pages].astype(np.int64)
        steps.insert(0, (active, above, pages))
        unfinished = above != start
        active, pages = active[unfinished], above[unfinished]
    return _by_problem(steps)


def _by_problem(steps: list[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> ExpertSteps:
    """The steps sorted by problem; within a problem their order stays."""
    columns = np.concatenate([np.zeros((3, 0), np.int64), *map(np.stack, steps)], axis=1)
    return ExpertSteps(*columns[:, np.argsort(columns[0], kind="stable")])
