"""Terrains are compared by a table and a figure, on terrain that nothing was fitted to."""

import numpy as np

from vinlab.domains.mars.terrain.synthetic import SyntheticConfig, synthetic_terrains
from vinlab.experiments.mars import terrain_report as module
from vinlab.experiments.mars.terrain_report import (
    comparison_figure,
    comparison_table,
    split_terrain,
    terrain_report,
    transfers,
)


def terrains(count, seed):
    config = SyntheticConfig(side=384, largest_crater=30.0)
    return list(synthetic_terrains(count, rng=np.random.default_rng(seed), config=config))


def test_the_same_kind_of_terrain_is_found_to_be_the_same_kind():
    first, second = terrains(4, 0), terrains(4, 1)
    for on_real, on_synthetic in transfers(first, second).values():
        assert 0.75 < on_real < 0.95
        assert 0.75 < on_synthetic < 0.95
    lines = comparison_table(first, second).splitlines()
    assert [cell.strip() for cell in lines[0].strip("|").split("|")] == ["measure", "real", "synthetic"]
    assert lines[2].startswith("| slope, percentile 10 ")
    assert len(comparison_figure(first, second).axes) == 9


def test_the_report_of_a_folder_draws_the_figure_and_gives_the_table(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "read_mars_folder", lambda folder: terrains(4, 0))
    monkeypatch.setattr(module, "synthetic_terrains", lambda count, rng: terrains(count, 1))
    table = terrain_report(tmp_path, tmp_path / "terrains.png", terrains=4)
    assert "AUC of a classifier fitted to real terrain" in table
    assert (tmp_path / "terrains.png").stat().st_size > 1000


def test_training_and_test_terrain_are_disjoint():
    train, test = split_terrain(terrains(4, 0))
    assert not {terrain.name for terrain in train} & {terrain.name for terrain in test}
