"""Features of pages and queries: averages of word vectors, weighted by rarity, minus their common part."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float, Float32, Int

from vinlab.domains.web.corpus import ARTICLE, Corpus
from vinlab.domains.web.word_vectors import WordVectors, split_sentences, split_words
from vinlab.types import InputError

STOPS = str.maketrans(".!?", "   ")


@dataclass(frozen=True)
class Sentences:
    """Texts as rows of their known words, sentence by sentence and page by page."""

    words: Int[np.ndarray, " W"]
    word_offsets: Int[np.ndarray, " sentence_offsets"]
    page_offsets: Int[np.ndarray, " page_offsets"]
    texts: Sequence[str]

    @cached_property
    def lengths(self) -> Int[np.ndarray, " sentences"]:
        """The number of known words of each sentence."""
        return np.diff(self.word_offsets)

    @cached_property
    def sentence_of_word(self) -> Int[np.ndarray, " W"]:
        """The sentence of each word."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @cached_property
    def page_of_sentence(self) -> Int[np.ndarray, " sentences"]:
        """The page of each sentence."""
        return np.repeat(np.arange(len(self.page_offsets) - 1), np.diff(self.page_offsets))


def tokenise(texts: Sequence[str], vectors: WordVectors) -> Sentences:
    """The known words of every sentence of every text."""
    per_page = [split_sentences(text) for text in texts]
    sentences = [sentence for page in per_page for sentence in page]
    words, lengths, place_of = array("q"), [], vectors.places.get
    for sentence in sentences:
        found = [place for word in split_words(sentence) if (place := place_of(word)) is not None]
        words.extend(found)
        lengths.append(len(found))
    return Sentences(
        words=np.array(words, dtype=np.int64),
        word_offsets=_offsets(lengths),
        page_offsets=_offsets([len(page) for page in per_page]),
        texts=sentences,
    )


def _offsets(counts: Sequence[int]) -> Int[np.ndarray, " n"]:
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int64)


@dataclass(frozen=True)
class TextEmbedding:
    """From a text to features: the same for pages, queries and typed text."""

    vectors: WordVectors
    rarity: Float32[np.ndarray, " V"]
    """The weight of each word: its inverse document frequency."""
    centre: Float32[np.ndarray, " D"]
    """The average of all articles, which is subtracted."""

    def embed(self, text: str) -> Float32[np.ndarray, " D"]:
        """The features of a typed text."""
        words = self.vectors.known(text)
        if not split_words(text):
            raise InputError("query: expected a few words that describe a page, got none.")
        if not len(words):
            raise InputError(
                f"query: expected words that the site's vectors know{self._examples()}, got "
                f"{len(split_words(text))} unknown words."
            )
        weights = self.rarity[words]
        total = (weights[:, None] * self.vectors.vectors[words]).sum(axis=0, dtype=np.float32)
        return self.finish(SumsOfWords(total[None], weights.sum(keepdims=True)))[0]

    def _examples(self) -> str:
        """A few of the words that say most about a page."""
        known = [str(self.vectors.words[word]) for word in np.argsort(-self.rarity, kind="stable")[:3]]
        return f" (such as {', '.join(known)})" if known else ""

    def finish(self, sums: "SumsOfWords") -> Float32[np.ndarray, "n D"]:
        """Features from weighted sums of word vectors; a component is about 1 in size."""
        return scaled(sums.means() - self.centre)


@dataclass(frozen=True)
class SumsOfWords:
    """For each of some texts the weighted sum of its word vectors, and the sum of the weights."""

    totals: Float32[np.ndarray, "n D"]
    weights: Float32[np.ndarray, " n"]

    def means(self) -> Float32[np.ndarray, "n D"]:
        """The weighted averages; zero for texts without a known word."""
        return self.totals / np.maximum(self.weights, np.float32(1e-6))[:, None]


def scaled(features: Float[np.ndarray, "n D"]) -> Float32[np.ndarray, "n D"]:
    """The same directions with the length √D (10 for 100 features)."""
    lengths = np.linalg.norm(features, axis=1, keepdims=True)
    return (features * np.sqrt(features.shape[1]) / np.maximum(lengths, 1e-6)).astype(np.float32)


def word_rarity(sentences: Sentences, num_words: int) -> Float32[np.ndarray, " V"]:
    """The logarithm of (pages / pages with the word), for every word."""
    pages = sentences.page_of_sentence[sentences.sentence_of_word]
    pairs = np.unique(pages * num_words + sentences.words)
    counts = np.bincount(pairs % num_words, minlength=num_words)
    return np.log((1 + len(sentences.page_offsets)) / (1 + counts)).astype(np.float32)


def sum_sentences(
    sentences: Sentences, vectors: WordVectors, rarity: Float32[np.ndarray, " V"]
) -> SumsOfWords:
    """The sums of every sentence."""
    from scipy.sparse import csr_matrix

    shape = (len(sentences.lengths), len(vectors.vectors))
    counted = csr_matrix((rarity[sentences.words], sentences.words, sentences.word_offsets), shape=shape)
    totals = counted @ vectors.vectors.astype(np.float32)
    weights = np.asarray(counted.sum(axis=1)).ravel()
    return SumsOfWords(totals.astype(np.float32), weights.astype(np.float32))


def sum_pages(
    corpus: Corpus,
    vectors: WordVectors,
    sentences: Sentences,
    rarity: Float32[np.ndarray, " V"],
    sums: SumsOfWords,
    kept: Bool[np.ndarray, " sentences"],
) -> SumsOfWords:
    """The sums over the title and the kept sentences of every page."""
    # A title is one sentence, even with a full stop or without a letter.
    lines = [" ".join(title.translate(STOPS).split()) or "-" for title in corpus.titles]
    titles = sum_sentences(tokenise(lines, vectors), vectors, rarity)
    pages, count = sentences.page_of_sentence[kept], len(corpus.titles)
    return SumsOfWords(
        add_up(sums.totals[kept], pages, count) + titles.totals,
        add_up(sums.weights[kept][:, None], pages, count)[:, 0] + titles.weights,
    )


def find_centre(corpus: Corpus, pages: SumsOfWords) -> Float32[np.ndarray, " D"]:
    """The average of all articles with a known word."""
    known = (pages.weights > 0) & (corpus.levels == ARTICLE)
    if not known.any():
        raise InputError("expected word vectors for the site's language, got vectors for none of its words.")
    return pages.means()[known].mean(axis=0).astype(np.float32)


def add_up(
    rows: Float32[np.ndarray, "n D"], groups: Int[np.ndarray, " n"], count: int
) -> Float32[np.ndarray, "{count} D"]:
    """The sum of the rows of each group."""
    from scipy.sparse import csr_matrix

    ones = np.ones(len(groups), np.float32)
    chosen = csr_matrix((ones, (groups, np.arange(len(groups)))), shape=(count, len(rows)))
    return np.asarray(chosen @ rows, dtype=np.float32)


def page_features(corpus: Corpus, embedding: TextEmbedding, pages: SumsOfWords) -> Float32[np.ndarray, "N D"]:
    """The features of every page; those of a category are the average of the pages in it."""
    features = embedding.finish(pages)
    children, parents = corpus.parents.sources(), corpus.parents.targets
    for level in range(int(corpus.levels.max()), -1, -1):
        inside, chosen = corpus.levels[parents] == level, corpus.levels == level
        sums = add_up(features[children[inside]], parents[inside], len(features))
        features[chosen] = scaled(sums[chosen])
    return features
