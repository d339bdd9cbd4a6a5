"""Sparse features on a site in mapped files."""

from dataclasses import replace

import numpy as np
import pytest

from vinlab.domains.web.site_files import write_site
from vinlab.domains.web.synthetic import EncyclopediaConfig
from vinlab.experiments.web.data import load_corpus, load_site, make_site
from vinlab.experiments.web.settings import configure
from vinlab.types import InputError

SMALL = EncyclopediaConfig(branches=(3, 2), articles=40, sentences=16, dimension=8)
SPARSE = replace(
    configure("pages", "full", "none", "smoke", "paper", features="sparse").data, encyclopedia=SMALL
)


@pytest.fixture
def folder(tmp_path):
    write_site(tmp_path / "sparse", *make_site(SPARSE, load_corpus(SMALL, None)))
    write_site(tmp_path / "dense", *make_site(replace(SPARSE, features="dense"), load_corpus(SMALL, None)))
    return tmp_path


def test_a_site_in_mapped_files_is_the_one_that_is_made_from_texts(folder):
    mapped, made = load_site(SPARSE, folder / "sparse")[0], load_site(SPARSE, None)[0]
    assert mapped.sparse is not None
    assert made.sparse is not None
    queries, pages = made.queries.sparse, np.arange(made.num_pages)
    assert queries is not None
    np.testing.assert_array_equal(
        mapped.sparse.similarities(queries, pages), made.sparse.similarities(queries, pages)
    )


def test_a_site_without_sparse_features_is_refused(folder):
    with pytest.raises(InputError, match="dense: expected a site with sparse features, got one without"):
        load_site(SPARSE, folder / "dense")


def test_training_without_the_test_pages_needs_the_texts(folder):
    with pytest.raises(
        InputError, match=r"expected a folder with the corpus itself, got .* finished features"
    ):
        load_corpus(SMALL, folder / "sparse")
    with pytest.raises(InputError, match="the control leaky: expected a folder with the corpus itself"):
        load_site(replace(SPARSE, control="leaky"), folder / "sparse")
