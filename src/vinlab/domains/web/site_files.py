"""Sites on disk: a folder of plain arrays that are memory-mapped, so that a site may exceed the memory."""

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from vinlab.domains.web.features import TextEmbedding
from vinlab.domains.web.link_graph import Links
from vinlab.domains.web.site import Queries, Site
from vinlab.domains.web.word_vectors import WordVectors
from vinlab.types import InputError

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
    """The site in a folder; its arrays are memory-mapped."""
    links = {name: Links(_map(folder, f"{name}_offsets"), _map(folder, f"{name}_targets")) for name in _LINKS}
    site = Site(
        titles=_read_texts(folder, "titles"),
        levels=_map(folder, "levels"),
        features=_map(folder, "features"),
        duplicate_of=_map(folder, "twins"),
        queries=Queries(
            _map(folder, "query_features"), _map(folder, "query_pages"), _read_texts(folder, "query_texts")
        ),
        **links,
    )
    words = WordVectors(_read_texts(folder, "words"), _map(folder, "vectors"))
    return site, TextEmbedding(words, _map(folder, "rarity"), _map(folder, "centre"))


def _map(folder: Path, name: str) -> np.ndarray:
    path = folder / f"{name}.npy"
    try:
        # Copy-on-write, because torch expects writable arrays; nothing is written back.
        return np.load(path, mmap_mode="c", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: expected an array of a site, got {error}.") from error


def _read_texts(folder: Path, name: str) -> list[str]:
    path = folder / f"{name}.json"
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError) as error:
        raise InputError(f"{path}: expected texts of a site, got {error}.") from error
