"""Labels of PDS and ISIS, which may name the file of the pixels: only the file itself or one beside it is read."""

import re
from collections.abc import Iterable
from pathlib import Path

from vinlab.types import InputError

LABELLED = ("PDS", "ISIS3")
"""The drivers of formats with a label."""
LARGEST_LABEL = 2**20
"""Bytes; pointers further down are not searched for, but the files that were opened are checked too."""

# A pointer such as ^IMAGE = ("NAME", 3), or the name of a packed file; the value ends where the next field begins.
_POINTER = re.compile(
    rb"(?:\^\s*\w+|\bFILE_NAME|\bFILENAME)\s*=\s*(.*?)(?=\n[ \t\r]*(?:[\w^:]+\s*=|END|End)|\Z)", re.DOTALL
)
_END = re.compile(rb"\n[ \t\r]*END\s*[\r\n]")
_OUTSIDE = re.compile(rb"[/\\:]|\.\.")


def require_local_label(path: Path) -> None:
    """Refuse a label that names a file in another folder, before anything follows it."""
    with path.open("rb") as file:
        text = file.read(LARGEST_LABEL)
    end = _END.search(text)
    text = text[: end.start() + 1] if end else text
    # With its comments too: what looks like one may stand in quotes.
    for label in (text, _without_comments(text)):
        for pointer in _POINTER.finditer(label):
            if _OUTSIDE.search(_without_comments(pointer[1])[:1000]):
                raise _elsewhere(path, pointer[1][:40].decode("ascii", "replace"))


def _without_comments(label: bytes) -> bytes:
    first, *others = label.split(b"/*")
    return b" ".join([first, *(part.partition(b"*/")[2] for part in others)])


def require_beside(path: Path, files: Iterable[str]) -> None:
    """Refuse a raster whose files, as GDAL opened them, do not all lie in its folder."""
    folder = path.parent.resolve()
    for name in files:
        if name == str(path):
            continue
        if str(name).startswith("/vsi") or Path(name).resolve().parent != folder:
            raise _elsewhere(path, str(name)[:80])


def _elsewhere(path: Path, name: str) -> InputError:
    name = " ".join(name.split())
    return InputError(f"{path}: expected a label that names this file or one beside it, got {name}.")
