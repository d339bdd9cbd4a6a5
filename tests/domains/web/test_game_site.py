from dataclasses import replace

import numpy as np
import pytest

from vinlab.domains.web.corpus import assemble_corpus
from vinlab.domains.web.game_site import KINDS, make_game_site
from vinlab.domains.web.word_vectors import WordVectors
from vinlab.types import InputError

WORDS = ["lion", "cat", "stone", "wall", "big"]
TEXTS = {
    "Lion": "A lion is a big cat.",
    "Cat": "A cat is small. The lion is not.",
    "Stone": "A stone lies.",
    "Wall": "A wall is of stone.",
}


def corpus():
    return assemble_corpus(
        texts=TEXTS,
        categories=[(page, "subject.All") for page in TEXTS],
        links=[("Cat", "Lion"), ("Cat", "Stone"), ("Wall", "Cat"), ("Wall", "Stone")],
        known=TEXTS,
        vectors=WordVectors(WORDS, np.eye(5, dtype=np.float32)),
    )


def similarity(site, kind, page, target):
    return site.similarities(np.array([target]), (kind,))[0, page, 0]


LION, CAT, STONE, WALL = range(4)


def test_a_known_target_is_compared_as_if_it_were_not_known():
    """So training on known targets is like playing with a held-out one."""
    known = make_game_site(corpus(), np.ones(4, dtype=bool))
    hidden = replace(known, known=np.array([False, True, True, True]))
    for kind in ("titles behind", "text", "texts behind", "title vectors", "title words"):
        ours, theirs = (site.similarities(np.array([LION]), (kind,))[0, 1:, 0] for site in (known, hidden))
        np.testing.assert_allclose(ours, theirs, atol=1e-5, err_msg=kind)


def test_each_kind_by_hand():
    site = make_game_site(corpus(), np.ones(4, dtype=bool))
    assert similarity(site, "text", CAT, LION) > 0.1
    assert similarity(site, "text", STONE, LION) == 0
    # Behind the wall lie the cat, whose text has the lion, and the stone, whose text has not.
    mean = (similarity(site, "text", CAT, LION) + similarity(site, "text", STONE, LION)) / 2
    assert similarity(site, "texts behind", WALL, LION) == pytest.approx(mean)
    assert similarity(site, "titles behind", WALL, STONE) < similarity(site, "titles behind", WALL, CAT) + 1
    assert similarity(site, "title words", LION, LION) == pytest.approx(1)
    assert similarity(site, "title in target's text", CAT, LION) > 0
    assert similarity(site, "text and target's text", LION, LION) == 0
    assert site.similarities(np.array([0, 1]), KINDS).shape == (2, 4, len(KINDS))


def test_training_sees_the_known_pages_alone():
    site = make_game_site(corpus(), np.array([True, True, False, True]))
    shown, kept = site.only_known()
    assert kept.tolist() == [0, 1, 3]
    assert list(shown.titles) == ["Lion", "Cat", "Wall"]
    assert shown.links.of(2).tolist() == [1]


def test_empty_titles_and_titles_without_a_word_of_the_texts_are_refused():
    known, names = np.ones(4, dtype=bool), list(corpus().titles)
    with pytest.raises(InputError, match="titles: expected a title for every article, got an empty one"):
        make_game_site(replace(corpus(), titles=[*names[:-1], " "]), known)
    with pytest.raises(InputError, match="expected words that the texts have too, got none in common"):
        make_game_site(replace(corpus(), titles=["Что"] * len(names)), known)
