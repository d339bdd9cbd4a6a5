"""Sparse features of texts: the share of each word, weighted by its rarity (TF-IDF), as compressed rows."""

# pyright: reportOptionalSubscript=false, reportAttributeAccessIssue=false
# SciPy states no types of sparse matrices that could be checked.

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Bool, Float32, Int
from scipy.sparse import csr_matrix, diags

from vinlab.domains.web.word_vectors import split_words
from vinlab.types import InputError


@dataclass(frozen=True)
class TfIdf:
    """From texts to sparse rows of length 1: (1 + log count) · rarity of each word that the vocabulary has."""

    words: Sequence[str]
    rarity: Float32[np.ndarray, " V"]
    """log((1 + texts) / (1 + texts with the word)) + 1."""

    @cached_property
    def places(self) -> dict[str, int]:
        """The column of each word."""
        return {word: place for place, word in enumerate(self.words)}

    def rows(self, texts: Iterable[str]) -> csr_matrix:
        """The features of some texts; a text without a known word has none."""
        return self.weigh(count_words(texts, self.places))

    def embed(self, text: str) -> csr_matrix:
        """The features of a typed text, which must have a word in common with the site."""
        row = self.rows([text])
        if not row.nnz:
            raise InputError(
                f"query: expected a word that the site's pages have, got {len(split_words(text))} unknown words."
            )
        return row

    def weigh(self, counts: csr_matrix) -> csr_matrix:
        """The features from the numbers of words."""
        weighted = counts.astype(np.float32)
        weighted.data = (1 + np.log(weighted.data)) * self.rarity[weighted.indices]
        return unit_rows(weighted)


def fit_tfidf(texts: Sequence[str]) -> tuple[TfIdf, csr_matrix]:
    """The vocabulary and the rarities of some texts, and the number of each word in each text."""
    places: dict[str, int] = {}
    counts = count_words(texts, places, grow=True)
    if not counts.nnz:
        raise InputError("expected texts with words, got none.")
    holding = np.bincount(counts.indices, minlength=counts.shape[1])
    rarity = np.log((1 + counts.shape[0]) / (1 + holding)) + 1
    return TfIdf(list(places), rarity.astype(np.float32)), counts


def count_words(texts: Iterable[str], places: dict[str, int], *, grow: bool = False) -> csr_matrix:
    """How often each text has each word; words without a column get one if the vocabulary may grow."""
    columns, counts, offsets = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [0]
    for text in texts:
        words = split_words(text)
        for word in words if grow else ():
            places.setdefault(word, len(places))
        found = [places[word] for word in words if word in places]
        unique, count = np.unique(np.array(found, dtype=np.int64), return_counts=True)
        columns.append(unique)
        counts.append(count)
        offsets.append(offsets[-1] + len(unique))
    entries = np.concatenate(counts).astype(np.float32), np.concatenate(columns), np.array(offsets)
    return csr_matrix(entries, shape=(len(offsets) - 1, len(places)))


def unit_rows(rows: Any) -> csr_matrix:
    """The same rows with the length 1; empty rows stay empty."""
    lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    scaled = diags((1 / np.maximum(lengths, 1e-12)).astype(np.float32)) @ rows
    return csr_matrix(scaled, dtype=np.float32)


SIMILARITIES = 4
"""What a query and a page have in common: words of the text and of the title; for a category its text apart from those
of articles, and a constant."""


@dataclass(frozen=True)
class SparsePages:
    """The sparse features of all pages of a site; the arrays may lie in mapped files."""

    tfidf: TfIdf
    texts: csr_matrix
    titles: csr_matrix
    is_category: Bool[np.ndarray, " N"]

    @cached_property
    def _columns(self) -> tuple[csr_matrix, csr_matrix]:
        """Texts and titles by word: made once, for networks that compare a query with all pages."""
        return self.texts.T.tocsr(), self.titles.T.tocsr()

    def similarities(
        self, queries: csr_matrix, pages: Int[np.ndarray, " n"]
    ) -> Float32[np.ndarray, "Q n kinds"]:
        """The cosines of each query with each of these pages, by kind of page and of text."""
        if len(pages) == self.texts.shape[0] and (pages == np.arange(len(pages))).all():
            texts, titles = self._columns
        else:
            texts, titles = self.texts[pages].T, self.titles[pages].T
        found = np.zeros((queries.shape[0], len(pages), SIMILARITIES), dtype=np.float32)
        category = self.is_category[pages]
        cosines = (queries @ texts).toarray()
        found[..., 0] = np.where(category, 0, cosines)
        found[..., 1] = (queries @ titles).toarray()
        found[..., 2] = np.where(category, cosines, 0)
        found[..., 3] = category
        return found
