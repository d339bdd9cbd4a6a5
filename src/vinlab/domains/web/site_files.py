"""Sites on disk as a folder of plain arrays that are mapped, not read: sites larger than memory work too."""

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
    """Put the site in a new folder, wholly or not at all."""
    if folder.exists():
        raise InputError(f"{folder} exists already: choose a new folder for the site.")
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
    """The site in a folder, its arrays mapped."""
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
        # Copy-on-write, because torch wants arrays that may be written; nothing is ever written back.
        return np.load(path, mmap_mode="c", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise InputError(f"the site in {folder} lacks a sound {path.name}: write it again.") from error


def _read_texts(folder: Path, name: str) -> list[str]:
    try:
        return json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError) as error:
        raise InputError(f"the site in {folder} lacks a sound {name}.json: write it again.") from error
