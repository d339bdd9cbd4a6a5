"""Hostile sites and datasets: encyclopedias in tables, memory-mapped sites, word vectors, and the authors' files."""

import functools
import io
import json
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io

from reliability.cases import Case, SilentDifference
from reliability.map_formats import npy
from reliability.odd_bytes import Rng, damaged, odd_json
from vinlab.domains.gridworld.author_data import read_authors_file
from vinlab.domains.web.corpus import read_corpus
from vinlab.domains.web.expert import distances_to
from vinlab.domains.web.large_site import LargeSiteConfig, open_large_site, write_large_site
from vinlab.domains.web.people import FINISHED, UNFINISHED, length_shares, read_people
from vinlab.domains.web.site import QueryConfig, build_site
from vinlab.domains.web.site_files import open_site, write_site

TITLES = [f"page_{number}" for number in range(12)]
WORDS = ["sun", "moon", "star", "light", "dark", "far", "near", "hot", "cold", "red"]


@functools.cache
def tables() -> dict[str, bytes]:
    """A small encyclopedia as its folder holds it."""
    rng = np.random.default_rng(0)
    texts = [". ".join(" ".join(rng.choice(WORDS, 6)).capitalize() for _ in range(12)) + "." for _ in TITLES]
    vectors = rng.standard_normal((len(WORDS), 5)).astype(np.float32)
    packed = io.BytesIO()
    np.savez_compressed(packed, words=np.array("\n".join(WORDS)), vectors=vectors)
    lines = [json.dumps({"article": title, "text": text}) for title, text in zip(TITLES, texts, strict=True)]
    return {
        "articles.tsv": "\n".join(TITLES).encode(),
        "categories.tsv": "\n".join(
            f"{title}\tsubject.{'AB'[n % 2]}" for n, title in enumerate(TITLES)
        ).encode(),
        "links.tsv": "\n".join(
            f"{a}\t{b}" for a, b in zip(TITLES, TITLES[1:] + TITLES[:1], strict=True)
        ).encode(),
        "articles_text.jsonl": "\n".join(lines).encode(),
        "vectors.npz": packed.getvalue(),
    }


def write_tables(folder: Path, **changes: bytes) -> None:
    """The folder with some files changed, in which an underscore stands for a dot."""
    for name, data in (tables() | changes).items():
        (folder / name).write_bytes(data)


def read_site(folder: Path) -> Any:
    """Read the tables and build the site from them."""
    return build_site(read_corpus(folder), rng=np.random.default_rng(0), config=QueryConfig(fewest_words=1))


def odd_tables(rng: Rng, count: int) -> Iterator[Case]:
    """Encyclopedias with one damaged or odd file."""
    glove = "\n".join(f"{word} 1 2 3 4 5" for word in WORDS)
    odd: dict[str, list[bytes]] = {
        "articles.tsv": [
            b"\xff\xfe",
            b"x" * 200_000,
            b"a\tb\tc",
            b"",
            b"\0",
            "\ud800".encode("utf-8", "surrogatepass"),
        ],
        "categories.tsv": [
            b"page_0\t" + b"a." * 60_000,
            b"page_0\t",
            b"page_0\ta\npage_1\tb",
            b"\xff",
            b"nobody\ta",
        ],
        "links.tsv": [b"page_0\tpage_0", b"page_0", b"\xff\t\xff", b"page_0\tpage_1\n" * 1000],
        "articles_text.jsonl": [
            b"[]",
            b"{}",
            b"null\n",
            b'{"article": 1, "text": 2}',
            b'{"article": "page_0", "text": []}',
            b"[" * 10**5,
            b'{"article": "page_0", "text": "\\ud800"}',
            b'{"article": "page_0", "text": ""}',
            b"9" * 10**5,
        ],
        "articles_text.jsonl.xz": [
            lzma.compress(b"x" * 10**8),
            lzma.compress(b"\n" * 10**6),
            b"no xz",
            lzma.compress(b"{}")[:-9],
        ],
        "glove.txt": [
            glove.encode() + b"\nend 1 2",
            b"word",
            b"word nan nan",
            b"a 1e999 2",
            b"\xff 1 2",
            b"x" * 10**6,
            b"",
            b" 1 2\n\n",
        ],
        "vectors.npz": [b"PK", b"", npy(np.zeros(3))],
    }
    for number in range(count):
        file = str(rng.choice(list(odd)))
        if file in tables() and rng.random() < 0.4:
            kind, data = damaged(tables()[file], rng)
        else:
            kind, data = "odd", odd[file][int(rng.integers(len(odd[file])))]
        yield Case(
            "sites: tables",
            f"{file}, {kind}, {number}",
            read_site,
            lambda folder, file=file, data=data: write_tables(folder, **{file: data}),
        )


def odd_sites(rng: Rng, count: int) -> Iterator[Case]:
    """Memory-mapped sites with one damaged array or list; the compiled search runs on what is accepted."""

    def search(folder: Path) -> None:
        site, embedding = open_site(folder / "site")
        distances_to(site.full, site.queries.pages)
        embedding.embed("sun and moon")

    arrays = [
        np.zeros(0, np.int64),
        np.zeros((3, 3)),
        np.arange(99),
        np.full(14, 10**9),
        np.full(14, -5),
        np.array(3),
        np.zeros(14, "M8[s]"),
        np.full((14, 5), np.nan, np.float32),
        np.zeros((14, 5), np.int8),
        np.array(["a"]),
    ]
    for number in range(count):

        def write(folder: Path, seed: int = number) -> None:
            write_tables(folder)
            write_site(folder / "site", *read_site(folder))
            own = np.random.default_rng([7, seed])
            file = sorted((folder / "site").iterdir())[
                int(own.integers(len(list((folder / "site").iterdir()))))
            ]
            if file.suffix == ".json" and own.random() < 0.6:
                data = odd_json(json.loads(file.read_text(encoding="utf-8")), own)[1]
            elif file.suffix == ".npy" and own.random() < 0.6:
                data = npy(arrays[int(own.integers(len(arrays)))])
            else:
                data = damaged(file.read_bytes(), own)[1]
            file.write_bytes(data)

        yield Case("sites: arrays", f"{number}", search, write)


def author_arrays() -> dict[str, np.ndarray]:
    """Two maps of 4 x 4 cells with three states."""
    free = np.ones((3, 16), np.uint8)
    free[:2, 5] = 0
    marks = np.zeros((3, 16), np.uint8)
    marks[:2, 2] = marks[2, 3] = 10
    states, labels = np.array([[0, 0], [0, 1], [2, 2]], np.uint8), np.array([[2], [2], [4]], np.uint8)
    return {"im_data": free, "value_data": marks, "state_xy_data": states, "label_data": labels}


def mat(arrays: dict[str, Any], **options: Any) -> bytes:
    """A file of MATLAB."""
    file = io.BytesIO()
    scipy.io.savemat(file, arrays, **options)
    return file.getvalue()


def odd_author_files(rng: Rng, count: int) -> Iterator[Case]:
    """The authors' files with odd numbers, types or shapes, or damaged; a packed file is refused or gives the same."""
    sound = read_sound()
    odd: list[Any] = [-1, 8, 255, np.nan, np.inf, 0.5, 1e300, 1 + 1j]
    for number in range(count):
        arrays: dict[str, Any] = author_arrays()
        key = str(rng.choice(list(arrays)))
        kind = int(rng.integers(7))
        check = None
        if kind == 0:
            arrays[key] = [{"a": 1}, "text", np.array([[np.zeros(1), np.zeros(2)]], object)][
                int(rng.integers(3))
            ]
        elif kind == 1:
            arrays[key] = [
                np.zeros((0, 0)),
                np.zeros((3, 3, 3)),
                np.float64(1),
                arrays[key].T,
                arrays[key][:1],
            ][int(rng.integers(5))]
        elif kind == 2:
            del arrays[key]
        elif kind in (3, 4):
            changed = arrays[key].astype(complex)
            changed.flat[int(rng.integers(changed.size))] = odd[int(rng.integers(len(odd)))]
            arrays[key] = changed if changed.imag.any() else changed.real
        if kind < 5:
            data = mat(arrays, do_compression=bool(rng.random() < 0.5))
        else:
            _, data = damaged(mat(arrays, do_compression=True), rng)
            check = same_maps(sound)
        yield Case(
            "sites: authors' files",
            f"{key}, {kind}, {number}",
            lambda folder: read_authors_file(folder / "a.mat"),
            lambda folder, data=data: (folder / "a.mat").write_bytes(data),
            check,
        )


def read_sound() -> dict[str, np.ndarray]:
    """What the sound file holds."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "a.mat").write_bytes(mat(author_arrays(), do_compression=True))
        return vars(read_authors_file(Path(folder) / "a.mat"))


def same_maps(sound: dict[str, np.ndarray]) -> Any:
    """A check that the same maps and labels were read."""

    def check(found: Any) -> None:
        if any(not np.array_equal(getattr(found, name), array) for name, array in sound.items()):
            raise SilentDifference("other maps, states or labels")

    return check


def odd_games(rng: Rng, count: int) -> Iterator[Case]:
    """The games of people with odd fields, or damaged."""
    odd = [
        "",
        "x",
        "nan",
        "inf",
        "-3",
        "1e9",
        "1e400",
        "9" * 400,
        "0.5",
        "\0",
        "%ff%",
        "x" * 200_000,
        "\udcff",
    ]
    finished = [["clicks", "shortest", "rating"], *(["5", "3", "2"] for _ in range(4))]
    unfinished = [["Sun", "Moon", "timeout", "0"] for _ in range(4)]
    for number in range(count):
        tables = {
            FINISHED: (",", [list(row) for row in finished]),
            UNFINISHED: ("\t", [list(row) for row in unfinished]),
        }
        name = str(rng.choice(list(tables)))
        row = tables[name][1][int(rng.integers(len(tables[name][1])))]
        row[int(rng.integers(len(row)))] = str(rng.choice(odd))
        if rng.random() < 0.1:
            row.append("more")
        texts = {
            file: "\n".join(sign.join(fields) for fields in rows).encode("utf-8", "surrogateescape")
            for file, (sign, rows) in tables.items()
        }
        if rng.random() < 0.4:
            texts[name] = damaged(texts[name], rng)[1]

        def act(folder: Path) -> None:
            length_shares(read_people(folder).shortest)

        def write(folder: Path, texts: dict[str, bytes] = texts) -> None:
            for file, data in texts.items():
                (folder / file).write_bytes(data)

        yield Case("sites: people's games", f"{name}, {number}", act, write)


@functools.cache
def generated_site() -> dict[str, bytes]:
    """The files of a generated site of a thousand pages."""
    import tempfile

    config = LargeSiteConfig(pages=1000, links=5, dimension=4, queries=20, planning_pages=200)
    with tempfile.TemporaryDirectory() as folder:
        write_large_site(Path(folder) / "site", config, rng=np.random.default_rng(0))
        return {file.name: file.read_bytes() for file in (Path(folder) / "site").iterdir()}


def odd_generated_sites(rng: Rng, count: int) -> Iterator[Case]:
    """Generated sites with one odd, damaged or missing file; the compiled search runs on what is accepted."""

    def search(folder: Path) -> None:
        site = open_large_site(folder)
        distances_to(site.full, site.queries.pages[:5])

    arrays = [
        np.zeros(0, np.int64),
        np.full(500, 10**9),
        np.full(500, -5),
        np.zeros((3, 3)),
        np.array(3),
        np.zeros(9),
    ]
    for number in range(count):
        files = dict(generated_site())
        name = str(rng.choice(list(files)))
        choice = rng.random()
        if choice < 0.2:
            del files[name]
        elif name.endswith(".npy") and choice < 0.6:
            sound = np.load(io.BytesIO(files[name]))
            odd = [
                sound[:-1],
                -1 - sound,
                sound.astype(np.float64) * np.nan,
                sound.astype(np.int64) + 10**7,
                *arrays,
            ]
            with np.errstate(all="ignore"):
                files[name] = npy(odd[int(rng.integers(len(odd)))])
        elif name.endswith(".json") and choice < 0.6:
            files[name] = odd_json(json.loads(files[name]), rng)[1]
        else:
            files[name] = damaged(files[name], rng)[1]

        def write(folder: Path, files: dict[str, bytes] = files) -> None:
            for file, data in files.items():
                (folder / file).write_bytes(data)

        yield Case("sites: generated", f"{name}, {number}", search, write)


def cases(rng: Rng, count: int) -> Iterator[Case]:
    """About ``count`` cases."""
    yield from odd_tables(rng, count * 3 // 10)
    yield from odd_sites(rng, count * 2 // 10)
    yield from odd_author_files(rng, count * 2 // 10)
    yield from odd_games(rng, count * 15 // 100)
    yield from odd_generated_sites(rng, count * 15 // 100)
