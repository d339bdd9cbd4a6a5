"""Sites on disk: a folder of plain arrays that are memory-mapped, so that a site may exceed the memory."""

# pyright: reportAttributeAccessIssue=false
# SciPy states no types of sparse matrices that could be checked.

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from vinlab.domains.web.corpus import ARTICLE, MOST_LEVELS
from vinlab.domains.web.features import TextEmbedding
from vinlab.domains.web.mapped_arrays import map_array, page_numbers, read_links, read_offsets, within
from vinlab.domains.web.site import Queries, Site
from vinlab.domains.web.tfidf import SparsePages, TfIdf
from vinlab.domains.web.word_vectors import WordVectors
from vinlab.recording.json_files import read_json
from vinlab.types import InputError

LARGEST_TEXTS = 64 * 2**20
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
        texts = {"titles": site.titles, "query_texts": site.queries.texts, "words": embedding.vectors.words}
        if site.sparse is not None:
            texts["sparse_words"] = site.sparse.tfidf.words
        for name, entries in texts.items():
            (temporary / f"{name}.json").write_text(json.dumps(list(entries)), encoding="utf-8")
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


def is_site(folder: Path) -> bool:
    """Whether the folder holds what ``write_site`` writes."""
    return (folder / "features.npy").is_file()


def open_site(folder: Path) -> tuple[Site, TextEmbedding]:
    """The site in a folder, checked; its arrays are memory-mapped."""
    has_sparse = _read_version(folder)
    levels = map_array(folder, "levels", 1, "i")
    pages, texts = len(levels), _read_texts(folder, "query_texts")
    words = _read_texts(folder, "words")
    vectors = map_array(folder, "vectors", 2, "f", len(words))
    dimension = vectors.shape[1]
    site = Site(
        titles=_read_texts(folder, "titles", pages),
        levels=within(folder, "levels", levels, ARTICLE, MOST_LEVELS + 1),
        features=map_array(folder, "features", 2, "f", pages, dimension),
        duplicate_of=page_numbers(folder, "twins", pages, pages),
        queries=Queries(
            map_array(folder, "query_features", 2, "f", len(texts), dimension),
            page_numbers(folder, "query_pages", pages, len(texts)),
            texts,
        ),
        parents=read_links(folder, "parents_", pages),
        full=read_links(folder, "full_", pages),
        tree=read_links(folder, "tree_", pages),
    )
    rarity = map_array(folder, "rarity", 1, "f", len(words))
    centre = map_array(folder, "centre", 1, "f", dimension)
    site = _with_sparse_rows(folder, site) if has_sparse else site
    return site, TextEmbedding(WordVectors(words, vectors), rarity, centre)


def _read_version(folder: Path) -> bool:
    """Refuse a folder that another version wrote; whether it has sparse features."""
    path = folder / VERSION_FILE
    if not path.is_file():
        raise InputError(f"{path}: expected a site of format {FORMAT}, got one without a format.")
    found = read_json(path)
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
    tfidf = TfIdf(words, map_array(folder, "sparse_rarity", 1, "f", len(words)))
    sparse = SparsePages(tfidf, texts, titles, np.asarray(site.levels) != ARTICLE)
    return replace(site, sparse=sparse, queries=replace(site.queries, sparse=queries))


def _read_rows(folder: Path, name: str, rows: int, columns: int) -> csr_matrix:
    """Sparse rows; SciPy's compiled code relies on them."""
    indices = page_numbers(folder, f"{name}_indices", columns)
    offsets = read_offsets(folder, f"{name}_indptr", rows, len(indices))
    entries = map_array(folder, f"{name}_data", 1, "f", len(indices))
    return csr_matrix((entries, indices, offsets), shape=(rows, columns))


def _read_texts(folder: Path, name: str, count: int | None = None) -> list[str]:
    path = folder / f"{name}.json"
    texts = read_json(path, most=LARGEST_TEXTS)
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise InputError(f"{path}: expected a list of texts, got something else.")
    if count is not None and len(texts) != count:
        raise InputError(f"{path}: expected {count} texts, got {len(texts)}.")
    return texts
