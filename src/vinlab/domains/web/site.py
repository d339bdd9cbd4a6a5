"""A site: features and links of its pages, and queries with the pages that they describe."""

# pyright: reportOptionalSubscript=false, reportAttributeAccessIssue=false
# SciPy states no types of sparse matrices that could be checked.

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_matrix, vstack

from vinlab.domains.web.corpus import ARTICLE, Corpus
from vinlab.domains.web.features import (
    Sentences,
    SumsOfWords,
    TextEmbedding,
    find_centre,
    page_features,
    sum_pages,
    sum_sentences,
    tokenise,
    word_rarity,
)
from vinlab.domains.web.link_graph import Links
from vinlab.domains.web.tfidf import SparsePages, fit_tfidf, unit_rows
from vinlab.domains.web.word_vectors import split_sentences
from vinlab.types import InputError

GraphKind = Literal["full", "tree"]
"""All links of the site, or only those between a category and what it contains."""

Control = Literal["none", "leaky", "random-vectors"]
"""``leaky``: page features include the query's sentences; ``random-vectors``: word vectors are noise."""


@dataclass(frozen=True)
class QueryConfig:
    """Which sentences of a page become queries."""

    sentences: int = 4
    per_page: int = 5
    fewest_words: int = 10
    most_words: int = 120
    """Known words in a query; the bounds are those of the co-author's code."""


@dataclass(frozen=True)
class Queries:
    """A few sentences each, and the page that they are from."""

    features: Float[np.ndarray, "Q D"]
    pages: Int[np.ndarray, " Q"]
    texts: Sequence[str]
    sparse: csr_matrix | None = None
    """The same texts as sparse rows, where the site has them."""

    def __len__(self) -> int:
        return len(self.pages)


@dataclass(frozen=True)
class Site:
    """A site. Page 0 is the root; categories come before articles."""

    titles: Sequence[str]
    levels: Int[np.ndarray, " N"]
    parents: Links
    full: Links
    tree: Links
    features: Float[np.ndarray, "N D"]
    duplicate_of: Int[np.ndarray, " N"]
    """The first page with the same text, for most pages the page itself."""
    queries: Queries
    sparse: SparsePages | None = None
    """The sparse features of the pages, where they were asked for."""

    @property
    def num_pages(self) -> int:
        """The number of pages, categories included."""
        return len(self.levels)

    def graph(self, kind: GraphKind) -> Links:
        """One of the two graphs of the site."""
        return {"full": self.full, "tree": self.tree}[kind]

    def index(self, deepest: int = 2) -> Int[np.ndarray, " n"]:
        """The root and the categories down to a level: the paper's small graph."""
        return np.flatnonzero((self.levels != ARTICLE) & (self.levels <= deepest))


def build_site(
    corpus: Corpus,
    *,
    rng: np.random.Generator,
    config: QueryConfig | None = None,
    control: Control = "none",
) -> tuple[Site, TextEmbedding]:
    """The site of a corpus and its text embedding; page features leave out the page's queries."""
    config = config or QueryConfig()
    vectors = (
        corpus.vectors.shuffled_meaning(rng.spawn(1)[0]) if control == "random-vectors" else corpus.vectors
    )
    sentences = tokenise(corpus.texts, vectors)
    firsts = choose_queries(sentences, config, rng)
    if not len(firsts):
        raise InputError(
            f"expected pages with {config.sentences} sentences in a row that hold {config.fewest_words} to "
            f"{config.most_words} words with vectors, got none."
        )
    places = firsts[:, None] + np.arange(config.sentences)
    kept = np.ones(len(sentences.lengths), dtype=bool)
    kept[places.ravel()] = control == "leaky"
    rarity = word_rarity(sentences, len(vectors.words))
    sums = sum_sentences(sentences, vectors, rarity)
    pages = sum_pages(corpus, vectors, sentences, rarity, sums, kept)
    embedding = TextEmbedding(vectors, rarity, find_centre(corpus, pages))
    tree = corpus.parents.joined(corpus.parents.reversed())
    site = Site(
        titles=corpus.titles,
        levels=corpus.levels,
        parents=corpus.parents,
        full=corpus.links.joined(tree),
        tree=tree,
        features=page_features(corpus, embedding, pages),
        duplicate_of=find_duplicates(corpus.texts),
        queries=Queries(
            features=embedding.finish(
                SumsOfWords(sums.totals[places].sum(axis=1), sums.weights[places].sum(axis=1))
            ),
            pages=sentences.page_of_sentence[firsts],
            texts=[" ".join(sentences.texts[first : first + config.sentences]) for first in firsts],
        ),
    )
    return site, embedding


def with_sparse_features(site: Site, corpus: Corpus) -> Site:
    """The site with sparse features beside the dense ones; like those, they leave out the page's queries."""
    texts = _without_queries(corpus.texts, site.queries)
    articles = np.flatnonzero(site.levels == ARTICLE)
    tfidf, counts = fit_tfidf([texts[page] for page in articles])
    pages = SparsePages(
        tfidf=tfidf,
        texts=_with_categories(site, tfidf.weigh(counts)),
        titles=tfidf.rows(site.titles),
        is_category=site.levels != ARTICLE,
    )
    asked = tfidf.rows(site.queries.texts)
    if not asked.nnz:
        raise InputError("expected queries with words that the pages have too, got none in common.")
    return replace(site, queries=replace(site.queries, sparse=asked), sparse=pages)


def _without_queries(texts: Sequence[str], queries: Queries) -> list[str]:
    """The texts of all pages without the sentences of their queries."""
    left = [" ".join(split_sentences(text)) for text in texts]
    for page, text in zip(queries.pages.tolist(), queries.texts, strict=True):
        left[page] = left[page].replace(text, " ")
    return left


def _with_categories(site: Site, articles: csr_matrix) -> csr_matrix:
    """The rows of all pages: a category has the sum of the pages in it, level by level from the lowest."""
    count = int((site.levels != ARTICLE).sum())
    rows = vstack([csr_matrix((count, articles.shape[1]), dtype=np.float32), articles]).tocsr()
    children, parents = site.parents.sources(), site.parents.targets
    for level in range(int(site.levels.max()), -1, -1):
        inside = site.levels[parents] == level
        pairs = np.ones(int(inside.sum()), np.float32), (parents[inside], children[inside])
        rows = rows + unit_rows(csr_matrix(pairs, shape=(site.num_pages,) * 2) @ rows)
    return csr_matrix(rows)


def choose_queries(
    sentences: Sentences, config: QueryConfig, rng: np.random.Generator
) -> Int[np.ndarray, " Q"]:
    """The first sentence of each query: windows that do not overlap, and never more than half of a page."""
    chosen = []
    for start, end in zip(sentences.page_offsets[:-1], sentences.page_offsets[1:], strict=True):
        firsts = np.arange(start, end - config.sentences + 1, config.sentences)
        known = sentences.word_offsets[firsts + config.sentences] - sentences.word_offsets[firsts]
        fit = firsts[(known >= config.fewest_words) & (known <= config.most_words)]
        count = min(config.per_page, max(1, len(firsts) // 2), len(fit))
        chosen.append(np.sort(rng.choice(fit, count, replace=False)) if count else fit)
    return np.concatenate([np.zeros(0, np.int64), *chosen])


def find_duplicates(texts: Sequence[str]) -> Int[np.ndarray, " N"]:
    """For each page the first one with the same text; a page without text is its own."""
    first: dict[str, int] = {}
    return np.array([first.setdefault(text, page) if text else page for page, text in enumerate(texts)])
