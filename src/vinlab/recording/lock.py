"""A lock on a folder, so that two processes never write the same run."""

import os
from contextlib import suppress
from pathlib import Path

from vinlab.types import InputError

try:
    import fcntl
except ImportError:  # Windows: runs are not guarded there
    fcntl = None

LOCK_NAME = ".lock"


class FolderLock:
    """Held from creation until release, or until the process ends in whatever way.

    The lock belongs to the operating system, not to the file: a process killed in mid-run leaves the file
    behind and the next one takes it over, however process ids were reused.
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
        """Let others have the folder; a second call does nothing."""
        if self._descriptor is None:
            return
        with suppress(OSError):  # the lock itself goes with the descriptor
            self._path.unlink(missing_ok=True)
        os.close(self._descriptor)
        self._descriptor = None


def _acquire(path: Path) -> int:
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            if fcntl is not None:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_current(path, descriptor):
                os.truncate(descriptor, 0)
                os.write(descriptor, str(os.getpid()).encode())
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _is_current(path: Path, descriptor: int) -> bool:
    """Whether the file is still the one at its path; the last holder may have removed it in between."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _holder(path: Path) -> str:
    try:
        return path.read_text() or "unknown"
    except OSError:
        return "unknown"
