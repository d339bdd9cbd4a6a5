"""A label names the file itself or one beside it; no other file of the machine is read."""

import time

import numpy as np
import pytest

pytest.importorskip("rasterio")

from vinlab.domains.mars.rasters.image import read_terrain_image
from vinlab.domains.mars.rasters.labels import LARGEST_LABEL, require_local_label
from vinlab.types import InputError

PIXELS = (np.arange(1024) % 200 + 1).astype(np.uint8).tobytes()  # 0 and 255 mark missing data in ISIS


def pds(pointer: str) -> bytes:
    text = f"""PDS_VERSION_ID = PDS3
RECORD_TYPE = FIXED_LENGTH
RECORD_BYTES = 1024
FILE_RECORDS = 2
LABEL_RECORDS = 1
^IMAGE = {pointer}
OBJECT = IMAGE
  LINES = 32
  LINE_SAMPLES = 32
  SAMPLE_TYPE = MSB_UNSIGNED_INTEGER
  SAMPLE_BITS = 8
  BANDS = 1
END_OBJECT = IMAGE
END
"""
    return text.encode().ljust(1024) + PIXELS


def isis(core: str) -> bytes:
    text = f"""Object = IsisCube
  Object = Core
    {core}
    Format = BandSequential
    Group = Dimensions
      Samples = 32
      Lines = 32
      Bands = 1
    End_Group
    Group = Pixels
      Type = UnsignedByte
      ByteOrder = Lsb
      Base = 0.0
      Multiplier = 1.0
    End_Group
  End_Object
End_Object
End
"""
    return text.encode().ljust(1024) + PIXELS


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "secret.bin").write_bytes(b"\x2a" * 4096)
    folder = tmp_path / "images"
    folder.mkdir()
    (folder / "link.bin").symlink_to(tmp_path / "secret.bin")
    (folder / "beside.bin").write_bytes(PIXELS)
    return folder


def read(folder, data: bytes):
    (folder / "a.img").write_bytes(data)
    return read_terrain_image(folder / "a.img").image


@pytest.mark.parametrize(
    "data",
    [pds("2"), pds('("beside.bin",1)'), isis("StartByte = 1025"), isis("^Core = beside.bin")],
    ids=["PDS itself", "PDS beside", "ISIS itself", "ISIS beside"],
)
def test_the_file_itself_and_one_beside_it_are_read(folder, data):
    assert read(folder, data).tobytes() == PIXELS


ELSEWHERE = [
    '("../secret.bin",1)',
    '"../secret.bin"',
    "../secret.bin",
    '("{top}/secret.bin",1)',
    '("sub/../../secret.bin",1)',
    '("link.bin",1)',
    '/* a comment */ ("../secret.bin",1)',
    '(\n   "../secret.bin",\n   1)',
    '"/vsisubfile/0,../secret.bin"',
    '"/*"\n^IMAGE = ("../secret.bin",1)\nA = "*/"',
]


@pytest.mark.parametrize("pointer", ELSEWHERE)
def test_another_file_of_the_machine_is_not(folder, tmp_path, pointer):
    with pytest.raises(InputError, match=r"a\.img"):
        read(folder, pds(pointer.replace("{top}", str(tmp_path))))


@pytest.mark.parametrize(
    "core",
    ["^Core = ../secret.bin", '^Core = "../secret.bin"', "^Core = link.bin", "^Core = {top}/secret.bin"],
)
def test_the_same_of_isis(folder, tmp_path, core):
    with pytest.raises(InputError, match=r"a\.img"):
        read(folder, isis(core.replace("{top}", str(tmp_path))))


@pytest.mark.parametrize("part", [b"/* ", b"\n", b"^A = /*\n", b"^ "])
def test_a_label_of_very_many_parts_is_searched_at_once(tmp_path, part):
    (tmp_path / "a.img").write_bytes(
        b"PDS_VERSION_ID = PDS3\n^IMAGE = " + part * (LARGEST_LABEL // len(part))
    )
    began = time.process_time()
    require_local_label(tmp_path / "a.img")
    assert time.process_time() - began < 5
