from pathlib import Path

import pytest

from vinlab.experiments.base import BUDGETS, RECIPES, TrainingRequest
from vinlab.experiments.gridworld import EXPERIMENT as GRIDWORLD
from vinlab.experiments.hierarchical import EXPERIMENT as HIERARCHICAL
from vinlab.experiments.paper import paper_numbers
from vinlab.experiments.runner import train
from vinlab.experiments.weight_sharing import EXPERIMENT as WEIGHT_SHARING
from vinlab.recording.finished_run import collect_runs
from vinlab.recording.serialization import to_plain

RUNS = Path(__file__).parents[2] / "results" / "runs" / "gridworld" / "16" / "vin"
BOTH = (WEIGHT_SHARING, HIERARCHICAL)
OWN = [(experiment, id) for experiment in BOTH for id in experiment.settings if id not in GRIDWORLD.settings]


@pytest.mark.parametrize("experiment", BOTH, ids=lambda one: one.name)
def test_every_cell_stands_in_the_paper_and_is_plain_data(experiment):
    assert set(experiment.settings) == set(paper_numbers(experiment.name))
    for setting in experiment.settings.values():
        for budget in BUDGETS:
            for recipe in RECIPES:
                assert to_plain(setting.configure(budget, recipe))["data"]["attempts"] > 0


@pytest.mark.parametrize("experiment", [HIERARCHICAL, WEIGHT_SHARING], ids=lambda found: found.name)
def test_the_rows_of_table_1_are_the_same_settings_here(experiment):
    shared = set(experiment.settings) & set(GRIDWORLD.settings)
    assert shared
    for id in shared:
        assert experiment.settings[id].configure is GRIDWORLD.settings[id].configure
        assert experiment is WEIGHT_SHARING or experiment.settings[id] is GRIDWORLD.settings[id]
        assert paper_numbers(experiment.name)[id] == paper_numbers("gridworld")[id]


def test_of_the_runs_of_table_1_the_table_of_weight_sharing_shows_those_of_the_recipe_paper():
    runs = [run for run in collect_runs(RUNS) if run.manifest.id == "gridworld/16/vin"]
    assert {run.manifest.recipe for run in runs} == {"default", "paper", "noise"}
    lines = [line for line in WEIGHT_SHARING.table(runs).splitlines() if line.startswith("| gridworld")]
    recipes = [line.split("|")[2].strip() for line in lines]
    assert recipes == ["paper", "paper"]  # all starts, and the best of three


def test_in_the_recipe_paper_the_tied_network_on_all_data_is_that_of_table_1():
    tied = WEIGHT_SHARING.settings["gridworld/16/vin-100"].configure("paper", "paper")
    assert tied == GRIDWORLD.settings["gridworld/16/vin"].configure("paper", "paper")
    assert (
        paper_numbers("weight_sharing")["gridworld/16/vin-100"]
        == paper_numbers("gridworld")["gridworld/16/vin"]
    )


def test_less_data_and_nothing_else_makes_the_smaller_shares():
    whole, half, fifth = (
        WEIGHT_SHARING.settings[f"gridworld/16/untied{share}"].configure("paper", "default")
        for share in ("", "-50", "-20")
    )
    assert (whole.data.attempts, half.data.attempts, fifth.data.attempts) == (5000, 2500, 1000)
    assert whole.network == half.network == fifth.network
    assert whole.learning == half.learning == fifth.learning


@pytest.mark.parametrize("recipe", RECIPES)
def test_the_untied_network_is_the_tied_one_with_kernels_of_its_own(recipe):
    tied = WEIGHT_SHARING.settings["gridworld/16/vin-100"].configure("paper", recipe)
    untied = WEIGHT_SHARING.settings["gridworld/16/untied"].configure("paper", recipe)
    assert tied.data == untied.data
    assert tied.learning == untied.learning
    one, other = tied.network.build(), untied.network.build()
    assert type(one.reward) is type(other.reward)
    assert other.transition.value.shape == (21, *one.transition.value.shape)


@pytest.mark.parametrize(("size", "iterations"), [(8, 4), (16, 10), (28, 16)])
def test_the_hierarchical_network_has_the_smaller_number_of_backups(size, iterations):
    config = HIERARCHICAL.settings[f"gridworld/{size}/hvin"].configure("paper", "default")
    assert config.network.build().iterations == (iterations, iterations)
    assert config.network.factor == 2


@pytest.mark.parametrize(("experiment", "id"), OWN, ids=[id for _, id in OWN])
def test_every_setting_of_the_appendix_runs_at_smoke(experiment, id, tmp_path):
    run = train(experiment, TrainingRequest(id=id, out=tmp_path / "run", budget="smoke"))
    assert run.result["scores"]["num_problems"] == 50
    assert id in experiment.table([run])
