"""Problem files come back as they were written; everything else is refused in a sentence."""

import io
import os
import zipfile

import numpy as np
import pytest

from vinlab.domains.gridworld.files import read_problems, write_problems
from vinlab.domains.gridworld.problem import GridworldConfig, content_hash, sample_problems
from vinlab.types import InputError


@pytest.fixture
def problems():
    return sample_problems(GridworldConfig((6, 9)), 5, rng=np.random.default_rng(0))


@pytest.fixture
def arrays(problems):
    return {"obstacles": problems.obstacles, "starts": problems.starts, "goals": problems.goals}


def test_problems_come_back_as_they_were_written(tmp_path, problems):
    write_problems(tmp_path / "problems.npz", problems)
    assert content_hash(read_problems(tmp_path / "problems.npz")) == content_hash(problems)
    assert os.listdir(tmp_path) == ["problems.npz"]


def test_same_problems_same_bytes(tmp_path, problems):
    for name in ("a.npz", "b.npz"):
        write_problems(tmp_path / name, problems)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_images_and_other_number_types_are_welcome(tmp_path, arrays):
    arrays |= {"obstacles": arrays["obstacles"].astype(float), "goals": arrays["goals"].astype(np.int8)}
    np.savez(tmp_path / "file.npz", **arrays, images=np.zeros((5, 3, 48, 72)))
    np.testing.assert_array_equal(read_problems(tmp_path / "file.npz").goals, arrays["goals"])


def test_map_of_one_row_is_a_map(tmp_path):
    np.savez(tmp_path / "row.npz", obstacles=np.zeros((1, 1, 4), int), starts=[[0, 0]], goals=[[0, 3]])
    assert read_problems(tmp_path / "row.npz").obstacles.shape == (1, 1, 4)


def changed(array, place, value):
    array = array.astype(type(value)) if isinstance(value, float) else array.copy()
    array[place] = value
    return array


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda a: {"goals": None}, "without goals"),
        (lambda a: {"obstacles": None, "starts": None}, "without obstacles, starts"),
        (lambda a: {"obstacles": a["obstacles"][0]}, r"shape \(N, H, W\)"),
        (lambda a: {"obstacles": a["obstacles"][:0]}, "at least one cell"),
        (lambda a: {"obstacles": a["obstacles"] * 3}, "only 0 .* got 3"),
        (lambda a: {"obstacles": changed(a["obstacles"], (1, 2, 3), np.nan)}, "got nan"),
        (lambda a: {"obstacles": np.full((5, 6, 9), "x")}, "expected plain arrays of numbers"),
        (lambda a: {"starts": a["starts"][:3]}, r"shape \(5, 2\)"),
        (lambda a: {"starts": a["starts"] + 0.5}, "whole numbers"),
        (lambda a: {"starts": changed(a["starts"], (0, 0), np.nan)}, "whole numbers"),
        (lambda a: {"goals": changed(a["goals"], 2, -1)}, "in problem 2"),
        (lambda a: {"goals": changed(a["goals"], 3, 10**12)}, "in problem 3"),
        (lambda a: {"starts": changed(a["starts"], 4, 0)}, "blocked or outside"),
        (lambda a: {"obstacles": a["obstacles"].astype(object)}, "plain arrays of numbers"),
    ],
)
def test_wrong_arrays_are_refused(tmp_path, arrays, change, sentence):
    merged = arrays | change(arrays)
    np.savez(tmp_path / "file.npz", **{name: array for name, array in merged.items() if array is not None})
    with pytest.raises(InputError, match=sentence):
        read_problems(tmp_path / "file.npz")


def test_damaged_and_foreign_files_are_refused(tmp_path, problems):
    write_problems(tmp_path / "whole.npz", problems)
    whole = (tmp_path / "whole.npz").read_bytes()
    single = io.BytesIO()
    np.save(single, problems.obstacles)
    flipped = bytearray(whole)
    flipped[len(whole) // 4] ^= 0xFF
    contents = {"half": whole[: len(whole) // 2], "empty": b"", "text": b"a map", "npy": single.getvalue()}
    for name, content in (contents | {"flipped": bytes(flipped)}).items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match=str(tmp_path / name)):
            read_problems(tmp_path / name)


def test_zip_of_something_else_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "foreign.zip", "w") as archive:
        for name in ("obstacles.npy", "starts.npy", "goals.npy"):
            archive.writestr(name, b"not an array")
    with pytest.raises(InputError, match="expected a complete file of plain arrays"):
        read_problems(tmp_path / "foreign.zip")


def test_array_that_claims_to_be_huge_is_refused(tmp_path, arrays):
    header = io.BytesIO()
    claimed = {"descr": "|u1", "fortran_order": False, "shape": (10**9, 10**4, 10**4)}
    np.lib.format.write_array_header_1_0(header, claimed)
    np.savez(tmp_path / "file.npz", starts=arrays["starts"], goals=arrays["goals"])
    with zipfile.ZipFile(tmp_path / "file.npz", "a") as archive:
        archive.writestr("obstacles.npy", header.getvalue())
    with pytest.raises(InputError, match=r"file\.npz"):
        read_problems(tmp_path / "file.npz")


def test_missing_files_and_folders_are_named(tmp_path, problems):
    with pytest.raises(InputError, match="there is no such file"):
        read_problems(tmp_path / "nothing.npz")
    with pytest.raises(InputError, match="got a folder"):
        read_problems(tmp_path)
    with pytest.raises(InputError, match=r"cannot be written to .*: No such file"):
        write_problems(tmp_path / "no" / "folder.npz", problems)


def test_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, problems, monkeypatch):
    path = tmp_path / "problems.npz"
    write_problems(path, problems)
    before = path.read_bytes()

    def full_disk(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez_compressed", full_disk)
    with pytest.raises(InputError, match="No space left"):
        write_problems(path, problems[:1])
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["problems.npz"]
