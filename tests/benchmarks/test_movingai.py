"""The benchmark of MovingAI files: what it measures, and its table."""

from movingai import measure, table
from vinlab.models import Model
from vinlab.networks.grid.fixed_point import FixedPointVinConfig


def test_each_file_is_a_row_of_the_table(tmp_path):
    (tmp_path / "a.map").write_text("type octile\nheight 1\nwidth 3\nmap\n...\n")
    (tmp_path / "a.scen").write_text(
        "version 1\n0\ta.map\t3\t1\t0\t0\t2\t0\t2\n0\ta.map\t3\t1\t0\t0\t1\t0\t2\n"
    )
    found = measure(tmp_path, Model("m", FixedPointVinConfig().build(), 0, {}))
    assert found["files"]["a"]["at_stated_length"] == 1
    assert found["model"] == "m"
    heading, _, row, total = table(found).splitlines()
    assert heading == "| file | cells | scenarios | reached | at the stated length | ms a plan |"
    assert row.startswith("| `a` | 1 × 3 | 2 | 2 | 1 | ")
    assert total.startswith("| all |  | 2 | 2 | 1 | ")
