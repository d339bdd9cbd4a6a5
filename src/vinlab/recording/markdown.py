"""Tables in Markdown."""

from collections.abc import Sequence

from vinlab.types import InputError


def markdown_table(headers: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table with aligned columns; it ends with a newline."""
    for row in rows:
        if len(row) != len(headers):
            raise InputError(f"expected rows of {len(headers)} cells, got {len(row)}: {list(row)}.")
    cells = [[_cell(value) for value in row] for row in (headers, *rows)]
    widths = [max(3, *(len(text) for text in column)) for column in zip(*cells, strict=True)]
    lines = [_line([text.ljust(width) for text, width in zip(row, widths, strict=True)]) for row in cells]
    lines.insert(1, _line(["-" * width for width in widths]))
    return "\n".join(lines) + "\n"


def _cell(value: object) -> str:
    return str(value).replace("|", "\\|").replace("\n", " ")


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
