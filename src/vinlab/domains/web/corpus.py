"""An encyclopedia as read from a folder: pages, categories, links, texts, word vectors. Nothing is downloaded.

Training may see a corpus without some of its articles, those of the test.
"""

import csv
import lzma
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote

import numpy as np
from jaxtyping import Bool, Int

from vinlab.domains.web.link_graph import Links, keep_pages, make_links
from vinlab.domains.web.packed_texts import unpacked
from vinlab.domains.web.word_vectors import WordVectors, read_vectors
from vinlab.recording.json_files import parse_json, require_fields, require_object
from vinlab.types import InputError

WIKISPEEDIA_ADDRESS = "https://snap.stanford.edu/data/wikispeedia.html"
"""The public original of the Wikispeedia folder."""

LONGEST_TEXT, LARGEST_CORPUS, LARGEST_TABLE = 4 * 2**20, 128 * 2**20, 64 * 2**20
"""Bytes of an article, of all of them when unpacked, and of a table; rare letters take four times as many in memory."""
MOST_ROWS = 2_000_000
"""Lines of a table."""

MOST_LEVELS = 50
"""Levels of categories below the root."""

ARTICLE = -1
"""The level of an article; the root has level 0, the categories below it 1, 2, …"""


@dataclass(frozen=True)
class Corpus:
    """Pages with their texts. Page 0 is the root; the categories come first, level by level, then the articles."""

    titles: Sequence[str]
    levels: Int[np.ndarray, " N"]
    parents: Links
    """From each page to the categories that contain it."""
    links: Links
    """The links between articles."""
    texts: Sequence[str]
    """Empty for categories."""
    vectors: WordVectors

    @property
    def articles(self) -> Int[np.ndarray, " n"]:
        """The pages that are not categories."""
        return np.flatnonzero(self.levels == ARTICLE)


def read_corpus(folder: Path) -> Corpus:
    """The encyclopedia in a folder: Wikispeedia as it is published, or any site in the same simple tables."""
    articles = read_articles(folder)
    vectors = sorted([*folder.glob("glove*.npz"), *folder.glob("glove*.txt"), *folder.glob("vectors.*")])
    return assemble_corpus(
        texts=read_texts(folder, articles),
        categories=read_pairs(folder, "categories.tsv"),
        links=read_pairs(folder, "links.tsv"),
        known=articles,
        vectors=read_vectors(next(iter(vectors), folder / "vectors.npz")),
    )


def assemble_corpus(
    *,
    texts: Mapping[str, str],
    categories: Iterable[tuple[str, str]],
    links: Iterable[tuple[str, str]],
    known: Iterable[str],
    vectors: WordVectors,
) -> Corpus:
    """A corpus from tables: ``category`` is a dotted path such as ``subject.Science.Biology``.

    Pages without a text are left out with their links; a link to a page that is not listed is an error.
    """
    known = set(known)
    if not texts:
        raise InputError("expected a site with at least one page with a text, got none.")
    memberships = [
        (page, path) for page, path in categories if _is_known(page, known, "category") and page in texts
    ]
    paths = _with_ancestors(path for _, path in memberships)
    place = {name: number for number, name in enumerate([*paths, *texts])}
    inner = [(path, path.rpartition(".")[0]) for path in paths if "." in path]
    parents = _numbered([*inner, *memberships], place)
    kept = [
        pair
        for pair in links
        if all(_is_known(page, known, "link") for page in pair) and pair[0] in texts and pair[1] in texts
    ]
    levels = [path.count(".") for path in paths] + [ARTICLE] * len(texts)
    corpus = Corpus(
        titles=[path.rpartition(".")[2].replace("_", " ") for path in paths]
        + [unquote(name).replace("_", " ") for name in texts],
        levels=np.array(levels, dtype=np.int64),
        parents=parents,
        links=_numbered(kept, place),
        texts=[""] * len(paths) + list(texts.values()),
        vectors=vectors,
    )
    _require_usable(corpus)
    return corpus


def _with_ancestors(paths: Iterable[str]) -> list[str]:
    """All categories and their ancestors, level by level, below one root."""
    paths = list(paths)
    deepest = max((path.count(".") for path in paths), default=0)
    if deepest > MOST_LEVELS:
        raise InputError(f"categories: expected at most {MOST_LEVELS} levels, got {deepest}.")
    every = {".".join(path.split(".")[:depth]) for path in paths for depth in range(1, path.count(".") + 2)}
    roots = sorted(path for path in every if "." not in path)
    if len(roots) != 1:
        raise InputError(f"categories: expected one root, got {len(roots)} ({', '.join(roots[:4])}).")
    return sorted(every, key=lambda path: (path.count("."), path))


def _numbered(pairs: Sequence[tuple[str, str]], place: Mapping[str, int]) -> Links:
    numbers = np.array([(place[source], place[target]) for source, target in pairs], dtype=np.int64)
    sources, targets = numbers.reshape(-1, 2).T
    return make_links(sources, targets, len(place))


def _is_known(page: str, known: set[str], kind: str) -> bool:
    if page not in known:
        raise InputError(f"{kind}: expected a page that articles.tsv lists, got '{page}'.")
    return True


def _require_usable(corpus: Corpus) -> None:
    linked = np.zeros(len(corpus.titles), dtype=bool)
    for links in (corpus.links, corpus.parents):
        linked[links.sources()] = linked[links.targets] = True
    for page in np.flatnonzero(~linked)[:1]:
        raise InputError(
            f"expected pages with a link or a category, got '{corpus.titles[page]}' without any."
        )
    for name, page in ((title.strip(), page) for page, title in enumerate(corpus.titles)):
        if not name:
            raise InputError(f"titles: expected a title for every page, got an empty one for page {page}.")
    for page in map(int, corpus.articles):
        if not corpus.texts[page].strip():
            raise InputError(f"expected articles with a text, got '{corpus.titles[page]}' with an empty one.")


def hide_articles(corpus: Corpus, hidden: Bool[np.ndarray, " N"]) -> tuple[Corpus, Int[np.ndarray, " n"]]:
    """The corpus without the hidden articles, their texts, titles and links, and the pages that are left.

    Categories stay, even without an article.
    """
    kept = np.flatnonzero(~hidden | (corpus.levels != ARTICLE))
    if not (corpus.levels[kept] == ARTICLE).any():
        raise InputError("expected articles to train on, got none: all of them are hidden.")
    shown = replace(
        corpus,
        titles=[corpus.titles[page] for page in kept.tolist()],
        levels=corpus.levels[kept],
        parents=keep_pages(corpus.parents, kept),
        links=keep_pages(corpus.links, kept),
        texts=[corpus.texts[page] for page in kept.tolist()],
    )
    return shown, kept


def read_articles(folder: Path) -> list[str]:
    """The names in ``articles.tsv``."""
    return [row[0] for row in _rows(folder, "articles.tsv", 1)]


def read_pairs(folder: Path, name: str) -> list[tuple[str, str]]:
    """The rows of a table of two columns."""
    return [(row[0], row[1]) for row in _rows(folder, name, 2)]


def read_texts(folder: Path, articles: Sequence[str]) -> dict[str, str]:
    """The text of each article that has one, in the order of the list."""
    packed, plain = folder / "articles_text.jsonl.xz", folder / "articles_text.jsonl"
    path = packed if packed.exists() else _require_file(plain)
    known, texts = set(articles), dict[str, str]()
    for number, line in enumerate(_text_lines(path), start=1):
        name = f"{path}, line {number}: expected one JSON object a line with article and text"
        record = require_object(parse_json(line, name), name)
        require_fields(record, {"article": str, "text": str}, name)
        title = record["article"]
        if title not in known:
            raise InputError(f"{path.name}: expected pages that articles.tsv lists, got '{title[:80]}'.")
        if title in texts:
            raise InputError(f"{path.name}: expected one text for each page, got two for '{title[:80]}'.")
        texts[title] = record["text"]
    return {name: texts[name] for name in articles if name in texts}


def _text_lines(path: Path) -> Iterator[bytes]:
    """The lines of a file, packed or not; no more is unpacked than fits into the memory."""
    total = 0
    try:
        with _require_file(path).open("rb") as content:
            file = unpacked(content) if path.suffix == ".xz" else content
            while line := file.readline(LONGEST_TEXT + 1):
                total += len(line)
                if len(line) > LONGEST_TEXT or total > LARGEST_CORPUS:
                    raise InputError(
                        f"{path}: expected lines of at most {LONGEST_TEXT // 2**20} MB and {LARGEST_CORPUS // 2**20} "
                        "MB in all, got more."
                    )
                yield line
    except (lzma.LZMAError, EOFError, OSError) as error:
        raise InputError(f"{path}: expected a complete file of texts, got a damaged one: {error}.") from error


def _rows(folder: Path, name: str, columns: int) -> Iterator[list[str]]:
    path = _require_file(folder / name)
    number = 0
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for number, row in enumerate(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE), start=1):
                if number > MOST_ROWS:
                    raise InputError(f"{path}: expected at most {MOST_ROWS:,} lines, got more.")
                if not row or row[0].startswith("#"):
                    continue
                if len(row) != columns:
                    raise InputError(f"{path}, line {number}: expected {columns} columns, got {len(row)}.")
                yield row
    except (csv.Error, UnicodeDecodeError) as error:
        raise InputError(f"{path}, line {number + 1}: expected a table in UTF-8, got {error}.") from error


def _require_file(path: Path) -> Path:
    if path.exists() and path.is_file() and path.stat().st_size > LARGEST_TABLE and path.suffix == ".tsv":
        raise InputError(f"{path}: expected a table of at most {LARGEST_TABLE // 2**20} MB, got more.")
    if not path.is_file():
        raise InputError(
            f"{path.parent}: expected a folder with Wikispeedia ({WIKISPEEDIA_ADDRESS}) or a site in the same "
            f"tables, got one without {path.name}."
        )
    return path
