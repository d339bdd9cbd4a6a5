"""Sites on disk: a folder of plain arrays that are memory-mapped, so that a site may exceed the memory."""

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from vinlab.domains.web.corpus import ARTICLE, MOST_LEVELS
from vinlab.domains.web.features import TextEmbedding
from vinlab.domains.web.link_graph import Links
from vinlab.domains.web.site import Queries, Site
from vinlab.domains.web.word_vectors import WordVectors
from vinlab.recording.json_files import read_json
from vinlab.types import InputError

LARGEST_TEXTS = 256 * 2**20
"""Bytes of the titles, queries or words of a site."""

_LINKS = ("parents", "full", "tree")


def write_site(folder: Path, site: Site, embedding: TextEmbedding) -> None:
    """Write the site to a new folder, completely or not at all."""
    if folder.exists():
        raise InputError(f"expected a new folder for the site, got {folder}, which exists.")
    temporary = folder.with_name(f".{folder.name}.{os.getpid()}.tmp")
    temporary.mkdir(parents=True)
    try:
        for name, array in _arrays(site, embedding).items():
            np.save(temporary / f"{name}.npy", array, allow_pickle=False)
        for name, texts in _texts(site, embedding).items():
            (temporary / f"{name}.json").write_text(json.dumps(list(texts)), encoding="utf-8")
        os.replace(temporary, folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _arrays(site: Site, embedding: TextEmbedding) -> dict[str, np.ndarray]:
    links = {
        f"{name}_{field}": getattr(getattr(site, name), field)
        for name in _LINKS
        for field in ("offsets", "targets")
    }
    return {
        **links,
        "levels": site.levels,
        "twins": site.duplicate_of,
        "features": site.features,
        "query_features": site.queries.features,
        "query_pages": site.queries.pages,
        "rarity": embedding.rarity,
        "centre": embedding.centre,
        "vectors": embedding.vectors.vectors,
    }


def _texts(site: Site, embedding: TextEmbedding) -> dict[str, Sequence[str]]:
    return {"titles": site.titles, "query_texts": site.queries.texts, "words": embedding.vectors.words}


def is_site(folder: Path) -> bool:
    """Whether the folder holds what ``write_site`` writes."""
    return (folder / "features.npy").is_file()


def open_site(folder: Path) -> tuple[Site, TextEmbedding]:
    """The site in a folder, checked; its arrays are memory-mapped."""
    levels = _map(folder, "levels", 1, "i")
    pages, texts = len(levels), _read_texts(folder, "query_texts")
    words = _read_texts(folder, "words")
    vectors = _map(folder, "vectors", 2, "f", len(words))
    dimension = vectors.shape[1]
    site = Site(
        titles=_require_count(folder, "titles", _read_texts(folder, "titles"), pages),
        levels=_within(folder, "levels", levels, ARTICLE, MOST_LEVELS + 1),
        features=_map(folder, "features", 2, "f", pages, dimension),
        duplicate_of=_numbers(folder, "twins", pages, pages),
        queries=Queries(
            _map(folder, "query_features", 2, "f", len(texts), dimension),
            _numbers(folder, "query_pages", pages, len(texts)),
            texts,
        ),
        parents=_read_links(folder, "parents", pages),
        full=_read_links(folder, "full", pages),
        tree=_read_links(folder, "tree", pages),
    )
    rarity, centre = _map(folder, "rarity", 1, "f", len(words)), _map(folder, "centre", 1, "f", dimension)
    return site, TextEmbedding(WordVectors(words, vectors), rarity, centre)


def _read_links(folder: Path, name: str, pages: int) -> Links:
    """The links of every page; the compiled search relies on them."""
    targets = _numbers(folder, f"{name}_targets", pages)
    offsets = _map(folder, f"{name}_offsets", 1, "i", pages + 1)
    if offsets[0] != 0 or offsets[-1] != len(targets) or (np.diff(offsets) < 0).any():
        raise InputError(
            f"{folder / name}_offsets.npy: expected numbers that rise from 0 to {len(targets)}, got others."
        )
    return Links(offsets, targets)


def _numbers(folder: Path, name: str, pages: int, length: int | None = None) -> np.ndarray:
    """The numbers of pages."""
    sides = () if length is None else (length,)
    return _within(folder, name, _map(folder, name, 1, "i", *sides), 0, pages)


def _within(folder: Path, name: str, array: np.ndarray, first: int, end: int) -> np.ndarray:
    if len(array) and not first <= int(array.min()) <= int(array.max()) < end:
        raise InputError(
            f"{folder / name}.npy: expected {first} to {end - 1}, got {int(array.min())} to {int(array.max())}."
        )
    return array


def _map(folder: Path, name: str, axes: int, kind: str, *sides: int) -> np.ndarray:
    """A memory-mapped array with so many axes, of this kind of numbers, finite, with these first sides."""
    path = folder / f"{name}.npy"
    try:
        if not path.is_file():
            raise InputError(f"{path}: expected an array of a site, got no regular file.")
        # Copy-on-write, because torch expects writable arrays; nothing is written back.
        array = np.load(path, mmap_mode="c", allow_pickle=False)
    except InputError:
        raise
    except Exception as error:  # NumPy parses the header as Python, and fails in many ways
        reason = (str(error).splitlines() or [type(error).__name__])[0][:120].rstrip(".")
        raise InputError(f"{path}: expected an array of a site, got {reason}.") from error
    good = isinstance(array, np.ndarray) and array.ndim == axes and array.dtype.kind == kind
    if not good or array.shape[: len(sides)] != sides:
        raise InputError(
            f"{path}: expected {axes} axes of {'whole numbers' if kind == 'i' else 'numbers'}"
            f"{f' and the sides {sides}' if sides else ''}, got something else."
        )
    if kind == "f" and not all(
        np.isfinite(part).all() for part in np.array_split(array, 1 + array.size // 2**24)
    ):
        raise InputError(f"{path}: expected finite numbers, got nan or infinite ones.")
    return array


def _read_texts(folder: Path, name: str) -> list[str]:
    path = folder / f"{name}.json"
    texts = read_json(path, most=LARGEST_TEXTS)
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise InputError(f"{path}: expected a list of texts, got something else.")
    return texts


def _require_count(folder: Path, name: str, texts: list[str], count: int) -> list[str]:
    if len(texts) != count:
        raise InputError(f"{folder / name}.json: expected {count} texts, got {len(texts)}.")
    return texts
