import json
import lzma

import numpy as np
import pytest

from vinlab.domains.web import corpus, word_vectors
from vinlab.domains.web.corpus import ARTICLE, read_articles, read_corpus, read_pairs
from vinlab.domains.web.word_vectors import read_vectors, split_sentences, split_words
from vinlab.types import InputError


@pytest.fixture
def folder(tmp_path):
    """A small sound corpus, for tests that spoil one thing of it."""
    words = ["cat", "dog", "bird", "animal", "house", "the", "runs"]
    (tmp_path / "articles.tsv").write_text("# names\nCat\nDog\nHouse\nSponsor\n")
    (tmp_path / "links.tsv").write_text("# links\nCat\tDog\nDog\tCat\nCat\tCat\nHouse\tSponsor\n")
    (tmp_path / "categories.tsv").write_text(
        "Cat\tsubject.Animals.Pets\nDog\tsubject.Animals\nHouse\tsubject.Things\n"
    )
    records = [{"article": name, "text": f"The {name} runs. The dog."} for name in ("Cat", "Dog", "House")]
    (tmp_path / "articles_text.jsonl").write_text("\n".join(map(json.dumps, records)))
    np.savez(tmp_path / "vectors.npz", words="\n".join(words), vectors=np.eye(len(words), 3))
    return tmp_path


def test_categories_are_pages_and_come_first_level_by_level(folder):
    corpus = read_corpus(folder)
    assert list(corpus.titles) == ["subject", "Animals", "Things", "Pets", "Cat", "Dog", "House"]
    assert corpus.levels.tolist() == [0, 1, 1, 2, ARTICLE, ARTICLE, ARTICLE]
    assert corpus.parents.of(4).tolist() == [3]
    assert corpus.parents.of(3).tolist() == [1]


def test_links_to_oneself_and_to_pages_without_text_are_left_out(folder):
    corpus = read_corpus(folder)
    assert [corpus.links.of(page).tolist() for page in (4, 5, 6)] == [[5], [4], []]


@pytest.mark.parametrize("name", ["articles.tsv", "links.tsv", "categories.tsv", "articles_text.jsonl"])
def test_a_missing_file_is_named(folder, name):
    (folder / name).unlink()
    with pytest.raises(InputError, match=name.replace(".", r"\.")):
        read_corpus(folder)


def test_missing_vectors_say_where_public_ones_are(folder):
    (folder / "vectors.npz").unlink()
    with pytest.raises(InputError, match=r"expected word vectors in .*, got no file; public ones are at"):
        read_corpus(folder)


def test_a_link_to_an_unknown_page_is_named(folder):
    (folder / "links.tsv").write_text("Cat\tUnicorn\n")
    with pytest.raises(InputError, match=r"link: expected a page that articles\.tsv lists, got 'Unicorn'"):
        read_corpus(folder)


def test_a_page_without_links_is_named(folder):
    (folder / "categories.tsv").write_text("Cat\tsubject.Animals\nDog\tsubject.Animals\n")
    with pytest.raises(InputError, match="expected pages with a link or a category, got 'House'"):
        read_corpus(folder)


def test_an_empty_text_is_named(folder):
    lines = (folder / "articles_text.jsonl").read_text(encoding="utf-8").splitlines()
    others = [line for line in lines if json.loads(line)["article"] != "House"]
    (folder / "articles_text.jsonl").write_text("\n".join([*others, '{"article": "House", "text": " "}']))
    with pytest.raises(InputError, match="expected articles with a text, got 'House'"):
        read_corpus(folder)


@pytest.mark.parametrize("category", ["subject._", "subject.Things._"])
def test_an_empty_title_is_refused(folder, category):
    (folder / "categories.tsv").write_text(f"Cat\tsubject.Animals\nDog\tsubject.Animals\nHouse\t{category}\n")
    with pytest.raises(
        InputError, match="titles: expected a title for every page, got an empty one for page"
    ):
        read_corpus(folder)


def test_an_article_with_an_empty_title_is_refused(folder):
    for name in ("articles.tsv", "categories.tsv", "links.tsv"):
        (folder / name).write_text((folder / name).read_text(encoding="utf-8").replace("House", "%20"))
    text = (folder / "articles_text.jsonl").read_text(encoding="utf-8")
    (folder / "articles_text.jsonl").write_text(text.replace('"House"', '"%20"'))
    with pytest.raises(
        InputError, match="titles: expected a title for every page, got an empty one for page"
    ):
        read_corpus(folder)


def test_a_text_of_an_unlisted_page_and_broken_json_are_named(folder):
    (folder / "articles_text.jsonl").write_text('{"article": "Moon", "text": "x"}')
    with pytest.raises(InputError, match=r"expected pages that articles\.tsv lists, got 'Moon'"):
        read_corpus(folder)
    (folder / "articles_text.jsonl").write_text("{")
    with pytest.raises(InputError, match="expected one JSON object a line"):
        read_corpus(folder)


def test_a_table_with_a_missing_column_is_named(folder):
    (folder / "links.tsv").write_text("Cat\n")
    with pytest.raises(InputError, match="line 1: expected 2 columns, got 1"):
        read_corpus(folder)


def test_two_roots_are_refused(folder):
    (folder / "categories.tsv").write_text("Cat\tsubject.A\nDog\tother.B\nHouse\tsubject.A\n")
    with pytest.raises(InputError, match="expected one root, got 2"):
        read_corpus(folder)


def test_glove_text_and_npz_give_the_same_vectors(tmp_path):
    (tmp_path / "glove.txt").write_text("cat 1.0 2.0\ndog 0.5 -1.0\n")
    np.savez(tmp_path / "v.npz", words="cat\ndog", vectors=np.array([[1, 2], [0.5, -1]], dtype=np.float16))
    text, packed = read_vectors(tmp_path / "glove.txt"), read_vectors(tmp_path / "v.npz")
    assert list(text.words) == list(packed.words)
    np.testing.assert_array_equal(text.vectors, packed.vectors)


@pytest.mark.parametrize("text", ["cat 1.0 2.0\ndog 0.5\n", "cat one two\n", ""])
def test_broken_vector_files_are_refused(tmp_path, text):
    (tmp_path / "glove.txt").write_text(text)
    with pytest.raises(InputError):
        read_vectors(tmp_path / "glove.txt")


def test_words_and_sentences():
    assert split_words("The U.S. won 3-1; naïve!") == ["the", "u", "s", "won", "3", "1", "naïve"]
    assert split_sentences('He came. "Yes" he said. no capital\nNew line') == [
        "He came.", '"Yes" he said. no capital', "New line",
    ]  # fmt: skip


@pytest.mark.slow
def test_the_real_corpus_has_the_counts_that_its_readme_gives(real_data):
    folder = real_data / "wikispeedia"
    articles, links = read_articles(folder), read_pairs(folder, "links.tsv")
    rows = read_pairs(folder, "categories.tsv")
    assert (len(articles), len(set(articles))) == (4604, 4604)
    assert (len(links), len(set(links)), sum(a == b for a, b in links)) == (119882, 119882, 110)
    assert (len(rows), len({path for _, path in rows})) == (5204, 129)
    corpus = read_corpus(folder)
    assert np.bincount(corpus.levels + 1).tolist() == [4598, 1, 15, 103, 27]
    texts = [corpus.texts[page] for page in corpus.articles]
    assert len(texts) - len(set(texts)) == 8


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("links.tsv", b"\xff\xfe\t\xff", "expected a table in UTF-8"),
        ("links.tsv", b"x" * 200_000 + b"\ty", "expected a table in UTF-8"),
        ("categories.tsv", b"Cat\t" + b"a." * 60 + b"b", "at most 50 levels"),
        ("articles_text.jsonl", b'{"article": "Sun", "text": 3}', "expected a str as text"),
        ("articles_text.jsonl", b'{"article": ["Sun"], "text": ""}', "expected a str as article"),
        ("articles_text.jsonl", b"[" * 5000, "one JSON object a line"),
        ("articles_text.jsonl", b"3", "one JSON object a line"),
        ("articles_text.jsonl", b'{"article": "Sun"}', "expected the field text"),
    ],
)
def test_odd_tables_and_texts_are_named(folder, name, data, sentence):
    (folder / name).write_bytes(data)
    with pytest.raises(InputError, match=sentence):
        read_corpus(folder)


def test_a_packed_text_without_end_is_not_unpacked(folder, monkeypatch):
    monkeypatch.setattr("vinlab.domains.web.corpus.LARGEST_CORPUS", 10_000)
    for data in (b"x" * 20_000, b"{}\n" * 5000):
        (folder / "articles_text.jsonl.xz").write_bytes(lzma.compress(data))
        with pytest.raises(InputError, match=r"got more|one JSON object a line"):
            read_corpus(folder)


@pytest.mark.parametrize(
    "vectors", [np.zeros(3), np.full((2, 3), np.nan), np.zeros((2, 2, 2)), np.zeros((0, 3))]
)
def test_vectors_of_other_shapes_are_refused(tmp_path, vectors):
    np.savez(tmp_path / "vectors.npz", words=np.array("a\nb"), vectors=vectors)
    with pytest.raises(InputError, match="'vectors' in"):
        read_vectors(tmp_path / "vectors.npz")


@pytest.mark.parametrize("words", [np.array(["a", "b"]), np.array(3), np.array(b"a\nb")])
def test_words_that_are_no_text_are_refused(tmp_path, words):
    np.savez(tmp_path / "vectors.npz", words=words, vectors=np.zeros((2, 3)))
    with pytest.raises(InputError, match="'words' in"):
        read_vectors(tmp_path / "vectors.npz")


@pytest.mark.parametrize("line", [b"\xff 1 2", b"a 1e999", b"a nan", b"x" * 100_000, b"a b c"])
def test_odd_lines_of_vectors_are_refused(tmp_path, line):
    (tmp_path / "glove.txt").write_bytes(line)
    with pytest.raises(InputError, match=r"glove\.txt"):
        read_vectors(tmp_path / "glove.txt")


def pack(folder, data: bytes) -> None:
    (folder / "articles_text.jsonl").unlink()
    (folder / "articles_text.jsonl.xz").write_bytes(data)


def test_packed_texts_that_need_much_memory_or_have_more_behind_them_are_refused(folder):
    text = (folder / "articles_text.jsonl").read_bytes()
    pack(folder, lzma.compress(text, preset=9))
    assert len(read_corpus(folder).articles) == 3
    wide = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 2**28}]
    faults = {
        "Memory usage limit": lzma.compress(text, filters=wide),
        "more behind its end": lzma.compress(text) + lzma.compress(text),
        "cut off": lzma.compress(text)[:-9],
    }
    for fault, data in faults.items():
        (folder / "articles_text.jsonl.xz").write_bytes(data)
        with pytest.raises(
            InputError, match=f"expected a complete file of texts, got a damaged one: .*{fault}"
        ):
            read_corpus(folder)


def test_a_page_has_one_text(folder):
    with (folder / "articles_text.jsonl").open("a") as file:
        file.write('\n{"article": "House", "text": "another"}')
    with pytest.raises(InputError, match="expected one text for each page, got two for 'House'"):
        read_corpus(folder)


def test_tables_of_too_many_lines_are_refused(folder, monkeypatch):
    monkeypatch.setattr(corpus, "MOST_ROWS", 5)
    read_articles(folder)
    monkeypatch.setattr(corpus, "MOST_ROWS", 4)
    with pytest.raises(InputError, match=r"articles\.tsv: expected at most 4 lines, got more"):
        read_articles(folder)


@pytest.mark.parametrize(("bound", "most"), [("MOST_WORDS", 2), ("MOST_NUMBERS", 6), ("MOST_LETTERS", 8)])
def test_word_vectors_are_bounded(tmp_path, monkeypatch, bound, most):
    (tmp_path / "a.txt").write_text("cat 1 2 3\nmouse 4 5 6\n")
    monkeypatch.setattr(word_vectors, bound, most)
    assert read_vectors(tmp_path / "a.txt").vectors.tolist() == [[1, 2, 3], [4, 5, 6]]
    monkeypatch.setattr(word_vectors, bound, most - 1)
    with pytest.raises(InputError, match=r"a\.txt: expected at most"):
        read_vectors(tmp_path / "a.txt")


def test_a_word_without_numbers_is_named(tmp_path):
    (tmp_path / "a.txt").write_text("cat\n")
    with pytest.raises(InputError, match="line 1: expected a word and its numbers, got 0"):
        read_vectors(tmp_path / "a.txt")


def test_vectors_of_one_word_are_not_unpacked_where_there_are_millions(tmp_path):
    path = tmp_path / "vectors.npz"
    np.savez_compressed(path, words=np.array("cat"), vectors=np.zeros((1000, 100), np.float32))
    with pytest.raises(InputError, match=r"at most 0\.0625 MB, got the shape"):
        read_vectors(path)
