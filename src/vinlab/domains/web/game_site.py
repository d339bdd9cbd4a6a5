"""What a player knows: titles, and a memory of some of the pages; how a link is compared with the target by it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from jaxtyping import Bool, Float32, Int
from scipy.sparse import csr_matrix

from vinlab.domains.web.corpus import Corpus
from vinlab.domains.web.link_graph import Links, keep_pages
from vinlab.domains.web.tfidf import TfIdf, fit_tfidf, unit_rows
from vinlab.domains.web.word_vectors import WordVectors
from vinlab.types import InputError

Kind = Literal[
    "title vectors",
    "title words",
    "links",
    "titles behind",
    "text",
    "texts behind",
    "title in target's text",
    "text and target's text",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""How a link is compared with a target. The first two read titles alone. The next four remember the page behind the
link: how many links it has, the average title they have, whether its text has the words of the target's title, and
whether the texts behind its links have them. The last two read the target's text."""


@dataclass(frozen=True)
class GameSite:
    """The articles of a site for the game. ``known`` pages are remembered, of the others only the title is seen."""

    titles: Sequence[str]
    links: Links
    known: Bool[np.ndarray, " N"]
    vectors: Float32[np.ndarray, "N D"]
    """The average word vector of each title, with the length 1."""
    title_words: csr_matrix
    texts: csr_matrix
    """TF-IDF rows of all texts; a player reads those of known pages and that of the target."""

    @property
    def num_pages(self) -> int:
        """The number of articles."""
        return len(self.titles)

    def only_known(self) -> tuple["GameSite", Int[np.ndarray, " n"]]:
        """The site without the pages that are not known, for training, and the numbers of those that are."""
        kept = np.flatnonzero(self.known)
        return replace(
            self,
            titles=[self.titles[page] for page in kept.tolist()],
            links=keep_pages(self.links, kept),
            known=self.known[kept],
            vectors=self.vectors[kept],
            title_words=self.title_words[kept],
            texts=self.texts[kept],
        ), kept

    @cached_property
    def _memory(self) -> csr_matrix:
        """The links among known pages."""
        sources, targets = self.links.sources(), self.links.targets
        kept = self.known[sources] & self.known[targets]
        ones = np.ones(int(kept.sum()), np.float32)
        return csr_matrix((ones, (sources[kept], targets[kept])), shape=(self.num_pages,) * 2)

    @cached_property
    def _texts_by_word(self) -> csr_matrix:
        """The texts of known pages, by word; those of the others are empty."""
        from scipy.sparse import diags

        return csr_matrix(diags(self.known.astype(np.float32)) @ self.texts).T.tocsr()

    @cached_property
    def _link_counts(self) -> Float32[np.ndarray, " N"]:
        """The logarithm of the number of links of known pages, relative to their average; 0 for others."""
        counts = np.log1p(np.diff(self._memory.indptr)).astype(np.float32)
        return np.where(self.known, counts - counts[self.known].mean(), 0).astype(np.float32)

    def similarities(
        self, targets: Int[np.ndarray, " B"], kinds: Sequence[Kind]
    ) -> Float32[np.ndarray, "B N kinds"]:
        """How each page compares with each target. A target that is known is left out of the memory."""
        # The words of the target's title in the text of each known page other than the target.
        mentions = self._without_own(targets, (self.title_words[targets] @ self._texts_by_word).toarray())
        made = {
            "title vectors": lambda: self.vectors[targets] @ self.vectors.T,
            "title words": lambda: (self.title_words[targets] @ self.title_words.T).toarray(),
            "links": lambda: np.broadcast_to(self._link_counts, (len(targets), self.num_pages)),
            "titles behind": lambda: self._titles_behind(targets),
            "text": lambda: mentions,
            "texts behind": lambda: self._texts_behind(targets, mentions),
            "title in target's text": lambda: (self.texts[targets] @ self.title_words.T).toarray(),
            "text and target's text": lambda: self._without_own(
                targets, (self.texts[targets] @ self._texts_by_word).toarray()
            ),
        }
        return np.stack([made[kind]() for kind in kinds], axis=2).astype(np.float32)

    def _without_own(
        self, targets: Int[np.ndarray, " B"], table: Float32[np.ndarray, "B N"]
    ) -> Float32[np.ndarray, "B N"]:
        table[np.arange(len(targets)), targets] = 0
        return table

    def _texts_behind(
        self, targets: Int[np.ndarray, " B"], mentions: Float32[np.ndarray, "B N"]
    ) -> Float32[np.ndarray, "B N"]:
        """The average of the mentions over the known pages behind each page, the target left out."""
        linked = self._links_to(targets)
        counts = np.diff(self._memory.indptr)[None, :] - linked
        return ((self._memory @ mentions.T).T / np.maximum(counts, 1)).astype(np.float32)

    def _titles_behind(self, targets: Int[np.ndarray, " B"]) -> Float32[np.ndarray, "B N"]:
        """The cosine of the target's title and the average title behind each page, the target left out."""
        sums, own = self._memory @ self.vectors, self.vectors[targets]
        linked, products = self._links_to(targets), own @ sums.T
        lengths = (own**2).sum(axis=1, keepdims=True)
        squares = (sums**2).sum(axis=1)[None, :] - linked * (2 * products - lengths)
        return ((products - linked * lengths) / np.sqrt(np.maximum(squares, 1e-3))).astype(np.float32)

    def _links_to(self, targets: Int[np.ndarray, " B"]) -> Float32[np.ndarray, "B N"]:
        """1 where a known page links to the target."""
        return self._memory[:, targets].toarray().T


def make_game_site(corpus: Corpus, known: Bool[np.ndarray, " n"]) -> GameSite:
    """The game on the articles of a corpus; ``known`` names those that are remembered."""
    articles = corpus.articles
    titles = [corpus.titles[int(page)] for page in articles]
    for title in titles:
        if not title.strip():
            raise InputError("titles: expected a title for every article, got an empty one.")
    tfidf, _ = fit_tfidf([corpus.texts[int(page)] for page in articles[known]])
    title_words = tfidf.rows(titles)
    if not title_words.nnz:
        raise InputError("titles: expected words that the texts have too, got none in common.")
    return GameSite(
        titles=titles,
        links=keep_pages(corpus.links, articles),
        known=known,
        vectors=title_vectors(titles, tfidf, corpus.vectors, known),
        title_words=title_words,
        texts=tfidf.rows(corpus.texts[int(page)] for page in articles),
    )


def title_vectors(
    titles: Sequence[str], tfidf: TfIdf, vectors: WordVectors, known: Bool[np.ndarray, " N"]
) -> Float32[np.ndarray, "N D"]:
    """The average word vector of each title, rare words first, minus the average of the known titles."""
    places = {word: place for word in vectors.words if (place := tfidf.places.get(word)) is not None}
    rarest = float(tfidf.rarity.max())
    weights = np.full(len(vectors.words), rarest, dtype=np.float32)
    rows = np.array([vectors.places[word] for word in places], dtype=np.int64)
    weights[rows] = tfidf.rarity[np.array(list(places.values()), dtype=np.int64)]
    averages = np.zeros((len(titles), vectors.vectors.shape[1]), dtype=np.float32)
    for row, title in enumerate(titles):
        words = vectors.known(title)
        if len(words):
            averages[row] = weights[words] @ vectors.vectors[words] / weights[words].sum()
    empty = ~averages.any(axis=1)
    centred = averages - averages[known & ~empty].mean(axis=0) if (known & ~empty).any() else averages
    centred[empty] = 0
    return np.asarray(unit_rows(csr_matrix(centred)).toarray(), dtype=np.float32)
