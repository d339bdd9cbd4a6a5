"""A corpus without some of its articles: what training may see when the articles of the test are hidden."""

from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Int

from vinlab.domains.web.corpus import ARTICLE, Corpus
from vinlab.domains.web.link_graph import Links, make_links
from vinlab.types import InputError


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


def keep_pages(links: Links, kept: Int[np.ndarray, " n"]) -> Links:
    """The links among some pages, which get new numbers in their order."""
    number = np.full(links.num_pages, -1)
    number[kept] = np.arange(len(kept))
    sources, targets = number[links.sources()], number[links.targets]
    inside = (sources >= 0) & (targets >= 0)
    return make_links(sources[inside], targets[inside], len(kept))
