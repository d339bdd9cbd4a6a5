"""The table: both teachers, the controllers to compare with, and numbers from the runs and the paper's file."""

from dataclasses import replace

from helpers.control_runs import train_smoke
from vinlab.experiments.control.table import table


def test_the_table_names_both_teachers_and_the_known_controllers(searched, tmp_path):
    text = table([searched, train_smoke(tmp_path / "own")])
    for words in ("control/vin", "iLQG (the paper's)", "route (our own)", "straight", "0.35"):
        assert words in text
    assert "| controller " in text
    assert "| distance / side " in text


def test_the_legend_has_the_numbers_of_the_runs(searched):
    text = table([searched])
    assert "after 100 time steps" in text
    assert "*Test*: 8 unseen domains" in text
    assert "240 unseen" not in text


def test_the_ratio_of_the_paper_is_computed_from_its_numbers(searched):
    full = replace(searched, manifest=replace(searched.manifest, budget="paper"))
    other = replace(full, manifest=replace(full.manifest, id="control/cnn"))
    assert "teacher: 1.00. In the paper: 1.69." in table([full, other])
    assert "In the paper" not in table([full])
