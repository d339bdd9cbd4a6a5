import numpy as np
import pytest

from helpers.small_site import ten_pages
from vinlab.domains.web.problem import PARTS, draw, queries_of, split_pages, start_anywhere, start_at_root
from vinlab.domains.web.site import build_site, find_duplicates
from vinlab.domains.web.synthetic import EncyclopediaConfig, make_encyclopedia
from vinlab.types import InputError

SMALL = EncyclopediaConfig(branches=(3, 2), articles=60, sentences=24, dimension=16)


@pytest.fixture(scope="module")
def corpus():
    return make_encyclopedia(SMALL, rng=np.random.default_rng(0))


@pytest.fixture(scope="module")
def site(corpus):
    return build_site(corpus, rng=np.random.default_rng(1))[0]


def test_duplicates_share_a_split():
    site = ten_pages()
    texts = ["", "", "", "a", "b", "a", "c", "b", "d", "a"]
    duplicate_of = find_duplicates(texts)
    assert duplicate_of.tolist() == [0, 1, 2, 3, 4, 3, 6, 4, 8, 3]
    for seed in range(20):
        object.__setattr__(site, "duplicate_of", duplicate_of)
        split = split_pages(site, rng=np.random.default_rng(seed))
        assert split[3] == split[5] == split[9]
        assert split[4] == split[7]


def test_no_page_gives_queries_to_two_parts(site):
    split = split_pages(site, rng=np.random.default_rng(0), shares=(0.2, 0.2))
    parts = [queries_of(site, split, part) for part in ("training", "validation", "test")]
    assert sorted(np.concatenate(parts)) == list(range(len(site.queries)))
    pages = [set(site.queries.pages[queries]) for queries in parts]
    assert sum(map(len, pages)) == len(set.union(*pages))
    assert all(pages)


def test_starts(site):
    queries = np.arange(len(site.queries))
    assert (start_at_root(site, queries).starts == 0).all()
    problems = start_anywhere(site, queries, rng=np.random.default_rng(0))
    assert (site.levels[problems.starts] == -1).all()
    assert (problems.starts != problems.targets).all()


def test_a_draw_takes_every_query_before_any_twice():
    drawn = draw(np.arange(5), 12, rng=np.random.default_rng(0))
    assert sorted(np.bincount(drawn)) == [2, 2, 2, 3, 3]
    assert len(drawn) == 12
    with pytest.raises(InputError, match="expected queries to draw from, got none"):
        draw(np.arange(0), 3, rng=np.random.default_rng(0))


def test_a_query_is_four_sentences_of_its_page_that_the_features_leave_out(corpus, site):
    for query in (0, 17, 42):
        text, page = site.queries.texts[query], site.queries.pages[query]
        assert text in corpus.texts[page]
        assert text.count(".") == 4
    leaky, _ = build_site(corpus, rng=np.random.default_rng(1), control="leaky")
    assert leaky.queries.texts == site.queries.texts

    def similarity(of):
        return (of.queries.features * of.features[of.queries.pages]).sum(axis=1).mean()

    assert similarity(leaky) > similarity(site) + 0.3


def test_features_change_when_a_kept_sentence_does_and_not_when_a_query_does(corpus):
    """The page's own query must leave no trace in its features (the centre moves a little with rarity)."""
    site, embedding = build_site(corpus, rng=np.random.default_rng(1))
    page = int(site.queries.pages[0])
    asked = [text for text, at in zip(site.queries.texts, site.queries.pages, strict=True) if at == page]
    rest = corpus.texts[page]
    for text in asked:
        rest = rest.replace(text, "")
    own = embedding.embed(f"{corpus.titles[page]} {rest}")
    np.testing.assert_allclose(site.features[page], own, atol=1e-3)


def test_a_category_is_the_average_of_the_pages_in_it(site):
    children = site.parents.reversed().of(1)
    mean = site.features[children].mean(axis=0)
    cosine = mean @ site.features[1] / np.linalg.norm(mean) / np.linalg.norm(site.features[1])
    assert cosine == pytest.approx(1, abs=1e-5)


def test_random_vectors_keep_words_apart_but_mean_nothing(corpus):
    site, embedding = build_site(corpus, rng=np.random.default_rng(1), control="random-vectors")
    assert abs(np.corrcoef(embedding.vectors.vectors[:2])[0, 1]) < 0.9
    assert not np.allclose(embedding.vectors.vectors, corpus.vectors.vectors)
    assert np.isfinite(site.features).all()


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "expected a few words that describe a page, got none"),
        ("  …!", "expected a few words that describe a page, got none"),
        ("Wo ist das?", "got 3 unknown words"),
        ("где это", "got 2 unknown words"),
    ],
)
def test_queries_that_say_nothing_are_refused(corpus, text, fault):
    _, embedding = build_site(corpus, rng=np.random.default_rng(1))
    with pytest.raises(InputError, match=fault):
        embedding.embed(text)


def test_texts_whose_words_all_lack_vectors_are_refused(corpus):
    from dataclasses import replace

    strange = replace(corpus, vectors=type(corpus.vectors)(["nothing"], np.ones((1, 3), np.float32)))
    with pytest.raises(InputError, match="expected pages with 4 sentences"):
        build_site(strange, rng=np.random.default_rng(0))


def test_same_seed_same_encyclopedia():
    first, second, other = (make_encyclopedia(SMALL, rng=np.random.default_rng(seed)) for seed in (3, 3, 4))
    assert first.texts == second.texts != other.texts
    np.testing.assert_array_equal(first.links.targets, second.links.targets)
    with pytest.raises(InputError, match="at least one article for each"):
        EncyclopediaConfig(branches=(10, 10), articles=50)


@pytest.mark.slow
def test_on_the_real_corpus_duplicates_share_a_split_and_no_test_query_is_a_training_query(real_data):
    from vinlab.domains.web.corpus import read_corpus

    corpus = read_corpus(real_data / "wikispeedia")
    site, _ = build_site(corpus, rng=np.random.default_rng(2016))
    split = split_pages(site, rng=np.random.default_rng(2017))
    duplicate_of = np.flatnonzero(site.duplicate_of != np.arange(site.num_pages))
    assert len(duplicate_of) == 8
    np.testing.assert_array_equal(split[duplicate_of], split[site.duplicate_of[duplicate_of]])
    training, _, test = (
        {site.queries.texts[query] for query in queries_of(site, split, part)} for part in PARTS
    )
    assert len(training) > 10 * len(duplicate_of)
    assert not training & test
