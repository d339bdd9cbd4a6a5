"""The sets of problems share no map and goal."""

import numpy as np

from vinlab.domains.gridworld.problem import content_keys
from vinlab.experiments.rl.data import RlData, make_sets, training_worlds
from vinlab.experiments.rl.settings import SETTINGS
from vinlab.types import GridProblems


def test_no_training_map_is_a_test_or_validation_map():
    data = make_sets(RlData(size=8, validation_problems=50, test_problems=100))
    assert set(content_keys(data.test)).isdisjoint(content_keys(data.validation))
    assert len(data.keys) > 140
    learning = SETTINGS["rl/8/vin"].configure("paper", "default").learning
    for seed in range(3):
        worlds = training_worlds(8, learning, data.keys)(5, np.random.default_rng(seed))
        drawn = GridProblems(worlds.obstacles, worlds.goals, worlds.goals)
        assert data.keys.isdisjoint(content_keys(drawn))


def test_the_hash_changes_with_the_test_problems():
    first, again, other = (make_sets(RlData(8, 5, count)).hash for count in (10, 10, 11))
    assert first == again != other
