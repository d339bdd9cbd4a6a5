import pytest

from vinlab.experiments.tables import markdown_table
from vinlab.types import InputError


def test_a_table_lines_up_and_keeps_bars_inside_cells() -> None:
    assert markdown_table(["network", "a|b"], [["vin", 0.5], ["cnn", "x\ny"]]) == (
        "| network | a\\|b |\n"
        "| ------- | ---- |\n"
        "| vin     | 0.5  |\n"
        "| cnn     | x y  |\n"
    )  # fmt: skip


def test_a_table_without_rows_has_its_headers() -> None:
    assert markdown_table(["a"], []) == "| a   |\n| --- |\n"


def test_a_row_of_another_length_is_refused() -> None:
    with pytest.raises(InputError, match="expected rows of 2 cells, got 1"):
        markdown_table(["a", "b"], [["c"]])
