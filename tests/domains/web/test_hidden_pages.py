from dataclasses import replace

import numpy as np
import pytest

from vinlab.domains.web.corpus import hide_articles
from vinlab.domains.web.link_graph import keep_pages, make_links
from vinlab.domains.web.problem import PARTS
from vinlab.domains.web.site import build_site, with_sparse_features
from vinlab.domains.web.synthetic import EncyclopediaConfig, make_encyclopedia
from vinlab.experiments.web.data import page_split
from vinlab.types import InputError


def test_links_among_kept_pages_get_new_numbers():
    links = make_links(np.array([0, 1, 2, 3]), np.array([2, 3, 3, 0]), 4)
    kept = keep_pages(links, np.array([0, 2, 3]))
    assert [kept.of(page).tolist() for page in range(3)] == [[1], [2], [0]]


def test_what_training_sees_does_not_change_with_the_texts_and_titles_of_test_pages():
    small = EncyclopediaConfig(branches=(3, 2), articles=80, sentences=16, dimension=8)
    corpus = make_encyclopedia(small, rng=np.random.default_rng(0))
    site, _ = build_site(corpus, rng=np.random.default_rng(1))
    hidden = (page_split(site) == PARTS.index("test")) & (corpus.levels == -1)
    assert hidden.any()
    other = replace(
        corpus,
        texts=[
            f"Secret {text}" if hide and text else text
            for text, hide in zip(corpus.texts, hidden, strict=True)
        ],
        titles=["Secret" if hide else title for title, hide in zip(corpus.titles, hidden, strict=True)],
    )

    def seen(of):
        shown, pages = hide_articles(of, hidden)
        made = with_sparse_features(build_site(shown, rng=np.random.default_rng(1))[0], shown)
        return made, pages

    (first, pages), (second, _) = seen(corpus), seen(other)
    np.testing.assert_array_equal(first.features, second.features)
    np.testing.assert_array_equal(first.sparse.texts.data, second.sparse.texts.data)
    assert first.titles == second.titles
    assert first.queries.texts == second.queries.texts
    assert not hidden[pages][first.levels == -1].any()


def test_a_corpus_with_nothing_left_is_refused():
    small = EncyclopediaConfig(branches=(2,), articles=10, sentences=16, dimension=8)
    corpus = make_encyclopedia(small, rng=np.random.default_rng(0))
    with pytest.raises(InputError, match="expected articles to train on, got none"):
        hide_articles(corpus, np.ones(len(corpus.titles), dtype=bool))
