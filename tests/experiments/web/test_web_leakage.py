"""No text, title or link of a test page is seen in training, by the code that makes the data of runs."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from vinlab.domains.web.corpus import ARTICLE
from vinlab.domains.web.link_graph import make_links
from vinlab.domains.web.problem import PARTS
from vinlab.domains.web.synthetic import EncyclopediaConfig
from vinlab.experiments.base import TrainingRequest
from vinlab.experiments.web import EXPERIMENT
from vinlab.experiments.web import train as web_train
from vinlab.experiments.web.data import load_corpus, make_site
from vinlab.experiments.web.game import data as game_data

SMALL = EncyclopediaConfig(branches=(4, 3), articles=150, sentences=24)


def corpora():
    """A corpus, and the same one with other texts, titles and links of the test pages."""
    corpus = load_corpus(SMALL, None)
    hidden = np.zeros(len(corpus.titles), dtype=bool)
    hidden[corpus.articles[game_data.article_parts(corpus) == PARTS.index("test")]] = True
    assert 5 < hidden.sum() < 40
    texts = list(corpus.texts)
    for page in np.flatnonzero(hidden):
        texts[page] = texts[page].replace(".", " secret secret.")
    titles = [f"Secret {page}" if hide else corpus.titles[page] for page, hide in enumerate(hidden)]
    sources, targets = corpus.links.sources(), corpus.links.targets
    kept = ~hidden[sources]
    links = make_links(sources[kept], targets[kept], len(titles))
    return corpus, replace(corpus, texts=texts, titles=titles, links=links)


def made(monkeypatch, corpus, id):
    config = EXPERIMENT.settings[id].configure("smoke", "paper")
    if id.startswith("web/game/"):
        monkeypatch.setattr(game_data, "load_corpus", lambda encyclopedia, source: corpus)
    else:
        monkeypatch.setattr(web_train, "load_corpus", lambda encyclopedia, source: corpus)
        monkeypatch.setattr(web_train, "load_site", lambda data, source: make_site(data, corpus))
    return EXPERIMENT.make_data(config, TrainingRequest(id=id, out=Path("unused"), budget="smoke"))


@pytest.mark.parametrize("network", ["pages", "pages-k0", "baseline", "vin", "members"])
def test_a_search_with_sparse_features_is_trained_on_the_same_with_other_test_pages(monkeypatch, network):
    first, second = (made(monkeypatch, corpus, f"web/full/{network}-sparse") for corpus in corpora())
    assert not np.array_equal(first.site.sparse.texts.data, second.site.sparse.texts.data)
    assert list(first.shown.site.titles) == list(second.shown.site.titles)
    assert first.shown.site.queries.texts == second.shown.site.queries.texts
    np.testing.assert_array_equal(first.shown.site.features, second.shown.site.features)
    np.testing.assert_array_equal(first.shown.site.full.targets, second.shown.site.full.targets)
    for part in ("texts", "titles"):
        ours, theirs = (getattr(sets.shown.site.sparse, part) for sets in (first, second))
        np.testing.assert_array_equal(ours.indices, theirs.indices)
        np.testing.assert_array_equal(ours.data, theirs.data)
    np.testing.assert_array_equal(first.demonstrations.steps.pages, second.demonstrations.steps.pages)
    np.testing.assert_array_equal(
        first.validation.random.problems.starts, second.validation.random.problems.starts
    )
    titles = set(first.shown.site.titles)
    asked = {first.site.titles[page] for page in first.test.random.problems.targets}
    assert asked
    assert not asked & titles
    assert (first.shown.site.levels == ARTICLE).sum() < (first.site.levels == ARTICLE).sum()


@pytest.mark.parametrize("player", ["similarity", "vin-titles", "vin-links", "vin", "vin-text"])
def test_a_player_is_trained_on_the_same_and_remembers_the_same_with_other_test_pages(monkeypatch, player):
    first, second = (made(monkeypatch, corpus, f"web/game/{player}") for corpus in corpora())
    chosen = torch.arange(8)
    ours, theirs = (sets.states[chosen] for sets in (first, second))
    for name in ("similarities", "found", "links", "right"):
        torch.testing.assert_close(getattr(ours, name), getattr(theirs, name), rtol=0, atol=0)
    assert list(first.validation.site.titles) == list(second.validation.site.titles)
    # On the test site, what is known of the other pages does not depend on the test pages either.
    known = np.flatnonzero(first.test.site.known)
    np.testing.assert_array_equal(known, np.flatnonzero(second.test.site.known))
    kinds = ("links", "titles behind", "text", "texts behind")
    ours, theirs = (sets.test.site.similarities(known[:5], kinds)[:, known] for sets in (first, second))
    np.testing.assert_array_equal(ours, theirs)
    asked = {first.test.site.titles[page] for page in first.test.games.targets}
    assert asked
    assert not asked & set(first.states.site.titles)


@pytest.mark.parametrize("kind", ["links", "titles behind", "text", "texts behind"])
def test_a_player_remembers_nothing_of_a_test_page(monkeypatch, kind):
    site = made(monkeypatch, corpora()[0], "web/game/vin").test.site
    unknown = np.flatnonzero(~site.known)
    assert len(unknown)
    assert not site.similarities(unknown[:3], (kind,))[:, unknown].any()
