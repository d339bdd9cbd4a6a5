import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from vinlab.domains.web.corpus import assemble_corpus
from vinlab.domains.web.site import build_site, with_sparse_features
from vinlab.domains.web.synthetic import EncyclopediaConfig, make_encyclopedia
from vinlab.domains.web.tfidf import fit_tfidf
from vinlab.domains.web.word_vectors import WordVectors
from vinlab.types import InputError

TEXTS = [
    "The lion is a large cat. A lion, the lion!",
    "The cat sleeps; the dog does not sleep.",
    "Rembrandt painted night and light in 1642.",
    "The night is dark, naïve and full of light light light light.",
]
NEW = ["A dark lion in the light", "where is nobody", ""]


def test_rows_equal_scikit_learns():
    theirs = TfidfVectorizer(sublinear_tf=True, token_pattern=r"[^\W_]+")
    wanted, wanted_new = theirs.fit_transform(TEXTS).toarray(), theirs.transform(NEW).toarray()
    tfidf, counts = fit_tfidf(TEXTS)
    columns = [tfidf.places[word] for word in theirs.get_feature_names_out()]
    assert len(columns) == len(tfidf.words)
    np.testing.assert_allclose(tfidf.weigh(counts).toarray()[:, columns], wanted, atol=1e-6)
    np.testing.assert_allclose(tfidf.rows(NEW).toarray()[:, columns], wanted_new, atol=1e-6)


def test_texts_without_words_and_queries_without_a_known_word_are_refused():
    with pytest.raises(InputError, match="expected texts with words, got none"):
        fit_tfidf(["", "…"])
    tfidf, _ = fit_tfidf(TEXTS)
    with pytest.raises(InputError, match="expected a word that the site's pages have, got 2 unknown words"):
        tfidf.embed("где это")


def test_queries_without_a_word_of_the_pages_are_refused():
    """Each page has sentences of words of its own, and the only ones that are left have none of the queries' words."""
    alphabet = "abcdefghij"
    words = [f"{first}{second}{third}" for first in alphabet for second in alphabet for third in alphabet]
    sentences = [" ".join(words[start : start + 12]).capitalize() + "." for start in range(0, 12 * 8, 12)]
    corpus = assemble_corpus(
        texts={"Page": " ".join(sentences)},
        categories=[("Page", "subject.All")],
        links=[],
        known=["Page"],
        vectors=WordVectors(words, np.ones((len(words), 4), np.float32)),
    )
    site, _ = build_site(corpus, rng=np.random.default_rng(0))
    assert len(site.queries) == 1
    with pytest.raises(
        InputError, match="expected queries with words that the pages have too, got none in common"
    ):
        with_sparse_features(site, corpus)


def test_a_site_compares_a_query_with_texts_titles_and_categories():
    small = EncyclopediaConfig(branches=(3, 2), articles=40, sentences=16, dimension=8)
    corpus = make_encyclopedia(small, rng=np.random.default_rng(0))
    site = with_sparse_features(build_site(corpus, rng=np.random.default_rng(1))[0], corpus)
    assert site.sparse is not None
    assert site.queries.sparse is not None
    some, every = np.array([3, 0, 20]), np.arange(site.num_pages)
    found = site.sparse.similarities(site.queries.sparse[:5], every)
    np.testing.assert_allclose(
        site.sparse.similarities(site.queries.sparse[:5], some), found[:, some], atol=1e-6
    )
    categories = site.levels != -1
    np.testing.assert_array_equal(found[..., 3], np.broadcast_to(categories, found.shape[:2]))
    assert not found[:, categories, 0].any()
    assert not found[:, ~categories, 2].any()
    page = int(site.queries.pages[0])
    words = site.sparse.tfidf.rows([site.queries.texts[0]]).toarray()[0]
    assert found[0, page, 0] == pytest.approx(float(words @ site.sparse.texts[page].toarray()[0]), abs=1e-6)
    # A query's own sentences are left out of its page, whose row therefore differs from that of the whole text.
    whole = site.sparse.tfidf.rows([corpus.texts[page]]).toarray()[0]
    assert found[0, page, 0] < float(words @ whole) - 0.01
