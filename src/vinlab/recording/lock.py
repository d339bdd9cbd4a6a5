"""A lock on a folder, so that two processes never write the same run."""

import os
from contextlib import suppress
from pathlib import Path

from vinlab.types import InputError

try:
    import fcntl
except ImportError:  # Windows: runs are not locked there
    fcntl = None

LOCK_NAME = ".lock"

NO_LINK = getattr(os, "O_NOFOLLOW", 0)
"""A folder from elsewhere may hold a link in place of the file, and what it leads to would be overwritten."""


class FolderLock:
    """Held from creation until release or the end of the process.

    The operating system holds the lock, not the file: a killed process leaves the file, and the next process takes
    it over, whatever process id it names.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / LOCK_NAME
        try:
            self._descriptor: int | None = _acquire(self._path)
        except BlockingIOError:
            raise InputError(
                f"{folder} is in use: process {_holder(self._path)} is writing this run."
            ) from None
        except OSError as error:
            raise InputError(f"Cannot write {self._path}: {error.strerror}.") from error

    def release(self) -> None:
        """Release the folder; a second call does nothing."""
        if self._descriptor is None:
            return
        with suppress(OSError):  # closing the descriptor releases the lock
            self._path.unlink(missing_ok=True)
        os.close(self._descriptor)
        self._descriptor = None


def _acquire(path: Path) -> int:
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | NO_LINK, 0o644)
        try:
            if fcntl is not None:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_current(path, descriptor):
                if os.fstat(descriptor).st_nlink > 1:
                    raise InputError(f"{path}: expected a file of its own, got a link to another.")
                os.truncate(descriptor, 0)
                os.write(descriptor, str(os.getpid()).encode())
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _is_current(path: Path, descriptor: int) -> bool:
    """Whether the path still names this file; the last holder may have removed it in between."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _holder(path: Path) -> str:
    try:
        text = path.read_bytes()
    except OSError:
        return "unknown"
    return text.decode() if text.isdigit() and len(text) < 20 else "unknown"
