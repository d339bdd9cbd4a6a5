"""Jupyter notebooks from pages of the documentation, so that nothing is written twice.

Usage: python docs/notebooks.py PAGE.md … [--out FOLDER] [--run]

The text of a page becomes Markdown cells, its Python blocks become code cells, and its other blocks stay text. With
``--run`` each notebook is executed in a folder of its own and saved with its output; it needs the extra ``notebooks``.
"""

import argparse
import json
import re
import tempfile
from pathlib import Path
from typing import Any

PYTHON = re.compile(r"^```python[^\n]*\n(.*?)^```$\n?", re.MULTILINE | re.DOTALL)
SECONDS = 300
"""The most that one cell may take."""


def notebook_of(text: str) -> dict[str, Any]:
    """The notebook of a page, in the format of Jupyter."""
    cells, last = [], 0
    for block in PYTHON.finditer(text):
        cells += [_markdown(text[last : block.start()]), _code(block[1])]
        last = block.end()
    cells = [cell for cell in [*cells, _markdown(text[last:])] if cell["source"]]
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": cells}


def _markdown(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text.strip()}


def _code(text: str) -> dict[str, Any]:
    empty: dict[str, Any] = {"execution_count": None, "outputs": []}
    return {"cell_type": "code", "metadata": {}, "source": text.strip(), **empty}


def run_notebook(notebook: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The notebook with its output, executed in a folder; the first cell that fails raises its error."""
    import nbformat
    from nbclient import NotebookClient

    node: Any = nbformat.from_dict(notebook)
    NotebookClient(node, timeout=SECONDS, resources={"metadata": {"path": str(folder)}}).execute()
    return json.loads(nbformat.writes(node))


def main() -> None:
    """Write the notebooks of some pages."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, default=Path("notebooks"))
    parser.add_argument("--run", action="store_true")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for page in options.pages:
        notebook = notebook_of(page.read_text(encoding="utf-8"))
        if options.run:
            with tempfile.TemporaryDirectory() as folder:
                notebook = run_notebook(notebook, Path(folder))
        path = options.out / page.with_suffix(".ipynb").name
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(f"Written to {path}.")


if __name__ == "__main__":
    main()
