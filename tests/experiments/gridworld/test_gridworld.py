import dataclasses

import numpy as np
import pytest
import torch

from vinlab.domains.gridworld.problem import content_keys
from vinlab.experiments.base import BUDGETS, RECIPES, TrainingRequest
from vinlab.experiments.gridworld import EXPERIMENT
from vinlab.experiments.gridworld.data import (
    GridworldData,
    make_demonstrations,
    make_test_problems,
    make_validation_problems,
)
from vinlab.experiments.paper import paper_numbers
from vinlab.experiments.runner import train
from vinlab.models import load
from vinlab.recording.serialization import to_plain
from vinlab.types import InputError

DATA = GridworldData(
    size=8, attempts=2000, targets="trajectories", validation_problems=200, test_problems=300
)


def observed_keys(demonstrations):
    return {observation.numpy().tobytes() for observation in demonstrations.observations}


def test_no_map_is_in_two_of_the_sets():
    from vinlab.domains.gridworld.problem import observe

    test = make_test_problems(8, 300)
    validation = make_validation_problems(DATA, test)
    demonstrations, *_ = make_demonstrations(DATA, seed=0, apart_from=(test, validation))
    assert set(content_keys(test)).isdisjoint(content_keys(validation))
    trained_on = observed_keys(demonstrations)
    for problems in (test, validation):
        seen = {image.numpy().tobytes() for image in observe(problems.obstacles, problems.goals)}
        assert trained_on.isdisjoint(seen)


def test_without_that_care_maps_would_leak():
    test = make_test_problems(8, 300)
    kept, *_ = make_demonstrations(DATA, seed=0, apart_from=(test,))
    everything, *_ = make_demonstrations(DATA, seed=0, apart_from=())
    assert len(kept) < len(everything)


def test_seeds_change_the_training_maps_and_nothing_else():
    (first, hash_first, _), (again, hash_again, _), (other, hash_other, _) = (
        make_demonstrations(DATA, seed=seed, apart_from=()) for seed in (0, 0, 1)
    )
    assert hash_first == hash_again != hash_other
    assert torch.equal(first.states, again.states)
    assert observed_keys(first) != observed_keys(other)
    assert np.array_equal(make_test_problems(8, 50).obstacles, make_test_problems(8, 50).obstacles)


@pytest.mark.parametrize("id", EXPERIMENT.settings)
@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("budget", BUDGETS)
def test_every_configuration_is_plain_data(id, recipe, budget):
    config = EXPERIMENT.settings[id].configure(budget, recipe)
    assert to_plain(config)["data"]["attempts"] > 0
    assert dataclasses.is_dataclass(config)


@pytest.mark.parametrize("id", EXPERIMENT.settings)
def test_every_setting_runs_at_smoke(id, tmp_path):
    request = TrainingRequest(id=id, out=tmp_path / "run", budget="smoke", recipe="paper")
    run = train(EXPERIMENT, request)
    assert run.result["scores"]["num_problems"] == 50
    assert run.manifest.id == id
    epochs = EXPERIMENT.settings[id].configure("smoke", "paper").learning.epochs
    assert [line["epoch"] for line in run.metrics()] == list(range(1, epochs + 1))
    assert run.result["epoch_cpu_seconds"] > 0


def test_the_recipe_noise_has_the_papers_network_labels_and_k():
    for size in (8, 16, 28):
        setting = EXPERIMENT.settings[f"gridworld/{size}/vin"]
        paper, noise = (setting.configured("paper", recipe) for recipe in ("paper", "noise"))
        assert noise.data == paper.data
        assert noise.network.iterations == paper.network.iterations
        shapes = [
            [tuple(parameter.shape) for parameter in config.network.build().parameters()]
            for config in (paper, noise)
        ]
        assert shapes[0] == shapes[1]


def test_the_recipe_noise_runs_at_smoke_and_can_be_evaluated(tmp_path):
    run = train(EXPERIMENT, TrainingRequest("gridworld/8/vin", tmp_path / "run", "smoke", "noise"))
    assert run.result["parameters"] == 3260
    assert load(run.folder).network.training is False


def test_networks_without_a_planner_have_no_recipe_noise(tmp_path):
    with pytest.raises(
        InputError, match="gridworld/8/cnn does not support --recipe noise: expected default or paper"
    ):
        train(EXPERIMENT, TrainingRequest("gridworld/8/cnn", tmp_path / "run", "smoke", "noise"))


def test_two_runs_of_one_seed_are_identical(tmp_path):
    runs = [
        train(EXPERIMENT, TrainingRequest(id="gridworld/8/vin", out=tmp_path / name, budget="smoke"))
        for name in ("one", "two")
    ]
    assert runs[0].result["scores"] == runs[1].result["scores"]
    assert (runs[0].folder / "weights.safetensors").read_bytes() == (
        runs[1].folder / "weights.safetensors"
    ).read_bytes()


def test_the_authors_own_files_can_be_learned_from(real_data, tmp_path):
    request = TrainingRequest(
        id="gridworld/8/vin",
        out=tmp_path / "run",
        budget="smoke",
        recipe="paper",
        data=real_data / "gridworld_authors",
    )
    run = train(EXPERIMENT, request)
    assert run.manifest.config["data"]["source"] == "gridworld_authors"
    assert 0 < run.result["training_maps"] <= 45


def test_a_file_gives_what_so_many_of_its_attempts_gave(real_data):
    for attempts, maps in ((5000, 3672), (1000, 735), (60, 45)):
        data = dataclasses.replace(DATA, attempts=attempts)
        demonstrations, *_ = make_demonstrations(
            data, seed=0, apart_from=(), source=real_data / "gridworld_authors"
        )
        assert len(demonstrations) == maps
        assert bool(demonstrations.weights.any(dim=1).all())


def test_the_paper_prints_a_number_for_every_setting():
    assert set(EXPERIMENT.settings) <= set(paper_numbers("gridworld"))
