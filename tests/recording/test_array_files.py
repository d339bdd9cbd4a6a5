"""Arrays from unknown sources: no more is unpacked than was checked."""

import io
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest

from vinlab.recording import array_files
from vinlab.recording.array_files import members_of, open_archive, read_array, read_member
from vinlab.types import InputError


def npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def header(shape: str) -> bytes:
    text = f"{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}".encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text


def archive(members: list[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as packed:
        for name, data in members:
            packed.writestr(name, data)
    return file.getvalue()


def read(data: bytes) -> np.ndarray:
    with open_archive(data, "file") as opened:
        return read_member(opened, "a", "file")


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_plain_arrays_are_read_as_numpy_reads_them(order: str, method: int) -> None:
    array = np.asarray(np.arange(6.0).reshape(2, 3), order=order)
    data = archive([("a.npy", npy(array)), ("note.txt", b"")], method)
    np.testing.assert_array_equal(read(data), array)
    with open_archive(data, "file") as opened:
        assert members_of(opened) == {"a"}


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_packings_are_refused_before_they_are_unpacked(method: int) -> None:
    data = archive([("a.npy", header("(30000, 30000)") + bytes(50 * 2**20))], method)
    tracemalloc.start()
    with pytest.raises(InputError, match="expected arrays stored or deflated"):
        read(data)
    assert tracemalloc.get_traced_memory()[1] < 2**20
    tracemalloc.stop()


def test_an_endless_header_is_not_unpacked() -> None:
    data = archive([("a.npy", b"\x93NUMPY\x02\x00" + struct.pack("<I", 2**31) + bytes(50 * 2**20))])
    tracemalloc.start()
    with pytest.raises(InputError, match="got a damaged one"):
        read(data)
    assert tracemalloc.get_traced_memory()[1] < 2**20
    tracemalloc.stop()


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_an_array_that_stands_twice_is_refused() -> None:
    with pytest.raises(InputError, match="expected each array once"):
        read(archive([("a.npy", npy(np.zeros(2))), ("a.npy", npy(np.ones(2)))]))


@pytest.mark.parametrize("shape", ["(True, True)", "(2.0, 2)", "(-1, 2)", "(0,)", "(2**40, 2**40)"])
def test_odd_shapes_are_refused(shape: str) -> None:
    with pytest.raises(InputError, match="file: expected"):
        read_array(io.BytesIO(header(shape) + bytes(100)), "file")


def test_more_bytes_than_the_shape_are_refused() -> None:
    with pytest.raises(InputError, match="expected 4 bytes, got more"):
        read_array(io.BytesIO(header("(2, 2)") + bytes(5)), "file")


def test_a_flipped_bit_in_an_archive_is_noticed() -> None:
    data = bytearray(archive([("a.npy", npy(np.zeros(1000, np.uint8)))], zipfile.ZIP_STORED))
    data[600] ^= 1
    with pytest.raises(InputError, match="got a damaged one"):
        read(bytes(data))


def test_an_array_may_have_the_most_bytes_and_no_more() -> None:
    array = np.arange(6, dtype=np.int32).reshape(2, 3)
    assert read_array(io.BytesIO(npy(array)), "file", most=24).tolist() == array.tolist()
    with pytest.raises(InputError, match=r"at least one cell and at most 2.*e-05 MB, got the shape \(2, 3\)"):
        read_array(io.BytesIO(npy(array)), "file", most=23)
    assert read_array(io.BytesIO(npy(np.array(7))), "file").shape == ()


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_an_array_is_unpacked_part_by_part(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(array_files, "CHUNK", size)
    array = np.arange(7, dtype=np.uint8)
    assert read_array(io.BytesIO(npy(array)), "file").tolist() == array.tolist()
    with pytest.raises(InputError, match="expected 7 bytes, got 6; the file is cut off"):
        read_array(io.BytesIO(npy(array)[:-1]), "file")


def test_only_the_kinds_of_numbers_that_are_asked_for_are_read() -> None:
    for array in (np.zeros(2, complex), np.array(["a"]), np.zeros(2, "M8[s]")):
        with pytest.raises(InputError, match="file: expected plain arrays of numbers, got"):
            read_array(io.BytesIO(npy(array)), "file")
    assert read_array(io.BytesIO(npy(np.array(["ab"]))), "file", kinds="U").tolist() == ["ab"]
    with pytest.raises(InputError, match="expected plain arrays of numbers, got float64"):
        read_array(io.BytesIO(npy(np.zeros(2))), "file", kinds="iu")


def test_a_header_of_the_second_version_is_read_up_to_its_largest_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = io.BytesIO()
    np.lib.format.write_array(file, np.arange(4.0), version=(2, 0))
    length = struct.unpack("<I", file.getvalue()[8:12])[0]
    monkeypatch.setattr(array_files, "LARGEST_HEADER", length)
    assert read_array(io.BytesIO(file.getvalue()), "file").tolist() == [0, 1, 2, 3]
    monkeypatch.setattr(array_files, "LARGEST_HEADER", length - 1)
    with pytest.raises(InputError, match="got a damaged one"):
        read_array(io.BytesIO(file.getvalue()), "file")


def test_an_archive_has_a_bounded_number_of_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    data = archive([(f"{name}.npy", npy(np.zeros(2))) for name in "abc"])
    monkeypatch.setattr(array_files, "MAX_MEMBERS", 3)
    assert read(data).tolist() == [0, 0]
    monkeypatch.setattr(array_files, "MAX_MEMBERS", 2)
    with pytest.raises(InputError, match="file: expected at most 2 arrays, got 3"):
        read(data)
