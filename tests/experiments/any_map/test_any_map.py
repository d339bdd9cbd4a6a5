import dataclasses
import json

import numpy as np
import pytest

from vinlab.domains.gridworld.files import write_problems
from vinlab.domains.gridworld.map_sets import blocks, mazes, paper, scattered
from vinlab.domains.gridworld.problem import content_keys
from vinlab.experiments.ablations import EXPERIMENT as ABLATIONS
from vinlab.experiments.any_map import EXPERIMENT as ANY_MAP
from vinlab.experiments.any_map.data import (
    AnyMapData,
    EvaluationSet,
    TrainingSet,
    make_demonstrations,
    make_sets,
)
from vinlab.experiments.any_map.evaluate import evaluate_maps
from vinlab.experiments.base import BUDGETS, RECIPES, EvaluateRequest, TrainingRequest
from vinlab.experiments.generalisation import EXPERIMENT as GENERALISATION
from vinlab.experiments.runner import train
from vinlab.models import Model, default_id, load, shipped_ids
from vinlab.networks import Policy
from vinlab.recording.serialization import to_plain
from vinlab.types import InputError

MAP_SETS = (paper(8), blocks(20), scattered(9, 0.3), mazes(7), mazes(7, 0.2))
DATA = AnyMapData(
    training=tuple(TrainingSet(kind, 30, 20) for kind in MAP_SETS),
    validation=tuple(EvaluationSet(kind, 20) for kind in MAP_SETS),
    test=tuple(EvaluationSet(kind, 20) for kind in MAP_SETS),
)


def test_map_sets_have_names_of_their_own():
    assert [kind.name for kind in MAP_SETS] == [
        "paper 8",
        "blocks 20",
        "scattered 9, 30 %",
        "mazes 7",
        "mazes 7, 20 % open",
    ]


def test_no_map_is_in_two_of_the_sets():
    sets = make_sets(DATA, seed=0)
    test, validation = (
        {key for problems in part.values() for key in content_keys(problems)}
        for part in (sets.test, sets.validation)
    )
    assert test.isdisjoint(validation)
    seen = {
        image.numpy().tobytes()
        for tasks in sets.demonstrations.task_sets
        for image in tasks.demonstrations.observations
    }
    for problems in [*sets.test.values(), *sets.validation.values()]:
        from vinlab.domains.gridworld.problem import observe

        images = observe(problems.obstacles, problems.goals)
        assert seen.isdisjoint(image.numpy().tobytes() for image in images)


def test_the_seed_changes_the_demonstrations():
    hashes = [make_demonstrations(DATA, seed=seed, apart_from=[])[1] for seed in (0, 0, 1)]
    assert hashes[0] == hashes[1] != hashes[2]


@pytest.mark.parametrize("experiment", [ANY_MAP, GENERALISATION, ABLATIONS], ids=lambda one: one.name)
def test_every_configuration_is_plain_data(experiment):
    for id, setting in experiment.settings.items():
        for budget in BUDGETS:
            for recipe in RECIPES:
                config = setting.configure(budget, recipe)
                assert dataclasses.is_dataclass(config), id
                json.dumps(to_plain(config))


class Westward(Policy):
    """Always goes west."""

    def plan(self, observation, *, iterations=None):
        return None

    def act(self, plan, states):
        import torch

        return torch.eye(8)[3].expand(*states.shape[:2], 8)


def test_the_scores_of_a_map_set_are_those_counted_by_hand():
    from vinlab.types import GridProblems

    corridor = np.ones((2, 3, 14), np.uint8)
    corridor[:, 1, 1:-1] = 0
    problems = GridProblems(corridor, np.array([[1, 12], [1, 2]]), np.array([[1, 1], [1, 11]]))
    scores = evaluate_maps(Model("west", Westward(), 8, {}), problems)
    assert scores["num_problems"] == 2
    assert scores["success_rate"] == 0.5
    assert scores["reached_share"] == scores["optimally_reached_share"] == 12 / 22
    near, far = scores["by_distance"]
    assert (near["above"], near["up_to"], near["cells"]) == (0, 10, 21)
    assert (far["cells"], far["reached_share"]) == (1, 1.0)


def test_a_run_trains_loads_and_has_a_table(tmp_path):
    request = TrainingRequest(id="grid/unrolled", out=tmp_path / "run", budget="smoke")
    run = train(ANY_MAP, request)
    model = load(run.folder)
    assert model.corner_cutting
    assert model.iterations_for((64, 10)) == 96
    assert set(run.result["scores"]) == {"paper 28", "mazes 15", "mazes 15, 10 % open"}
    assert "| paper 28" in ANY_MAP.table([run])
    write_problems(tmp_path / "problems.npz", paper(8).sample(3, stream=1))
    asked = EvaluateRequest(problems=tmp_path / "problems.npz", iterations=5)
    assert ANY_MAP.evaluate(model, asked).scores["most_iterations"] == 5
    assert ANY_MAP.evaluate(model, asked).settings["corner_cutting"] is True
    with pytest.raises(InputError, match="does not support --data"):
        train(ANY_MAP, dataclasses.replace(request, data=tmp_path))


def test_a_planner_to_the_fixed_point_trains_and_is_evaluated_without_a_k(tmp_path):
    run = train(ANY_MAP, TrainingRequest(id="grid/strict", out=tmp_path / "run", budget="smoke"))
    model = load(run.folder)
    assert not model.corner_cutting
    assert model.network.iterations is None
    assert model.iterations_for((64, 10)) is None
    assert run.result["scores"]["paper 28"]["most_iterations"] == 0
    assert "| ∞" in ANY_MAP.table([run])
    write_problems(tmp_path / "problems.npz", paper(8).sample(3, stream=1, corner_cutting=False))
    found = ANY_MAP.evaluate(model, EvaluateRequest(problems=tmp_path / "problems.npz"))
    assert found.settings["corner_cutting"] is False
    assert found.scores["num_problems"] == 3


def test_generalisation_is_recorded_and_goes_on_where_it_was_stopped(tmp_path):
    def stop(done: int, total: int, note: str) -> None:
        if done == 2:
            raise KeyboardInterrupt

    request = TrainingRequest(id="generalisation/8", out=tmp_path / "run", budget="smoke")
    with pytest.raises(KeyboardInterrupt):
        train(GENERALISATION, request, progress=stop)
    seen = []
    run = train(
        GENERALISATION,
        dataclasses.replace(request, resume=True),
        progress=lambda done, total, note: seen.append(done),
    )
    assert seen == [3, 4]
    assert [line["maps"] for line in run.metrics()] == list(run.result["scores"])
    text = GENERALISATION.table([run])
    assert "gridworld/8/vin (smoke)" in text
    assert "| mazes 15 " in text


def test_ablations_change_one_thing_at_a_time():
    default = ABLATIONS.settings["guide/default"].configure("small", "default")
    less = ABLATIONS.settings["guide/quarter-data"].configure("small", "default")
    assert less.data.attempts * 4 == default.data.attempts
    assert less.learning.epochs == 4 * default.learning.epochs
    assert less.network == default.network
    noise = ABLATIONS.settings["guide/noise"].configure("small", "default")
    assert (noise.data, noise.learning) == (default.data, default.learning)
    assert noise.network != default.network


@pytest.mark.parametrize("id", [id for id in ("grid/any", "grid/strict") if id in shipped_ids()])
def test_the_shipped_models_find_their_way_on_every_kind_of_map(id):
    model = load(id)
    for kind in (paper(28), blocks(40), scattered(40), mazes(31), mazes(31, 0.1)):
        problems = kind.sample(8, stream=99, corner_cutting=model.corner_cutting)
        scores = evaluate_maps(model, problems, corner_cutting=model.corner_cutting)
        assert scores["success_rate"] == 1.0, kind.name
        assert scores["reached_share"] > 0.995, kind.name


def test_one_plan_serves_a_map(monkeypatch):
    from vinlab.navigation import adaptive

    made = []
    plan = adaptive.plan_fixed_depth
    monkeypatch.setattr(
        adaptive, "plan_fixed_depth", lambda *given, **rules: made.append(1) or plan(*given, **rules)
    )
    model = load("gridworld/8/vin")
    planned = []
    monkeypatch.setattr(model.network, "plan", _counted(model.network.plan, planned))
    evaluate_maps(model, paper(8).sample(4, stream=3), iterations=16)
    assert len(made) == len(planned) == 4


def _counted(function, calls):
    def count(*given, **rules):
        calls.append(1)
        return function(*given, **rules)

    return count


def test_the_default_model_fits_the_rules_of_the_map():
    if "grid/any" in shipped_ids():
        assert default_id(corner_cutting=True) == "grid/any"
    if "grid/strict" in shipped_ids():
        assert default_id(corner_cutting=False) == "grid/strict"
    assert default_id(corner_cutting=False) in shipped_ids()
