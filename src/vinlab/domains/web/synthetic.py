"""A synthetic encyclopedia: a tree of topics, words that belong to them, and articles with links."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float32, Int

from vinlab.domains.web.corpus import ARTICLE, Corpus
from vinlab.domains.web.link_graph import make_links, near_targets
from vinlab.domains.web.word_vectors import WordVectors
from vinlab.types import InputError

_SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi"


@dataclass(frozen=True)
class EncyclopediaConfig:
    """Size and content of the encyclopedia."""

    branches: tuple[int, ...] = (8, 6)
    """Categories below the root, and below each of those."""
    articles: int = 1200
    sentences: int = 40
    words_per_sentence: int = 12
    links: int = 12
    """Links of an article to other articles, on average."""
    dimension: int = 50
    """Dimension of the word vectors."""
    topic_words: int = 40
    """Words of each category, which the categories below it share."""
    own_words: int = 6
    """Words of each article that no other one has."""
    common_words: int = 300

    def __post_init__(self) -> None:
        if not self.branches or self.articles < np.prod(self.branches):
            raise InputError(
                f"expected categories and at least one article for each of the lowest, got {self.articles} articles "
                f"for branches {self.branches}."
            )


@dataclass(frozen=True)
class _Topics:
    parents: Int[np.ndarray, " C"]
    levels: Int[np.ndarray, " C"]

    def lineage(self, category: int) -> list[int]:
        """The category and its ancestors without the root."""
        found = []
        while category > 0:
            found.append(category)
            category = int(self.parents[category])
        return found


def make_encyclopedia(config: EncyclopediaConfig, *, rng: np.random.Generator) -> Corpus:
    """An encyclopedia whose words, texts and links follow its topics."""
    topics = _make_topics(config)
    leaves = np.flatnonzero(topics.levels == len(config.branches))
    homes = np.concatenate([leaves, rng.choice(leaves, config.articles - len(leaves))])
    names = _Words(config, len(topics.parents))
    words = _invent_words(names.count, rng)
    texts = [_write(topics, names, words, article, int(home), rng) for article, home in enumerate(homes)]
    first = len(topics.parents)
    titles = ["Encyclopedia", *(words[int(names.topic(category)[0])].title() for category in range(1, first))]
    titles += [
        " ".join(words[word] for word in names.own(article)[:2]).title() for article in range(config.articles)
    ]
    children = np.concatenate([np.arange(1, first), first + np.arange(config.articles)])
    sources = rng.integers(0, config.articles, config.articles * config.links)
    targets = near_targets(sources, homes, rng=rng)
    return Corpus(
        titles=titles,
        levels=np.concatenate([topics.levels, np.full(config.articles, ARTICLE)]),
        parents=make_links(children, np.concatenate([topics.parents[1:], homes]), first + config.articles),
        links=make_links(first + sources, first + targets, first + config.articles),
        texts=[""] * first + texts,
        vectors=WordVectors(words, _word_vectors(topics, names, homes, rng)),
    )


class _Words:
    """Which words are common, which belong to a category, and which to one article."""

    def __init__(self, config: EncyclopediaConfig, categories: int) -> None:
        self.config = config
        self.topic_start = config.common_words
        self.own_start = self.topic_start + categories * config.topic_words
        self.count = self.own_start + config.articles * config.own_words

    def topic(self, category: int) -> np.ndarray:
        return self.topic_start + category * self.config.topic_words + np.arange(self.config.topic_words)

    def own(self, article: int) -> np.ndarray:
        return self.own_start + article * self.config.own_words + np.arange(self.config.own_words)


def _make_topics(config: EncyclopediaConfig) -> _Topics:
    """The tree of categories, level by level, the root first."""
    parents, levels, last = [0], [0], [0]
    for level, branches in enumerate(config.branches, start=1):
        below = range(len(parents), len(parents) + len(last) * branches)
        parents += [parent for parent in last for _ in range(branches)]
        levels += [level] * len(below)
        last = list(below)
    return _Topics(np.array(parents), np.array(levels))


def _invent_words(count: int, rng: np.random.Generator) -> list[str]:
    """Pronounceable words, all different."""
    invented: dict[str, None] = {}
    syllables = _SYLLABLES.split()
    while len(invented) < count:
        size = int(rng.integers(2, 5))
        invented["".join(rng.choice(syllables, size))] = None
    return list(invented)


def _write(
    topics: _Topics, names: _Words, words: Sequence[str], article: int, home: int, rng: np.random.Generator
) -> str:
    """A text of common words, words of its topics and words of its own."""
    config = names.config
    count = config.sentences * config.words_per_sentence
    topical = np.concatenate([names.topic(category) for category in topics.lineage(home)])
    kinds = rng.choice(3, count, p=(0.55, 0.37, 0.08))
    drawn = [rng.integers(0, config.common_words, count), rng.choice(topical, count)]
    drawn.append(rng.choice(names.own(article), count))
    chosen = np.choose(kinds, drawn).reshape(config.sentences, -1)
    sentences = (" ".join(words[word] for word in map(int, sentence)) for sentence in chosen)
    return " ".join(f"{sentence.capitalize()}." for sentence in sentences)


def _word_vectors(
    topics: _Topics, names: _Words, homes: Int[np.ndarray, " n"], rng: np.random.Generator
) -> Float32[np.ndarray, "V D"]:
    """Words lie near their topic, a topic near the one above it, an article's own words near its category."""
    config = names.config
    centres = rng.standard_normal((len(topics.parents), config.dimension))
    for category in range(1, len(centres)):
        centres[category] = 0.7 * centres[topics.parents[category]] + 0.7 * centres[category]
    centres[0] = 0
    vectors = rng.standard_normal((names.count, config.dimension))
    topical = slice(names.topic_start, names.own_start)
    vectors[topical] = 0.8 * vectors[topical] + np.repeat(centres, config.topic_words, axis=0)
    vectors[names.own_start :] += 0.5 * np.repeat(centres[homes], config.own_words, axis=0)
    return vectors.astype(np.float32)
