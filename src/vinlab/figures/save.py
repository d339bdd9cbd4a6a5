"""Figures on disk: written atomically, with the same bytes for the same figure."""

import io
from pathlib import Path
from typing import Any, Final

import matplotlib
from matplotlib.figure import Figure

from vinlab.figures.style import DOTS_PER_INCH
from vinlab.recording.files import write_bytes
from vinlab.types import InputError

# Without the time of writing, which would make every file differ.
_METADATA: Final[dict[str, dict[str, Any]]] = {
    ".png": {"Software": None},
    ".pdf": {"CreationDate": None},
    ".svg": {"Date": None},
}


def save_figure(figure: Figure, path: str | Path) -> Path:
    """Write the figure and return its path; the suffix decides the format."""
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in _METADATA:
        known = ", ".join(_METADATA)
        raise InputError(f"{path}: expected a name that ends in {known}, got {suffix!r}.")
    buffer = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "vinlab", "pdf.fonttype": 42}):
        figure.savefig(buffer, format=suffix[1:], dpi=DOTS_PER_INCH, metadata=_METADATA[suffix])
    write_bytes(path, buffer.getvalue())
    return path
