"""The settings: plain data that differ in the network alone, with the paper's sizes."""

import dataclasses

import pytest

from vinlab.experiments.base import BUDGETS, RECIPES
from vinlab.experiments.control.settings import SETTINGS, ControlTraining, configure
from vinlab.experiments.paper import paper_numbers
from vinlab.recording.serialization import dataclass_from_plain, to_plain


@pytest.mark.parametrize("id", SETTINGS)
@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("budget", BUDGETS)
def test_every_configuration_can_be_rebuilt_from_plain_data(id, recipe, budget):
    config = SETTINGS[id].configure(budget, recipe)
    assert dataclass_from_plain(ControlTraining, to_plain(config)) == config


def test_both_networks_have_the_same_domains_teachers_and_fit():
    for recipe in RECIPES:
        vin, cnn = (configure(id, "paper", recipe) for id in ("control/vin", "control/cnn"))
        assert dataclasses.replace(vin, network=cnn.network) == cnn


def test_the_paper_recipe_has_the_paper_sizes():
    config = configure("control/vin", "paper", "paper")
    assert config.data.training_domains == 200
    assert config.data.test_domains == 40 + 200
    assert config.teacher.search.iterations == 10
    assert set(paper_numbers("control")) == set(SETTINGS)
