"""Names that a person may mistype."""

import difflib
from collections.abc import Iterable


def suggestion(name: str, known: Iterable[str]) -> str:
    """A question that names the nearest known names, or what there is at all."""
    known = sorted(set(known))
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
    if near:
        return f"; did you mean {' or '.join(near)}?".removesuffix("?")
    return f"; known are {', '.join(known)}" if known else ""
