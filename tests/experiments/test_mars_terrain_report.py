"""Grounds are compared by a table and a picture, and judged on ground that nothing was fitted to."""

import numpy as np

from vinlab.domains.mars.terrain.synthetic import SyntheticConfig, synthetic_terrains
from vinlab.experiments.mars.terrain_report import (
    comparison_figure,
    comparison_table,
    split_ground,
    transfers,
)


def grounds(count, seed):
    config = SyntheticConfig(side=384, largest_crater=30.0)
    return synthetic_terrains(count, rng=np.random.default_rng(seed), config=config)


def test_the_same_kind_of_ground_is_found_to_be_the_same_kind():
    first, second = grounds(4, 0), grounds(4, 1)
    for one, other in transfers(first, second).values():
        assert 0.75 < one < 0.95
        assert 0.75 < other < 0.95
    table = comparison_table(first, second)
    assert table.startswith("| measure | real | synthetic |\n|---|---|---|\n| slope, percentile 10 |")
    assert len(comparison_figure(first, second).axes) == 9


def test_training_and_test_ground_are_apart():
    terrains = grounds(4, 0)
    train, test = split_ground(terrains)
    assert not {terrain.name for terrain in train} & {terrain.name for terrain in test}
