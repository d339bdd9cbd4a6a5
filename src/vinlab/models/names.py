"""Names that a person may mistype."""

import difflib
from collections.abc import Iterable

MOST_NAMED = 20


def suggestion(name: str, known: Iterable[str]) -> str:
    """The end of a sentence: a question that names the nearest known names, or what there is at all."""
    known = sorted(set(known))
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
    if near:
        return f"; did you mean {' or '.join(near)}?"
    more = f" and {len(known) - MOST_NAMED} more" if len(known) > MOST_NAMED else ""
    return f"; known are {', '.join(known[:MOST_NAMED])}{more}." if known else "."
