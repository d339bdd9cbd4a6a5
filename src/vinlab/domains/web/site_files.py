"""Sites on disk: a folder of plain arrays that are memory-mapped, so that a site may exceed the memory."""

# pyright: reportAttributeAccessIssue=false
# SciPy states no types of sparse matrices that could be checked.

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from vinlab.domains.web.corpus import ARTICLE, MOST_LEVELS
from vinlab.domains.web.features import TextEmbedding
from vinlab.domains.web.link_graph import Links
from vinlab.domains.web.site import Queries, Site
from vinlab.domains.web.tfidf import SparsePages, TfIdf
from vinlab.domains.web.word_vectors import WordVectors
from vinlab.recording.json_files import read_json
from vinlab.types import InputError

LARGEST_TEXTS = 256 * 2**20
"""Bytes of the titles, queries or words of a site."""

FORMAT, VERSION_FILE = 2, "version.json"
"""The version of the files; a folder of another version is refused. Version 1 had no sparse features and no number."""

_LINKS = ("parents", "full", "tree")
_ROWS = ("sparse_texts", "sparse_titles", "sparse_queries")


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
        version = {"format": FORMAT, "sparse": site.sparse is not None}
        (temporary / VERSION_FILE).write_text(json.dumps(version), encoding="utf-8")
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
        **_sparse_arrays(site),
    }


def _sparse_arrays(site: Site) -> dict[str, np.ndarray]:
    """The sparse rows of pages, titles and queries; none where the site has no sparse features."""
    if site.sparse is None or site.queries.sparse is None:
        return {}
    rows = zip(_ROWS, (site.sparse.texts, site.sparse.titles, site.queries.sparse), strict=True)
    parts = {
        f"{name}_{part}": getattr(table, part)
        for name, table in rows
        for part in ("indptr", "indices", "data")
    }
    return {**parts, "sparse_rarity": site.sparse.tfidf.rarity}


def _texts(site: Site, embedding: TextEmbedding) -> dict[str, Sequence[str]]:
    texts = {"titles": site.titles, "query_texts": site.queries.texts, "words": embedding.vectors.words}
    return texts if site.sparse is None else {**texts, "sparse_words": site.sparse.tfidf.words}


def is_site(folder: Path) -> bool:
    """Whether the folder holds what ``write_site`` writes."""
    return (folder / "features.npy").is_file()


def open_site(folder: Path) -> tuple[Site, TextEmbedding]:
    """The site in a folder, checked; its arrays are memory-mapped."""
    has_sparse = _read_version(folder)
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
    site = _with_sparse_rows(folder, site) if has_sparse else site
    return site, TextEmbedding(WordVectors(words, vectors), rarity, centre)


def _read_version(folder: Path) -> bool:
    """Refuse a folder that another version wrote; whether it has sparse features."""
    path = folder / VERSION_FILE
    if not path.is_file():
        raise InputError(f"{path}: expected a site of format {FORMAT}, got one without a format.")
    found = read_json(path, most=LARGEST_TEXTS)
    version = found.get("format") if isinstance(found, dict) else None
    if version != FORMAT:
        raise InputError(f"{path}: expected a site of format {FORMAT}, got format {version}.")
    return found.get("sparse") is True


def _with_sparse_rows(folder: Path, site: Site) -> Site:
    words = _read_texts(folder, "sparse_words")
    counts = site.num_pages, site.num_pages, len(site.queries)
    texts, titles, queries = (
        _read_rows(folder, name, count, len(words)) for name, count in zip(_ROWS, counts, strict=True)
    )
    tfidf = TfIdf(words, _map(folder, "sparse_rarity", 1, "f", len(words)))
    sparse = SparsePages(tfidf, texts, titles, np.asarray(site.levels) != ARTICLE)
    return replace(site, sparse=sparse, queries=replace(site.queries, sparse=queries))


def _read_rows(folder: Path, name: str, rows: int, columns: int) -> csr_matrix:
    """Sparse rows; SciPy's compiled code relies on them."""
    indices = _numbers(folder, f"{name}_indices", columns)
    offsets = _read_offsets(folder, f"{name}_indptr", rows, len(indices))
    entries = _map(folder, f"{name}_data", 1, "f", len(indices))
    return csr_matrix((entries, indices, offsets), shape=(rows, columns))


def _read_links(folder: Path, name: str, pages: int) -> Links:
    """The links of every page; the compiled search relies on them."""
    targets = _numbers(folder, f"{name}_targets", pages)
    return Links(_read_offsets(folder, f"{name}_offsets", pages, len(targets)), targets)


def _read_offsets(folder: Path, name: str, rows: int, entries: int) -> np.ndarray:
    offsets = _map(folder, name, 1, "i", rows + 1)
    if offsets[0] != 0 or offsets[-1] != entries or (np.diff(offsets) < 0).any():
        raise InputError(f"{folder / name}.npy: expected numbers that rise from 0 to {entries}, got others.")
    return offsets


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
