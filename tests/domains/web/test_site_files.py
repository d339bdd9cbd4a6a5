import numpy as np
import pytest

from helpers.small_site import ten_pages
from vinlab.domains.web.features import TextEmbedding
from vinlab.domains.web.site import build_site, with_sparse_features
from vinlab.domains.web.site_files import open_site, write_site
from vinlab.domains.web.synthetic import EncyclopediaConfig, make_encyclopedia
from vinlab.domains.web.word_vectors import WordVectors
from vinlab.types import InputError


def test_a_site_comes_back_from_disk_as_it_was(tmp_path):
    small = EncyclopediaConfig(branches=(3, 2), articles=40, sentences=16, dimension=8)
    site, embedding = build_site(
        make_encyclopedia(small, rng=np.random.default_rng(0)), rng=np.random.default_rng(1)
    )
    write_site(tmp_path / "site", site, embedding)
    again, words = open_site(tmp_path / "site")
    np.testing.assert_array_equal(again.features, site.features)
    np.testing.assert_array_equal(again.full.targets, site.full.targets)
    assert again.titles == list(site.titles)
    assert again.queries.texts == list(site.queries.texts)
    np.testing.assert_array_equal(words.embed(site.queries.texts[0]), embedding.embed(site.queries.texts[0]))
    with pytest.raises(InputError, match="expected a new folder for the site"):
        write_site(tmp_path / "site", site, embedding)
    (tmp_path / "site" / "levels.npy").unlink()
    with pytest.raises(InputError, match=r"levels\.npy: expected an array of a site"):
        open_site(tmp_path / "site")


def sparse_site():
    small = EncyclopediaConfig(branches=(3, 2), articles=40, sentences=16, dimension=8)
    corpus = make_encyclopedia(small, rng=np.random.default_rng(0))
    site, embedding = build_site(corpus, rng=np.random.default_rng(1))
    return with_sparse_features(site, corpus), embedding


def test_sparse_features_come_back_as_they_were_and_stay_mapped(tmp_path):
    site, embedding = sparse_site()
    write_site(tmp_path / "site", site, embedding)
    again, _ = open_site(tmp_path / "site")
    pages = np.arange(site.num_pages)
    np.testing.assert_array_equal(
        again.sparse.similarities(again.queries.sparse[:4], pages),
        site.sparse.similarities(site.queries.sparse[:4], pages),
    )
    assert (again.sparse.tfidf.embed(site.queries.texts[0]) != site.queries.sparse[0]).nnz == 0
    held = again.sparse.texts.data
    while not isinstance(held, np.memmap):
        assert held.base is not None
        held = held.base


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("sparse_texts_indices", np.array([10**6])),
        ("sparse_titles_indptr", np.array([0, 1])),
        ("sparse_queries_data", np.array([np.nan], np.float32)),
        ("sparse_rarity", np.zeros(3, np.float32)),
    ],
)
def test_an_odd_sparse_array_is_refused(tmp_path, name, array):
    write_site(tmp_path / "site", *sparse_site())
    np.save(tmp_path / "site" / f"{name}.npy", array)
    with pytest.raises(InputError, match=r"\.npy: expected"):
        open_site(tmp_path / "site")


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (None, "got one without a format"),
        ('{"format": 1, "sparse": false}', "got format 1"),
        ("[]", "got format None"),
    ],
)
def test_mapped_files_of_another_version_are_refused(folder, content, found):
    path = folder / "version.json"
    if content is None:
        path.unlink()
    else:
        path.write_text(content)
    with pytest.raises(InputError, match=rf"version\.json: expected a site of format 2, {found}"):
        open_site(folder)


@pytest.fixture
def folder(tmp_path):
    vectors = WordVectors(["a", "b"], np.ones((2, 4), np.float32))
    embedding = TextEmbedding(vectors, np.ones(2, np.float32), np.zeros(4, np.float32))
    write_site(tmp_path / "site", ten_pages(), embedding)
    return tmp_path / "site"


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("full_targets", np.full(5, 10**6)),
        ("full_targets", np.array([-1])),
        ("full_offsets", np.full(11, 10**9)),
        ("full_offsets", np.array([0, 1])),
        ("levels", np.zeros((10, 1), np.int64)),
        ("levels", np.full(10, 10**6)),
        ("features", np.full((10, 4), np.nan, np.float32)),
        ("features", np.zeros((10, 3), np.float32)),
        ("features", np.zeros((9, 4), np.float32)),
        ("query_pages", np.full(7, 10)),
        ("query_pages", np.zeros(6, np.int64)),
        ("twins", np.full(10, -1)),
        ("vectors", np.array("text")),
        ("rarity", np.zeros(3, np.float32)),
        ("centre", np.zeros(4, np.int64)),
    ],
)
def test_an_odd_array_of_a_site_is_refused_before_compiled_code_reads_it(folder, name, array):
    np.save(folder / f"{name}.npy", array)
    with pytest.raises(InputError, match=r"\.npy: expected"):
        open_site(folder)


@pytest.mark.parametrize("data", [b"", b"\x93NUMPY", b"\x93NUMPY\x01\x00\x10\x00{'descr': (((((((", b"noise"])
def test_a_damaged_array_of_a_site_is_refused(folder, data):
    (folder / "levels.npy").write_bytes(data)
    with pytest.raises(InputError, match=r"levels\.npy: expected an array of a site"):
        open_site(folder)


@pytest.mark.parametrize("text", ["{}", "[1]", '["a"]', "[[]]", "NaN", '["\\ud800"]', "["])
def test_odd_titles_of_a_site_are_refused(folder, text):
    (folder / "titles.json").write_text(text)
    with pytest.raises(InputError, match=r"titles\.json"):
        open_site(folder)
