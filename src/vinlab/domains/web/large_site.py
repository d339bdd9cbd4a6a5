"""Generated sites of any size on disk: categories, articles with random links, and a smaller site to plan on."""

import itertools
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from vinlab.domains.web.corpus import ARTICLE, MOST_LEVELS
from vinlab.domains.web.link_graph import Links, make_links, near_targets
from vinlab.domains.web.mapped_arrays import map_array, page_numbers, read_links, within
from vinlab.domains.web.site import Queries, Site
from vinlab.recording.json_files import read_json_object
from vinlab.types import InputError

TOP = (15, 7)
"""Categories below the root, and below each of those: 121 index pages with the root, at any size."""

WIDEST = 50
CHUNK = 1 << 18
FORMAT = 2
"""The version of the files; a folder of another version is refused."""


@dataclass(frozen=True)
class LargeSiteConfig:
    """The size of the site."""

    pages: int
    links: int = 26
    """Links of an article, that to its category included."""
    dimension: int = 100
    queries: int = 20_000
    planning_pages: int = 4600
    """Pages of the smaller site that is planned on; the school encyclopedia has about as many."""

    def __post_init__(self) -> None:
        if self.pages < 1000:
            raise InputError(f"expected a site of 1,000 pages or more, got {self.pages}.")
        if not 200 <= self.planning_pages <= self.pages:
            raise InputError(
                f"planning_pages: expected 200 to {self.pages}, the size of the site, got {self.planning_pages}."
            )


@dataclass(frozen=True)
class _Level:
    """Pages of one depth: the first one, their number, and how many share a parent."""

    first: int
    count: int
    fan: int


@dataclass(frozen=True)
class PlanningSite:
    """A smaller site whose graph is planned on: a school's edition of the large one."""

    features: Float[np.ndarray, "G D"]
    links: Links
    pages: Int[np.ndarray, " G"]
    """The page of the large site with the same subject; -1 where it has none."""

    def require_known(self, num_pages: int) -> None:
        """Refuse a planning site that has no page in common with the large one."""
        if not ((self.pages >= 0) & (self.pages < num_pages)).any():
            raise InputError(
                f"planning site: expected a page that the large site of {num_pages} pages knows, got none among "
                f"{len(self.pages)}."
            )


class NumberedTitles(Sequence[str]):
    """Titles that are made on access."""

    def __init__(self, count: int) -> None:
        self.number = count

    def __len__(self) -> int:
        return self.number

    def __getitem__(self, page: Any) -> Any:
        if isinstance(page, slice):
            return [self[number] for number in range(*page.indices(self.number))]
        return f"Page {page}"


def plan_levels(pages: int) -> list[_Level]:
    """Levels for this number of pages, none of them with more than ``WIDEST`` children."""
    rest = (pages - 1 - TOP[0] - TOP[0] * TOP[1]) / (TOP[0] * TOP[1])
    depth = max(1, math.ceil(math.log(rest) / math.log(WIDEST)))
    fan = math.ceil(rest ** (1 / depth))
    levels, first, count = [_Level(0, 1, 1)], 1, 1
    for children in (*TOP, *[fan] * depth):
        count = min(count * children, pages - first)
        levels.append(_Level(first, count, children))
        first += count
        if first >= pages:
            break
    return levels


def write_large_site(folder: Path, config: LargeSiteConfig, *, rng: np.random.Generator) -> None:
    """Write a site piece by piece; no array is ever completely in memory."""
    folder.mkdir(parents=True, exist_ok=True)
    levels = plan_levels(config.pages)
    pages = levels[-1].first + levels[-1].count
    _write_features(folder, config, levels, pages, rng)
    _write_links(folder, config, levels, pages, rng)
    _write_queries(folder, config, levels, rng)
    (folder / "site.json").write_text(json.dumps({"format": FORMAT, "pages": pages}), encoding="utf-8")


def _open(folder: Path, name: str, kind: str, shape: tuple[int, ...]) -> np.memmap:
    return np.lib.format.open_memmap(folder / f"{name}.npy", mode="w+", dtype=kind, shape=shape)


def _parents_of(level: _Level, above: _Level, start: int, end: int) -> Int[np.ndarray, " n"]:
    return above.first + (np.arange(start, end) - level.first) // level.fan


def _write_features(
    folder: Path, config: LargeSiteConfig, levels: list[_Level], pages: int, rng: np.random.Generator
) -> None:
    """Each page has the features of its category plus noise."""
    features = _open(folder, "features", "float16", (pages, config.dimension))
    features[0] = 0
    for above, level in itertools.pairwise(levels):
        end = level.first + level.count
        for start in range(level.first, end, CHUNK):
            stop = min(end, start + CHUNK)
            own = rng.standard_normal((stop - start, config.dimension), dtype=np.float32)
            mixed = 0.8 * features[_parents_of(level, above, start, stop)] + 0.6 * own
            mixed *= np.sqrt(config.dimension) / np.linalg.norm(mixed, axis=1, keepdims=True)
            features[start:stop] = mixed


def _write_links(
    folder: Path, config: LargeSiteConfig, levels: list[_Level], pages: int, rng: np.random.Generator
) -> None:
    parents, depths = _open(folder, "parent", "int32", (pages,)), _open(folder, "levels", "int8", (pages,))
    parents[0] = depths[0] = 0
    children = np.zeros(pages, dtype=np.int64)
    for depth, (above, level) in enumerate(itertools.pairwise(levels), start=1):
        own = _parents_of(level, above, level.first, level.first + level.count)
        parents[level.first : level.first + level.count] = own
        depths[level.first : level.first + level.count] = depth
        children += np.bincount(own, minlength=pages)
    depths[children == 0] = ARTICLE
    counts = np.where(children == 0, config.links, children + 1)
    counts[0] = children[0]
    offsets = _open(folder, "offsets", "int64", (pages + 1,))
    offsets[0] = 0
    np.cumsum(counts, out=offsets[1:])
    targets = _open(folder, "targets", "int32", (int(offsets[-1]),))
    for start in range(0, pages, CHUNK):
        _fill_links((targets, offsets, parents, children), start, min(pages, start + CHUNK), rng)


def _fill_links(arrays: tuple[np.ndarray, ...], start: int, end: int, rng: np.random.Generator) -> None:
    """First the parent, then the children or, on an article, random pages."""
    targets, offsets, parents, children = arrays
    first = np.asarray(offsets[start : end + 1])
    counts = np.diff(first)
    row = np.repeat(np.arange(end - start), counts)
    place = np.arange(first[-1] - first[0]) - (first[:-1] - first[0])[row]
    below = np.cumsum(children[start:end]) - children[start:end] + 1 + int(children[:start].sum())
    is_category = (children[start:end] > 0)[row]
    up = (place == 0) & (row + start > 0)
    found = np.where(
        is_category, below[row] + place - (row + start > 0), rng.integers(0, len(parents), len(row))
    )
    targets[first[0] : first[-1]] = np.where(up, parents[start:end][row], found)


def _write_queries(
    folder: Path, config: LargeSiteConfig, levels: list[_Level], rng: np.random.Generator
) -> None:
    last = levels[-1]
    pages = last.first + np.sort(rng.integers(0, last.count, config.queries))
    features = np.load(folder / "features.npy", mmap_mode="r", allow_pickle=False)[pages].astype(np.float32)
    features += rng.standard_normal(features.shape, dtype=np.float32)
    np.save(folder / "query_pages.npy", pages, allow_pickle=False)
    np.save(folder / "query_features.npy", features, allow_pickle=False)


def require_format(folder: Path) -> None:
    """Refuse a folder that another version wrote."""
    path = folder / "site.json"
    try:
        found = read_json_object(path).get("format")
    except InputError as error:
        raise InputError(
            f"{path}: expected a generated site of format {FORMAT}, got none that can be read."
        ) from error
    if found != FORMAT:
        raise InputError(f"{path}: expected a generated site of format {FORMAT}, got format {found}.")


def open_large_site(folder: Path) -> Site:
    """The site in a folder, checked and memory-mapped; both of its graphs are the one that was written."""
    require_format(folder)
    levels = map_array(folder, "levels", 1, "i")
    pages = len(levels)
    features = map_array(folder, "features", 2, "f", pages)
    query_pages = page_numbers(folder, "query_pages", pages)
    links = read_links(folder, "", pages)
    single = np.concatenate([[0], np.arange(pages)])
    return Site(
        titles=NumberedTitles(pages),
        levels=within(folder, "levels", levels, ARTICLE, MOST_LEVELS + 1),
        parents=Links(single, page_numbers(folder, "parent", pages, pages)[1:]),
        full=links,
        tree=links,
        features=features,
        duplicate_of=np.arange(pages),
        queries=Queries(
            map_array(folder, "query_features", 2, "f", len(query_pages), features.shape[1]),
            query_pages,
            NumberedTitles(len(query_pages)),
        ),
    )


def make_planning_site(site: Site, pages: int, *, rng: np.random.Generator) -> PlanningSite:
    """A school's edition: the root, two levels of categories, and some of the articles with links of their own.

    Its texts are shorter, so its features differ a little from those of the large site.
    """
    index = site.index()
    articles = np.flatnonzero(np.asarray(site.levels) == ARTICLE)
    chosen = np.sort(rng.choice(articles, pages - len(index), replace=False))
    homes = chosen.copy()
    while (deep := homes >= len(index)).any():
        homes[deep] = site.parents.targets[homes[deep] - 1]
    numbers = np.arange(len(index), pages)
    parents = np.concatenate([np.asarray(site.parents.targets[: len(index) - 1]), homes])
    children = np.arange(1, pages)
    sources, targets = _school_links(numbers, homes, rng)
    kept = np.concatenate([index, chosen])
    features = np.asarray(site.features[kept], dtype=np.float32)
    features = features + 0.3 * rng.standard_normal(features.shape, dtype=np.float32)
    return PlanningSite(
        features=features,
        links=make_links(
            np.concatenate([children, parents, sources]), np.concatenate([parents, children, targets]), pages
        ),
        pages=kept,
    )


def _school_links(
    numbers: Int[np.ndarray, " n"], homes: Int[np.ndarray, " n"], rng: np.random.Generator, each: int = 12
) -> tuple[Int[np.ndarray, " E"], Int[np.ndarray, " E"]]:
    """Links among articles."""
    sources = np.repeat(np.arange(len(numbers)), each)
    return numbers[sources], numbers[near_targets(sources, homes, rng=rng)]
