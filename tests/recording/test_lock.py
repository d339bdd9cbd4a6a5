import os
import subprocess
import sys
from pathlib import Path

import pytest

from vinlab.recording.lock import LOCK_NAME, FolderLock
from vinlab.types import InputError

HOLD_FOREVER = """
import fcntl, os, sys, time
descriptor = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
fcntl.flock(descriptor, fcntl.LOCK_EX)
os.write(descriptor, str(os.getpid()).encode())
print("held", flush=True)
time.sleep(60)
"""


def test_a_second_writer_is_told_who_the_first_is(tmp_path: Path) -> None:
    first = FolderLock(tmp_path)
    with pytest.raises(InputError, match=f"in use: process {os.getpid()} is writing"):
        FolderLock(tmp_path)
    first.release()
    first.release()
    assert not (tmp_path / LOCK_NAME).exists()
    FolderLock(tmp_path).release()


def test_the_lock_of_a_killed_process_is_taken_over(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD_FOREVER, str(tmp_path / LOCK_NAME)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(InputError, match=f"process {other.pid} "):
            FolderLock(tmp_path)
        other.kill()
    assert (tmp_path / LOCK_NAME).exists()
    FolderLock(tmp_path).release()


def test_a_stale_file_with_the_number_of_a_living_process_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / LOCK_NAME).write_text(str(os.getppid()))
    lock = FolderLock(tmp_path)
    assert (tmp_path / LOCK_NAME).read_text(encoding="utf-8") == str(os.getpid())
    lock.release()


def test_a_lock_on_a_file_that_was_removed_meanwhile_is_not_held(tmp_path: Path, monkeypatch) -> None:
    path, opened, real = tmp_path / LOCK_NAME, [], os.open

    def open_late(*arguments, **options):
        descriptor = real(*arguments, **options)
        if not opened:
            path.unlink()  # the last holder has released the folder between our opening and our locking
        opened.append(descriptor)
        return descriptor

    monkeypatch.setattr(os, "open", open_late)
    lock = FolderLock(tmp_path)
    assert len(opened) == 2
    assert path.read_text(encoding="utf-8") == str(os.getpid())
    with pytest.raises(InputError, match="in use"):
        FolderLock(tmp_path)
    lock.release()


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_lock_that_is_a_link_is_refused_and_what_it_leads_to_stays(tmp_path: Path, link) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "other").write_text("precious")
    link(tmp_path / "other", tmp_path / "run" / LOCK_NAME)
    with pytest.raises(InputError, match=r"\.lock: "):
        FolderLock(tmp_path / "run")
    assert (tmp_path / "other").read_text(encoding="utf-8") == "precious"


@pytest.mark.parametrize("noise", [b"\xff\xfe", b"9" * 50, b"\x1b[2J"])
def test_what_is_no_number_of_a_process_is_not_printed(tmp_path: Path, noise: bytes) -> None:
    first = FolderLock(tmp_path)
    (tmp_path / LOCK_NAME).write_bytes(noise)
    with pytest.raises(InputError, match="in use: process unknown is writing"):
        FolderLock(tmp_path)
    first.release()
