"""Broken and hostile files: one clear sentence each, never a traceback, and never much memory."""

import contextlib
import io
import resource
import struct
import subprocess
import sys
import zipfile
import zlib

import numpy as np
import pytest
from PIL import Image

from vinlab.maps import Frame, MapOptions, image, read_map, read_scenarios
from vinlab.maps.pictures import Picture, read_picture, with_channels
from vinlab.maps.safe_files import LARGEST_FILE, files_below, resolve_sibling
from vinlab.types import InputError


def png(width=4, height=3, *, header=True, body: bytes | None = None) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    pixels = zlib.compress(b"\0" * (min(width, 99) + 1) * min(height, 99)) if body is None else body
    size = struct.pack(">IIBBBBB", width % 2**32, height % 2**32, 8, 0, 0, 0, 0)
    head = chunk(b"IHDR", size) if header else b""
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=array.dtype == object)
    return file.getvalue()


def npy_header(text: str) -> bytes:
    header = text.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header


def archive(members: dict[str, bytes], method=zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as packed:
        for name, data in members.items():
            packed.writestr(name, data)
    return file.getvalue()


def encrypted(data: bytes) -> bytes:
    """The same archive with the mark of a password on every member."""
    data = bytearray(data)
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        first = data.find(mark)
        data[first + place] |= 1
    return bytes(data)


def tiff(entries: list[tuple[int, int, int, int]], mark=b"II*\0") -> bytes:
    """A TIFF with the given tags (tag, type, count, value) and nothing behind them."""
    body = b"".join(struct.pack("<HHII", *entry) for entry in entries)
    return mark + struct.pack("<I", 8) + struct.pack("<H", len(entries)) + body + b"\0" * 4


def tiff_of(width, height, *, bands=1, bits=8):
    return tiff(
        [
            (256, 4, 1, width),
            (257, 4, 1, height),
            (258, 3, 1, bits),
            (259, 3, 1, 1),
            (262, 3, 1, 1),
            (273, 4, 1, 200),
            (277, 3, 1, bands),
            (278, 4, 1, height),
            (279, 4, 1, 100),
        ]
    )


def zip_bomb() -> bytes:
    header = npy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (30000, 30000), }")
    return archive({"obstacles.npy": header + b"\0" * (40 * 2**20)})


def lying_archive() -> bytes:
    """Says that it unpacks to little, but holds much."""
    data = bytearray(archive({"obstacles.npy": npy(np.zeros((64, 64)))}))
    place = data.find(b"PK\x01\x02")
    data[place + 24 : place + 28] = struct.pack("<I", 10)
    return bytes(data)


def yaml(**fields) -> bytes:
    known = {"image": "map.pgm", "resolution": "0.05", "origin": "[0, 0, 0]"} | fields
    return "\n".join(f"{key}: {value}" for key, value in known.items() if value is not None).encode()


ALIASES = "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9))
MOVINGAI = b"type octile\nheight 2\nwidth 2\nmap\n..\n..\n"
NOISE = np.random.default_rng(0).integers(0, 256, 5000, dtype=np.uint8).tobytes()
PGM = b"P5 2 2 255\n\0\0\0\0"

MAPS = {
    "empty": b"",
    "binary noise": NOISE,
    "text": b"hello",
    "a web page": b"<!DOCTYPE html><html></html>",
    "png: mark alone": b"\x89PNG\r\n\x1a\n",
    "png: cut header": png()[:20],
    "png: cut pixels": png(40, 40)[:50],
    "png: no header": png(header=False),
    "png: huge": png(2**31 - 1, 2**31 - 1),
    "png: negative size": png(-1, -1),
    "png: no rows": png(4, 0),
    "png: pixels of noise": png(100, 100, body=NOISE),
    "png: bomb": png(60_000, 60_000, body=zlib.compress(b"\0" * 10**6)),
    "pgm: mark alone": b"P5\n",
    "pgm: huge": b"P5 999999999 999999999 255\n",
    "pgm: endless number": b"P5 " + b"9" * 5000,
    "pgm: negative size": b"P5 -4 3 255\n" + b"\0" * 12,
    "pgm: no columns": b"P5 0 3 255\n",
    "pgm: cut pixels": b"P5 4 3 255\n\0\0",
    "pgm: white is zero": b"P5 1 1 0\n\0",
    "pgm: white is too much": b"P5 1 1 70000\n\0\0",
    "pgm: words for pixels": b"P2 2 1 255\nzero one",
    "pgm: too few words": b"P2 2 2 255\n0 0 0",
    "pgm: endless comment": b"P5 #" + b"x" * 100_000,
    "npy: mark alone": b"\x93NUMPY",
    "npy: cut": npy(np.zeros((20, 20)))[:-8],
    "npy: pickled": npy(np.array([{"a": 1}], dtype=object)),
    "npy: text": npy(np.array([["a", "b"]])),
    "npy: complex": npy(np.zeros((2, 2), complex)),
    "npy: huge header": npy_header(
        "{'descr': '|u1', 'fortran_order': False, 'shape': (99999999, 99999999), }"
    ),
    "npy: negative shape": npy_header("{'descr': '|u1', 'fortran_order': False, 'shape': (-4, 4), }"),
    "npy: code in the header": npy_header("__import__('os').system('true')"),
    "npy: deep header": b"\x93NUMPY\x02\x00" + struct.pack("<I", 9000) + b"(" * 9000,
    "npy: unknown version": b"\x93NUMPY\x09\x00" + b"\0" * 100,
    "npy: one axis": npy(np.zeros(4)),
    "npy: no cells": npy(np.zeros((0, 4))),
    "npy: other numbers": npy(np.full((2, 2), 7)),
    "npy: too long a side": npy(np.zeros((1, 5000), np.uint8)),
    "npz: mark alone": b"PK\x03\x04",
    "npz: cut": archive({"obstacles.npy": npy(np.zeros((50, 50)))})[:100],
    "npz: bomb": zip_bomb(),
    "npz: lies about its size": lying_archive(),
    "npz: encrypted": encrypted(archive({"obstacles.npy": npy(np.zeros((4, 4)))})),
    "npz: another array": archive({"weights.npy": npy(np.zeros((4, 4)))}),
    "npz: no array": archive({"obstacles.npy": b"hello"}),
    "npz: path tricks": archive({"../../obstacles.npy": npy(np.zeros((4, 4)))}),
    "npz: too many": archive({f"a{n}.npy": b"" for n in range(1100)}),
    "npz: pickled": archive({"obstacles.npy": npy(np.array([None], dtype=object))}),
    "map: cut": MOVINGAI[:-4],
    "map: huge": b"type octile\nheight 999999999\nwidth 999999999\nmap\n..",
    "map: negative": b"type octile\nheight -2\nwidth -2\nmap\n..\n..\n",
    "map: two heights": b"type octile\nheight 1\nheight 2\nwidth 2\nmap\n..\n..\n",
    "map: no size": b"type octile\nmap\n..\n..\n",
    "map: strange letters": MOVINGAI.replace(b"..\n..", b"..\n.x"),
    "map: ragged": MOVINGAI.replace(b"..\n..", b"..\n..."),
    "map: noise": b"type octile\nheight 2\nwidth 2\nmap\n\xff\xfe\xfd\xfc\n",
    "tiff: mark alone": b"II*\0",
    "tiff: noise": b"II*\0" + NOISE,
    "tiff: huge": tiff_of(2**31 - 1, 2**31 - 1),
    "tiff: many bands": tiff_of(4000, 4000, bands=60_000),
    "tiff: cut": tiff_of(100, 100)[:40],
    "tiff: loop of directories": b"MM\0*" + struct.pack(">I", 8) + b"\0\0" + struct.pack(">I", 8),
    "a list of scenarios": b"version 1\n",
}

ROBOT_MAPS = {
    "no image": yaml(image=None) + b"\n# image: none",
    "an image elsewhere": yaml(image="/etc/passwd"),
    "an image above": yaml(image="../secret.pgm"),
    "an image around": yaml(image="sub/../../secret.pgm"),
    "an image through a link": yaml(image="link.pgm"),
    "an image that is not there": yaml(image="none.pgm"),
    "an image with a zero byte": b'image: "a\\0b"\nresolution: 1\norigin: [0, 0, 0]',
    "an image that is the yaml itself": yaml(image="map.yaml"),
    "an image that is a folder": yaml(image="."),
    "an image that is a list": yaml(image="[1, 2]"),
    "no resolution": yaml(resolution=None),
    "resolution of 0": yaml(resolution=0),
    "a truth value that is none": yaml(negate="!!bool x"),
    "a time that is none": yaml(resolution="!!timestamp x"),
    "a text with a tag": yaml(image="!!str map.pgm"),
    "a date that is none": yaml(resolution="2001-99-99"),
    "negative resolution": yaml(resolution=-0.05),
    "resolution that is no number": yaml(resolution=".nan"),
    "endless resolution": yaml(resolution=".inf"),
    "resolution in words": yaml(resolution="fine"),
    "origin of one number": yaml(origin="[0]"),
    "origin in words": yaml(origin="[a, b, c]"),
    "endless origin": yaml(origin="[.inf, 0, 0]"),
    "thresholds the wrong way round": yaml(occupied_thresh=0.1, free_thresh=0.9),
    "strange negate": yaml(negate=7),
    "strange mode": yaml(mode="dream"),
    "python objects": yaml(negate="!!python/object/apply:os.system ['true']"),
    "aliases that multiply": b"a0: &a0 x\n"
    + ALIASES.encode()
    + b"\nimage: x\nresolution: *a8\norigin: [0, 0, 0]",
    "deep nesting": b"image: x\nresolution: " + b"[" * 20_000,
    "a tab": b"image: x\n\tresolution: 1",
    "noise": b"image: " + NOISE,
    "far too long": b"image: x\n#" + b"x" * 100_000,
}

SCENARIOS = {
    "nothing": b"version 1\n",
    "too few fields": b"version 1\n0\ta.map\t2\t2\t0\t0\n",
    "words": b"version 1\n0\ta.map\ttwo\t2\t0\t0\t1\t1\t1.4\n",
    "another size": b"version 1\n0\ta.map\t9\t9\t0\t0\t1\t1\t1.4\n",
    "off the map": b"version 1\n0\ta.map\t2\t2\t0\t0\t7\t1\t1.4\n",
    "negative": b"version 1\n0\ta.map\t2\t2\t-1\t0\t1\t1\t1.4\n",
    "endless": b"version 1\n0\ta.map\t2\t2\t0\t0\t1\t1\tinf\n",
    "a huge number": b"version 1\n0\ta.map\t2\t2\t0\t0\t" + b"9" * 5000 + b"\t1\t1.4\n",
    "no such map": b"version 1\n0\tb.map\t2\t2\t0\t0\t1\t1\t1.4\n",
    "a map elsewhere": b"version 1\n0\t/etc/passwd\t2\t2\t0\t0\t1\t1\t1.4\n",
    "two maps": b"version 1\n0\ta.map\t2\t2\t0\t0\t1\t1\t1.4\n0\tb.map\t2\t2\t0\t0\t1\t1\t1.4\n",
    "noise": b"version 1\n" + NOISE,
}


def refused(read, path) -> None:
    with pytest.raises(InputError) as refusal:
        read(path)
    sentence = str(refusal.value)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert len(sentence) < 500


@pytest.mark.parametrize("name", MAPS)
def test_a_broken_or_hostile_map_gets_one_sentence(name, tmp_path):
    if name.startswith("tiff"):
        pytest.importorskip("rasterio")
    (tmp_path / "file").write_bytes(MAPS[name])
    refused(read_map, tmp_path / "file")


@pytest.mark.parametrize("name", ROBOT_MAPS)
def test_a_hostile_yaml_gets_one_sentence(name, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "secret.pgm").write_bytes(PGM)
    (folder / "map.pgm").write_bytes(PGM)
    (folder / "link.pgm").symlink_to(tmp_path / "secret.pgm")
    (folder / "map.yaml").write_bytes(ROBOT_MAPS[name])
    refused(read_map, folder / "map.yaml")


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_broken_list_of_scenarios_gets_one_sentence(name, tmp_path):
    (tmp_path / "a.map").write_bytes(MOVINGAI)
    (tmp_path / "a.scen").write_bytes(SCENARIOS[name])
    refused(read_scenarios, tmp_path / "a.scen")


def test_what_is_no_file_gets_one_sentence(tmp_path):
    refused(read_map, tmp_path)
    refused(read_map, tmp_path / "none.png")
    refused(read_map, "/dev/zero")
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(LARGEST_FILE + 1)
    refused(read_map, tmp_path / "sparse")


@pytest.mark.parametrize("data", [png(), PGM, npy(np.zeros((9, 9))), MOVINGAI, tiff_of(4, 4)])
def test_every_file_cut_anywhere_is_read_or_refused(data, tmp_path):
    for end in range(0, len(data), max(1, len(data) // 40)):
        (tmp_path / "cut").write_bytes(data[:end])
        with contextlib.suppress(InputError):
            assert read_map(tmp_path / "cut").obstacles.size


MEASURE = """
import resource, sys
from vinlab.maps import read_map
from vinlab.types import InputError
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for path in sys.argv[1:]:
    try:
        read_map(path)
    except InputError:
        pass
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_the_largest_and_the_most_hostile_files_stay_below_a_gigabyte(tmp_path):
    """All in one process; ru_maxrss is its peak. The largest map there may be is among them."""
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > 0
    largest = Image.fromarray(np.zeros((4096, 4096, 4), np.uint8))
    largest.save(tmp_path / "largest.png", compress_level=1)
    for number, data in enumerate(MAPS.values()):
        (tmp_path / str(number)).write_bytes(data)
    paths = sorted(str(path) for path in tmp_path.iterdir())
    command = [sys.executable, "-c", MEASURE, *paths]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 700_000


def robot(folder, text: bytes) -> None:
    (folder / "map.pgm").write_bytes(PGM)
    (folder / "map.yaml").write_bytes(text)


MERGES = "a0: &a0 {x: 1}\n" + "\n".join(
    f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}" for n in range(1, 9)
)


@pytest.mark.parametrize(
    "text",
    [
        MERGES.encode() + b"\n" + yaml(),
        yaml(resolution="9" * 400),
        yaml(resolution="true"),
        yaml(origin=f"[{'9' * 400}, 0, 0]"),
        yaml(origin="[1e300, 0, 0]"),
        yaml(image='"\\ud800"'),
        yaml(image="map.pgm\nimage: other.pgm"),
        yaml(**{"<<": "{negate: 1}"}),
    ],
    ids=["merges", "digits", "a truth", "digits in the origin", "far away", "surrogate", "twice", "a merge"],
)
def test_a_yaml_with_aliases_merges_or_odd_numbers_is_refused_at_once(tmp_path, text):
    robot(tmp_path, text)
    refused(read_map, tmp_path / "map.yaml")


def test_a_pgm_with_line_ends_of_windows_is_not_shifted(tmp_path):
    shades = bytes([0, 255, 255, 255, 0, 255])
    (tmp_path / "a.pgm").write_bytes(b"P5\r\n3 2\r\n255\r\n" + shades)
    assert read_map(tmp_path / "a.pgm").obstacles.tolist() == [[1, 0, 0], [0, 1, 0]]
    # A carriage return may also end the header alone, and a line feed be the first pixel.
    (tmp_path / "b.pgm").write_bytes(b"P5\n3 2\n255\r" + b"\n" + shades[1:])
    assert read_map(tmp_path / "b.pgm").obstacles.tolist() == [[1, 0, 0], [0, 1, 0]]


@pytest.mark.parametrize("data", [png(), PGM, npy(np.zeros((9, 9))), MOVINGAI, tiff_of(4, 4)])
@pytest.mark.parametrize("index", [5, -1])
def test_the_number_of_a_map_is_refused_where_a_file_has_one(tmp_path, data, index):
    (tmp_path / "a").write_bytes(data)
    with pytest.raises(InputError, match=rf"expected the index 0 of its only map, got {index}"):
        read_map(tmp_path / "a", MapOptions(index=index))


@pytest.mark.parametrize("line", ["x", "0\ta.map", "0 1 2 3 4 5 6 7", "\t"])
def test_a_line_of_scenarios_with_too_few_fields_is_named(tmp_path, line):
    (tmp_path / "a.map").write_bytes(MOVINGAI)
    (tmp_path / "a.scen").write_text(f"version 1\n{line}\n")
    refused(read_scenarios, tmp_path / "a.scen")


@pytest.mark.parametrize("shape", [(), (3,), (2, 3, 4, 4)])
def test_neural_astar_files_with_other_axes_are_refused(tmp_path, shape):
    members = {f"arr_{n}.npy": npy(np.zeros(shape)) for n in (0, 1, 4, 5, 8, 9)}
    (tmp_path / "a.npz").write_bytes(archive(members))
    refused(read_map, tmp_path / "a.npz")


def test_a_changed_pixel_of_a_png_is_noticed(tmp_path):
    data = bytearray(png(9, 9, body=zlib.compress(bytes(90), level=0)))
    data[-40] ^= 255
    (tmp_path / "a.png").write_bytes(bytes(data))
    refused(read_map, tmp_path / "a.png")


@pytest.mark.parametrize(
    "numbers", [(np.nan, 0, 0, 0, 1, 0), (1, 0, np.inf, 0, 1, 0), (1e300, 0, 0, 0, 1e300, 0)]
)
def test_coordinates_that_are_none_are_refused(numbers):
    with pytest.raises(InputError, match="expected finite world coordinates"):
        Frame(*map(float, numbers))


def test_a_place_far_off_the_map_is_refused():
    with pytest.raises(InputError, match="expected world coordinates near the map"):
        Frame(a=1e-9).to_cell(1e300, 0.0)


def test_scenarios_are_not_looked_for_on_a_whole_disk(tmp_path, monkeypatch):
    monkeypatch.setattr("vinlab.maps.safe_files.MOST_FOLDERS", 2)
    (tmp_path / "a" / "b").mkdir(parents=True)
    with pytest.raises(InputError, match="at most 2 folders below it"):
        files_below(tmp_path, ".scen")


def test_a_text_of_many_empty_lines_is_refused_before_it_is_split(tmp_path):
    (tmp_path / "a.map").write_bytes(b"type octile\nheight 4\nwidth 4\nmap\n" + b"\n" * (30 * 2**20))
    refused(read_map, tmp_path / "a.map")


def test_a_jpeg_of_thousands_of_scans_is_refused_before_it_is_unpacked(tmp_path):
    content = io.BytesIO()
    Image.new("L", (64, 64)).save(content, "JPEG", progressive=True)
    data = content.getvalue()
    last = data.rindex(b"\xff\xda")
    (tmp_path / "few.jpg").write_bytes(data)
    (tmp_path / "many.jpg").write_bytes(data[:-2] + data[last:-2] * 500 + data[-2:])
    assert read_map(tmp_path / "few.jpg").obstacles.shape == (64, 64)
    for read in (read_map, read_picture):
        with pytest.raises(InputError, match="expected a JPEG image of at most 100 scans, got 5"):
            read(tmp_path / "many.jpg")


@pytest.mark.parametrize("data", [b"P2 2 1 100\n0 101\n", b"P5 2 1 100\n\x00\x65", b"P2 2 1 255\n0 99999\n"])
def test_a_pixel_brighter_than_white_is_refused(data, tmp_path):
    (tmp_path / "a.pgm").write_bytes(data)
    with pytest.raises(InputError, match="expected pixels of at most"):
        read_map(tmp_path / "a.pgm")


def test_a_movingai_map_with_more_rows_than_it_states_is_refused(tmp_path):
    text = "type octile\nheight 2\nwidth 3\nmap\n...\n.@.\n"
    (tmp_path / "a.map").write_text(text + "\n \n")
    assert read_map(tmp_path / "a.map").obstacles.tolist() == [[0, 0, 0], [0, 1, 0]]
    (tmp_path / "a.map").write_text(text + "@@@\n")
    with pytest.raises(InputError, match="expected 2 rows, got more lines after them"):
        read_map(tmp_path / "a.map")


def empty_chunk(kind: bytes) -> bytes:
    return struct.pack(">I", 0) + kind + struct.pack(">I", zlib.crc32(kind))


def test_a_png_of_too_many_parts_is_refused(tmp_path, monkeypatch):
    (tmp_path / "a").write_bytes(png()[:33] + empty_chunk(b"teSt") * 5 + png()[33:])
    monkeypatch.setattr(image, "MOST_CHUNKS", 8)
    assert read_map(tmp_path / "a").obstacles.shape == (3, 4)
    monkeypatch.setattr(image, "MOST_CHUNKS", 7)
    with pytest.raises(InputError, match="expected a complete PNG image"):
        read_map(tmp_path / "a")


@pytest.mark.parametrize("read", [read_map, read_picture])
@pytest.mark.parametrize("part", [b"\xff\xe1\x00\x02", b"\xff\xff\xfe\x00\x04ab"])
def test_a_jpeg_of_too_many_parts_is_refused(tmp_path, monkeypatch, part, read):
    file = io.BytesIO()
    Image.fromarray(np.full((8, 8), 255, np.uint8)).save(file, "JPEG")
    data = file.getvalue()
    (tmp_path / "a").write_bytes(data[:2] + part * 20 + data[2:])
    read(tmp_path / "a")
    monkeypatch.setattr(image, "MOST_SEGMENTS", 20)
    with pytest.raises(InputError, match="expected a JPEG image of at most 20 parts before its pixels"):
        read(tmp_path / "a")


@pytest.mark.parametrize("junk", [b"\xff" * 40, b"\0\0", b"\xff\0"])
def test_a_jpeg_with_anything_between_its_parts_is_refused(tmp_path, junk):
    file = io.BytesIO()
    Image.fromarray(np.full((8, 8), 255, np.uint8)).save(file, "JPEG")
    data = file.getvalue()
    (tmp_path / "a").write_bytes(data[:2] + b"\xff\xe1\x00\x02" + junk + data[2:])
    with pytest.raises(InputError, match="got one whose header is damaged"):
        read_map(tmp_path / "a")


def test_a_ros_map_may_begin_with_a_byte_order_mark(tmp_path):
    (tmp_path / "map.pgm").write_bytes(b"P5 2 2 255\n\xff\xff\0\xff")
    (tmp_path / "map.yaml").write_bytes(b"\xef\xbb\xbf" + yaml())
    assert read_map(tmp_path / "map.yaml").obstacles.tolist() == [[0, 0], [1, 0]]


@pytest.mark.parametrize(("channels", "own"), [(2, 3), (4, 3), (3, 2), (1, 2)])
def test_pictures_become_grey_or_colour_and_nothing_else(channels, own):
    values = np.random.default_rng(0).random((own, 3, 4)).astype(np.float32)
    with pytest.raises(InputError, match=f"a.png: expected {channels} channels?, got {own}"):
        with_channels(Picture(values, np.ones((3, 4), bool)), channels, "a.png")


@pytest.mark.parametrize(("channels", "own"), [(3, 1), (1, 3), (2, 2)])
def test_grey_becomes_colour_and_colour_grey(channels, own):
    values = np.full((own, 3, 4), 0.5, np.float32)
    found = with_channels(Picture(values, np.ones((3, 4), bool)), channels, "a.png")
    np.testing.assert_allclose(found.values, np.full((channels, 3, 4), 0.5), rtol=1e-6)


def test_the_line_of_a_broken_scenario_is_counted_from_the_first_of_the_file(tmp_path):
    sound = "0 a.map 2 2 0 0 1 1 1.41421356"
    (tmp_path / "a.scen").write_text(f"version 1\n{sound}\n\n{sound} 1 2 x\n")
    with pytest.raises(InputError, match=r"got 12 in line 4\."):
        read_scenarios(tmp_path / "a.scen")


@pytest.mark.parametrize("place", range(2, 9))
def test_a_word_in_place_of_any_number_of_a_scenario_is_refused(tmp_path, place):
    fields = ["0", "a.map", "2", "2", "0", "0", "1", "1", "1.41"]
    (tmp_path / "a.map").write_bytes(MOVINGAI)
    (tmp_path / "a.scen").write_text("version 1\n" + " ".join(fields))
    assert len(read_scenarios(tmp_path / "a.scen")) == 1
    fields[place] = "one"
    (tmp_path / "a.scen").write_text("version 1\n" + " ".join(fields))
    with pytest.raises(InputError, match="expected nine fields in each line"):
        read_scenarios(tmp_path / "a.scen")


def test_the_name_of_a_missing_image_with_a_line_break_stays_in_one_sentence(tmp_path):
    (tmp_path / "map.yaml").write_text('image: "text\\n"\nresolution: 0.1\norigin: [0, 0, 0]\n')
    with pytest.raises(InputError, match=r"expected the file 'text\\n' beside it, got none") as refusal:
        read_map(tmp_path / "map.yaml")
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("name", ["a\0b", "a/" * 500 + "b", "a" * 1001])
def test_the_name_of_an_image_has_at_most_1000_characters_and_no_zero(tmp_path, name):
    with pytest.raises(InputError, match="with a zero byte or of more than 1000 characters"):
        resolve_sibling(tmp_path / "map.yaml", name)
    with pytest.raises(InputError, match="beside it, got none"):
        resolve_sibling(tmp_path / "map.yaml", "a/" * 499 + "bb")
