"""The links between pages as compressed rows: small in memory, and readable from a mapped file."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from vinlab.types import InputError


@dataclass(frozen=True)
class Links:
    """The links of every page; those of page p are ``targets[offsets[p] : offsets[p + 1]]``, in rising order."""

    offsets: Int[np.ndarray, " offsets"]
    targets: Int[np.ndarray, " E"]

    def __post_init__(self) -> None:
        ends = (int(self.offsets[0]), int(self.offsets[-1])) if len(self.offsets) else None
        if ends != (0, len(self.targets)) or (np.diff(self.offsets) < 0).any():
            raise InputError(
                f"offsets: expected them to rise from 0 to {len(self.targets)} links, got others."
            )
        require_pages(self.targets, self.num_pages, "targets")

    @property
    def num_pages(self) -> int:
        """The number of pages, with or without links."""
        return len(self.offsets) - 1

    def __len__(self) -> int:
        return len(self.targets)

    def of(self, page: int | np.integer) -> Int[np.ndarray, " n"]:
        """The pages that one page links to."""
        return self.targets[self.offsets[page] : self.offsets[page + 1]]

    def counts(self, pages: Int[np.ndarray, " n"]) -> Int[np.ndarray, " n"]:
        """The number of links of each of these pages."""
        return self.offsets[pages + 1] - self.offsets[pages]

    def sources(self) -> Int[np.ndarray, " E"]:
        """The page of each link."""
        return np.repeat(np.arange(self.num_pages), np.diff(self.offsets))

    def padded(self, pages: Int[np.ndarray, " n"]) -> Int[np.ndarray, "n width"]:
        """The links of these pages in one table, padded with -1."""
        counts = self.counts(pages)
        places = np.arange(max(1, int(counts.max(initial=0))))
        inside = places < counts[:, None]
        where = np.where(inside, self.offsets[pages][:, None] + places, 0)
        if not len(self.targets):
            return np.full(where.shape, -1, dtype=np.int64)
        return np.where(inside, self.targets[where], -1).astype(np.int64)

    def rows_of(self, pages: Int[np.ndarray, " n"]) -> tuple[Int[np.ndarray, " e"], Int[np.ndarray, " e"]]:
        """All links of some pages: the place of the page among these, and the page linked to."""
        counts = self.counts(pages)
        rows = np.repeat(np.arange(len(pages)), counts)
        first = np.repeat(self.offsets[pages] - (np.cumsum(counts) - counts), counts)
        return rows, self.targets[first + np.arange(len(rows))].astype(np.int64)

    def reversed(self) -> "Links":
        """The same links from target to source."""
        return make_links(self.targets, self.sources(), self.num_pages)

    def joined(self, other: "Links") -> "Links":
        """The links of both, each once."""
        return make_links(
            np.concatenate([self.sources(), other.sources()]),
            np.concatenate([self.targets, other.targets]),
            self.num_pages,
        )


def require_pages(pages: Int[np.ndarray, " n"], num_pages: int, name: str) -> None:
    """Refuse pages that a site does not have."""
    if len(pages) and not 0 <= int(pages.min()) <= int(pages.max()) < num_pages:
        found = f"{int(pages.min())} to {int(pages.max())}"
        raise InputError(f"{name}: expected 0 to {num_pages - 1}, got {found}.")


def make_links(sources: Int[np.ndarray, " n"], targets: Int[np.ndarray, " n"], num_pages: int) -> Links:
    """Links from pairs of pages, without repetitions and without links of a page to itself."""
    for name, pages in (("sources", sources), ("targets", targets)):
        require_pages(pages, num_pages, f"{name} of links")
    apart = sources != targets
    keys = np.unique(sources[apart].astype(np.int64) * num_pages + targets[apart])
    offsets = np.zeros(num_pages + 1, dtype=np.int64)
    np.cumsum(np.bincount(keys // num_pages, minlength=num_pages), out=offsets[1:])
    return Links(offsets, (keys % num_pages).astype(np.int32))


def keep_pages(links: Links, kept: Int[np.ndarray, " n"]) -> Links:
    """The links among some pages, which get new numbers in their order."""
    number = np.full(links.num_pages, -1)
    number[kept] = np.arange(len(kept))
    sources, targets = number[links.sources()], number[links.targets]
    inside = (sources >= 0) & (targets >= 0)
    return make_links(sources[inside], targets[inside], len(kept))


def near_targets(
    sources: Int[np.ndarray, " E"], homes: Int[np.ndarray, " n"], *, rng: np.random.Generator
) -> Int[np.ndarray, " E"]:
    """Where random links among articles lead: three of four stay within the category, ``homes``, of their source."""
    order, sizes = np.argsort(homes, kind="stable"), np.bincount(homes)
    begins = np.cumsum(sizes) - sizes
    targets = rng.integers(0, len(homes), len(sources))
    near = rng.random(len(sources)) < 0.75
    home = homes[sources[near]]
    targets[near] = order[begins[home] + rng.integers(0, sizes[home])]
    return targets
