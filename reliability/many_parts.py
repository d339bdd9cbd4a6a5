"""Files of very many small parts, which fill memory or time though each part is harmless."""

import json
import lzma
import os
import shutil
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from reliability.cases import Case, SilentDifference, command
from reliability.datasets import CHECK, write_folder
from reliability.map_formats import geotiff, lossy, npy_header, png, wide_archive
from reliability.runs import SETTING, USES, fixtures
from reliability.terrain import label
from vinlab.domains.mars.rasters.image import read_terrain_image
from vinlab.domains.web.corpus import read_articles, read_pairs, read_texts
from vinlab.domains.web.word_vectors import read_vectors
from vinlab.maps import read_map
from vinlab.recording.finished_run import CHECKPOINT, MANIFEST, METRICS, RESULT, WEIGHTS
from vinlab.recording.weights import load_tensors

SIDE, MEGABYTE = 12, 2**20
GREY = np.full((SIDE, SIDE), 255, np.uint8)
RESUME = command("train", SETTING, "--budget", "smoke", "--threads", "1", "--out", "{}/run", "--resume")


def images() -> Iterator[tuple[str, Callable[[], bytes]]]:
    """Images of millions of parts."""
    sound, jpeg = png(GREY), lossy(GREY, "JPEG")
    for kind in (b"teSt", b"tEXt", b"IDAT"):
        part = struct.pack(">I", 0) + kind + struct.pack(">I", zlib.crc32(kind))
        yield f"PNG, {kind.decode()}", lambda part=part: sound[:33] + part * 5_000_000 + sound[33:]
    for part in (b"\xff\xe1\x00\x02", b"\xff\xfe\x00\x02", b"\xff\xdb\x00\x02", b"\xff\xff", b"\xff\x00"):
        count = 60 * MEGABYTE // len(part)
        yield f"JPEG, {part.hex()}", lambda part=part, count=count: jpeg[:2] + part * count + jpeg[2:]
    for kind, count in ((0, 1_000_000), (1, 400_000), (4, 400_000)):
        yield f"TIFF, directories of kind {kind}", lambda kind=kind, count=count: tiff_chain(kind, count)
    yield "TIFF, a directory that names itself", lambda: geotiff(GREY)[:4] + tiff_chain(0, 1, loop=True)[4:]


def tiff_chain(kind: int, count: int, *, loop: bool = False) -> bytes:
    """A TIFF with so many directories one after the other, the last of which may name the first."""
    tags = {254: kind, 256: SIDE, 257: SIDE, 258: 8, 259: 1, 262: 1, 273: 8, 277: 1, 278: SIDE, 279: SIDE**2}
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, entry) for tag, entry in tags.items())
    size = 2 + len(entries) + 4
    following = 8 + size * np.arange(1, count + 1, dtype="<u4")
    following[-1] = 8 if loop else 0
    body = np.empty((count, size), np.uint8)
    body[:, :-4] = np.frombuffer(struct.pack("<H", len(tags)) + entries, np.uint8)
    body[:, -4:] = following[:, None].view(np.uint8)
    return b"II*\0" + struct.pack("<I", 8) + body.tobytes() + bytes(300)


def labels() -> Iterator[tuple[str, bytes]]:
    """Labels on which a search could take for ever, or that hide a name in what looks like a comment."""
    begin, sound = b"PDS_VERSION_ID = PDS3\n", label("2")
    hidden = b'A = "/*"\n^IMAGE = ("../secret.bin",1)\nB = "*/"\n'
    yield "comments without an end", begin + b"/* " * 10**6
    yield "comments", begin + b"/* */" * 200_000 + sound
    yield "empty lines", begin + b"^IMAGE = " + b"\n" * 900_000 + sound
    yield "pointers", begin + b"^A = 1\n" * 120_000 + sound
    yield "carets", begin + (b"^" + b" " * 1000) * 900
    yield "a name in quoted comments", sound.replace(b"^IMAGE = 2\n", hidden)
    yield "a name after a quoted end", sound.replace(b"^IMAGE = 2\n", b'X = "\nEND\n"\n' + hidden)


def tables() -> Iterator[tuple[str, Callable[[], bytes]]]:
    """Tables of very many paths, columns or images."""
    head = "image,path,row,col"
    columns = ",".join([head, *(f"c{number}" for number in range(1000))])
    lines = {
        "columns for each path": (columns, "a.png,{},0,0"),
        "paths": (head, "a.png,{},0,0"),
        "images": (head, "{}.png,0,0,0"),
    }
    for name, (first, line) in lines.items():
        yield (
            name,
            lambda first=first, line=line: "\n".join([first, *map(line.format, range(10**6))]).encode(),
        )
    yield "a million empty columns", lambda: head.encode() + b"," * 10**7 + b"\na.png,1,0,0" * 10**5
    yield "commas", lambda: b"," * (20 * MEGABYTE)


JSON_PARTS = ('{"a":1}', "[]", "{}", "[0,0]", '{"":{}}', "[[[[]]]]", '"a1"')


def json_list(part: str) -> bytes:
    """A list of 16 MB."""
    return f"[{','.join([part] * ((16 * MEGABYTE - 2) // (len(part) + 1)))}]".encode()


def unsealed(run: Path) -> None:
    """Remove the checksums of a run, as an older version wrote it."""
    result = json.loads((run / RESULT).read_text(encoding="utf-8"))
    del result["checksums"]
    (run / RESULT).write_text(json.dumps(result))


def with_file(name: str, file: str, make: Callable[[Path], Any]) -> Callable[[Path], None]:
    """A copy of a run in which a file is made anew."""

    def write(folder: Path) -> None:
        run = folder / "run"
        shutil.copytree(fixtures() / name, run)
        if name == "finished":
            unsealed(run)
        (run / file).unlink(missing_ok=True)
        make(run / file)

    return write


def large_tensors(path: Path) -> None:
    """A file of one tensor of 450 MB, of which the disk holds the beginning."""
    size = 450 * MEGABYTE
    header = json.dumps({"a": {"dtype": "F32", "shape": [size // 4], "data_offsets": [0, size]}}).encode()
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(header)) + header)
        file.truncate(8 + len(header) + size)


def runs() -> Iterator[Case]:
    """Runs whose logs, records or weights are far too long, or that hold links to other files."""
    for line in ("{}\n", "\n", '{"epoch":1}\n'):
        for size in (15, 100):
            count = size * MEGABYTE // len(line)
            make = lambda path, line=line, count=count: path.write_text(line * count)  # noqa: E731
            write = with_file("finished", METRICS, make)
            yield Case("many parts: runs", f"metrics, {line.strip()}, {size} MB", USES["metrics"], write)
    for part in JSON_PARTS:
        write = with_file("finished", MANIFEST, lambda path, part=part: path.write_bytes(json_list(part)))
        yield Case("many parts: runs", f"manifest of {part}", USES["show"], write)
    yield Case("many parts: runs", "weights", USES["load"], with_file("finished", WEIGHTS, large_tensors))
    yield Case("many parts: runs", "checkpoint", RESUME, with_file("killed", CHECKPOINT, large_tensors))
    yield Case("many parts: runs", "tensors", lambda folder: load_tensors(folder / "a"), many_tensors)
    for file in (".lock", MANIFEST, METRICS, CHECKPOINT, RESULT, WEIGHTS):
        for kind, link in (("a link", os.symlink), ("a second name", os.link)):
            make = with_file("killed", file, lambda path, link=link: link(_victim(path), path))
            yield Case("runs: links", f"{file} is {kind}", resume_beside_victim, make)


def many_tensors(folder: Path) -> None:
    """A file of a hundred thousand small tensors."""
    entries = {
        f"{number}": {"dtype": "F32", "shape": [1], "data_offsets": [4 * number, 4 * number + 4]}
        for number in range(100_000)
    }
    header = json.dumps(entries).encode()
    (folder / "a").write_bytes(struct.pack("<Q", len(header)) + header + bytes(400_000))


def _victim(path: Path) -> Path:
    victim = path.parents[1] / "victim"
    victim.write_text("precious")
    return victim


def resume_beside_victim(folder: Path) -> None:
    """Resume a run in which a file is a link; what it leads to must stay as it was."""
    try:
        RESUME(folder)
    finally:
        if (folder / "victim").read_text(encoding="utf-8") != "precious":
            raise SilentDifference("a file outside of the run was written to")


def corpora() -> Iterator[tuple[str, dict[str, Callable[[], bytes]]]]:
    """Folders of texts that ask for much memory, or have very many lines."""
    sound = b'{"article": "a", "text": "x"}\n{"article": "b", "text": "y"}\n'
    wide = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 2**29}]
    text = "articles_text.jsonl.xz"
    yield "a dictionary of half a gigabyte", {text: lambda: lzma.compress(sound, filters=wide)}
    yield "a second stream", {text: lambda: lzma.compress(sound) + lzma.compress(sound)}
    yield "600 MB of zeros", {text: lambda: lzma.compress(bytes(600 * MEGABYTE), preset=0)}
    yield "a text twice", {text: lambda: lzma.compress(sound * 10**6, preset=0)}
    yield "articles", {"articles.tsv": lambda: b"a1\n" * (20 * MEGABYTE)}
    yield "links", {"links.tsv": lambda: b"a\tb\n" * (15 * MEGABYTE)}


def read_corpus_files(folder: Path) -> None:
    """The tables and texts of a corpus."""
    names = read_articles(folder)
    read_pairs(folder, "links.tsv")
    read_texts(folder, names)


def write_corpus(folder: Path, changes: dict[str, Callable[[], bytes]]) -> None:
    """A corpus of two articles with some other files."""
    (folder / "articles.tsv").write_text("a\nb\n")
    (folder / "links.tsv").write_text("a\tb\n")
    (folder / "articles_text.jsonl.xz").write_bytes(lzma.compress(b'{"article": "a", "text": "x"}\n'))
    for name, make in changes.items():
        (folder / name).write_bytes(make())


def vectors() -> Iterator[tuple[str, str, Callable[[Path], Any]]]:
    """Word vectors of very many or very long words."""
    words = {"words.npy": (npy_header(f"'<U{120 * MEGABYTE}'", "()"), 480 * MEGABYTE)}
    numbers = {"vectors.npy": (npy_header("'<f4'", "(1000000, 120)"), 480 * 10**6)}
    one = {"words.npy": (npy_header("'<U1'", "()"), 4), "vectors.npy": (npy_header("'<f4'", "(1, 4)"), 16)}
    yield "words in one text", "a.npz", lambda path: path.write_bytes(wide_archive(one | words))
    yield "vectors", "a.npz", lambda path: path.write_bytes(wide_archive(one | numbers))
    yield "lines", "a.txt", lambda path: path.write_bytes(b"a 1\n" * (50 * MEGABYTE))
    yield "long words", "a.txt", lambda path: path.write_bytes((b"a" * 60_000 + b" 1\n") * 2000)
    yield "a terabyte", "a.txt", lambda path: (path.touch(), os.truncate(path, 2**40))


def cases() -> Iterator[Case]:
    """All of them; each is tried once."""
    for name, make in images():
        yield Case(
            "many parts: images",
            name,
            lambda folder: read_map(folder / "a"),
            lambda folder, make=make: (folder / "a").write_bytes(make()),
        )
    for name, data in labels():
        yield Case(
            "many parts: labels",
            name,
            lambda folder: read_terrain_image(folder / "a.img"),
            lambda folder, data=data: (folder / "a.img").write_bytes(data),
        )
    for name, make in tables():
        write = lambda folder, make=make: write_folder(folder, {"paths.csv": make()})  # noqa: E731
        yield Case("many parts: tables", name, CHECK, write)
    for part in JSON_PARTS:
        write = lambda folder, part=part: write_folder(folder, {"paths.json": json_list(part)})  # noqa: E731
        yield Case("many parts: tables", f"JSON of {part}", CHECK, write)
    for name, changes in corpora():
        write = lambda folder, changes=changes: write_corpus(folder, changes)  # noqa: E731
        yield Case("many parts: texts", name, read_corpus_files, write)
    for name, file, make in vectors():
        yield Case(
            "many parts: words",
            name,
            lambda folder, file=file: read_vectors(folder / file),
            lambda folder, file=file, make=make: make(folder / file),
        )
    yield from runs()
