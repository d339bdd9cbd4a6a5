"""The settings of the experiment, for every budget and recipe."""

import pytest

from vinlab.experiments.base import BUDGETS, RECIPES
from vinlab.experiments.rl.settings import SETTINGS
from vinlab.recording.serialization import to_plain

IDS = ["rl/8/vin", "rl/8/vin-no-curriculum", "rl/8/cnn", "rl/16/vin", "rl/16/cnn"]


def test_the_ids_are_those_of_the_paper_and_one_without_curriculum():
    assert list(SETTINGS) == IDS
    assert [id for id, setting in SETTINGS.items() if setting.control] == ["rl/8/vin-no-curriculum"]


@pytest.mark.parametrize("id", IDS)
@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("recipe", RECIPES)
def test_every_configuration_is_plain_data(id, budget, recipe):
    plain = to_plain(SETTINGS[id].configure(budget, recipe))
    assert plain["data"]["size"] == int(id.split("/")[1])
    assert plain["network"]["kind"] == ("pooled-cnn" if "cnn" in id else "value-vin")


def test_the_cnn_gets_at_least_the_papers_ratio_of_iterations():
    for size, times in ((8, 1), (16, 2)):
        vin, cnn = (SETTINGS[f"rl/{size}/{kind}"].configure("paper", "paper") for kind in ("vin", "cnn"))
        assert cnn.learning.iterations >= times * vin.learning.iterations


def test_the_planner_has_the_papers_k():
    assert SETTINGS["rl/8/vin"].configure("paper", "paper").network.iterations == 10
    assert SETTINGS["rl/16/vin"].configure("paper", "paper").network.iterations == 20
