"""Pages of the documentation as Jupyter notebooks: they hold the page's own code, and they run."""

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
PAGES = [page for page in ("teach-ground.md", "slope-to-cost.md") if (DOCS / page).exists()]


def tool():
    spec = importlib.util.spec_from_file_location("notebooks", DOCS / "notebooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_text_and_code_alternate_as_on_the_page():
    page = "# A\n\ntext\n\n```python\na = 1\n```\n\n```sh\nls\n```\n\n```python\nb = a\n```\n"
    cells = tool().notebook_of(page)["cells"]
    assert [cell["cell_type"] for cell in cells] == ["markdown", "code", "markdown", "code"]
    assert [cells[1]["source"], cells[3]["source"]] == ["a = 1", "b = a"]
    assert "ls" in cells[2]["source"]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_a_notebook_runs_from_its_first_cell_to_its_last(page, tmp_path):
    pytest.importorskip("nbclient", reason="notebooks are an extra")
    notebook = tool().notebook_of((DOCS / page).read_text(encoding="utf-8"))
    done = tool().run_notebook(notebook, tmp_path)
    code = [cell for cell in done["cells"] if cell["cell_type"] == "code"]
    assert code
    assert all(cell["execution_count"] for cell in code)
