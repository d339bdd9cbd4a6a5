import dataclasses
import json

import numpy as np
import pytest

from vinlab.domains.gridworld.problem import content_keys
from vinlab.experiments import ANY_MAP, BUDGETS, GENERALISATION, GUIDE, RECIPES, TrainingRequest
from vinlab.experiments.any_map.evaluate import blocks, judge_kind, mazes, paper, scattered
from vinlab.experiments.any_map.train import (
    AnyMapData,
    EvaluationSet,
    TrainingSet,
    make_lessons,
    make_test_sets,
    make_validation_sets,
)
from vinlab.models import Model, default_id, load, shipped_ids
from vinlab.networks import Policy
from vinlab.recording.serialization import to_plain
from vinlab.types import InputError

KINDS = (paper(8), blocks(20), scattered(9, 0.3), mazes(7), mazes(7, 0.2))
DATA = AnyMapData(
    lessons=tuple(TrainingSet(kind, 30, 20) for kind in KINDS),
    validation=tuple(EvaluationSet(kind, 20) for kind in KINDS),
    test=tuple(EvaluationSet(kind, 20) for kind in KINDS),
)


def ignore(done: int, total: int, note: str) -> None: ...


def test_kinds_have_names_of_their_own():
    assert [kind.name for kind in KINDS] == [
        "paper 8",
        "blocks 20",
        "scattered 9, 30 %",
        "mazes 7",
        "mazes 7, 20 % open",
    ]


def test_no_map_is_in_two_of_the_sets():
    test = make_test_sets(DATA.test)
    validation = make_validation_sets(DATA, test)
    apart = [*test.values(), *validation.values()]
    lessons, _ = make_lessons(DATA, seed=0, apart_from=apart)
    judged = {key for problems in test.values() for key in content_keys(problems)}
    chosen_by = {key for problems in validation.values() for key in content_keys(problems)}
    assert judged.isdisjoint(chosen_by)
    seen = {image.numpy().tobytes() for one in lessons.tasks for image in one.demonstrations.observations}
    for problems in apart:
        from vinlab.domains.gridworld.problem import observe

        images = observe(problems.obstacles, problems.goals)
        assert seen.isdisjoint(image.numpy().tobytes() for image in images)


def test_the_seed_changes_the_lessons():
    hashes = [make_lessons(DATA, seed=seed, apart_from=[])[1] for seed in (0, 0, 1)]
    assert hashes[0] == hashes[1] != hashes[2]


@pytest.mark.parametrize("experiment", [ANY_MAP, GENERALISATION, GUIDE], ids=lambda one: one.name)
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


def test_the_scores_of_a_kind_are_those_counted_by_hand():
    from vinlab.types import GridProblems

    corridor = np.ones((2, 3, 14), np.uint8)
    corridor[:, 1, 1:-1] = 0
    problems = GridProblems(corridor, np.array([[1, 12], [1, 2]]), np.array([[1, 1], [1, 11]]))
    scores = judge_kind(Model("west", Westward(), 8, {}), problems)
    assert scores["num_problems"] == 2
    assert scores["success_rate"] == 0.5
    assert scores["reached_share"] == scores["optimally_reached_share"] == 12 / 22
    near, far = scores["by_distance"]
    assert (near["above"], near["up_to"], near["cells"]) == (0, 10, 21)
    assert (far["cells"], far["reached_share"]) == (1, 1.0)


def test_a_run_trains_loads_and_has_a_table(tmp_path):
    request = TrainingRequest(id="grid/strict", out=tmp_path / "run", budget="smoke")
    run = ANY_MAP.train(request, ignore)
    model = load(run.folder)
    assert not model.corner_cutting
    assert model.iterations_for((64, 10)) == 96
    assert set(run.result["scores"]) == {"paper 28", "mazes 15", "mazes 15, 10 % open"}
    assert "| paper 28" in ANY_MAP.table([run])
    problems = paper(8).sample(3, stream=1)
    assert ANY_MAP.judge is not None
    assert ANY_MAP.judge(model, problems, 5)["most_iterations"] == 5
    with pytest.raises(InputError, match="--data is not read here"):
        ANY_MAP.train(dataclasses.replace(request, data=tmp_path), ignore)


def test_generalisation_is_recorded_and_goes_on_where_it_was_stopped(tmp_path):
    def stop(done: int, total: int, note: str) -> None:
        if done == 2:
            raise KeyboardInterrupt

    request = TrainingRequest(id="generalisation/8", out=tmp_path / "run", budget="smoke")
    with pytest.raises(KeyboardInterrupt):
        GENERALISATION.train(request, stop)
    seen = []
    run = GENERALISATION.train(
        dataclasses.replace(request, resume=True), lambda done, total, note: seen.append(done)
    )
    assert seen == [3, 4]
    assert [line["maps"] for line in run.metrics()] == list(run.result["scores"])
    text = GENERALISATION.table([run])
    assert "gridworld/8/vin (smoke)" in text
    assert "| mazes 15 " in text


def test_the_guide_changes_one_thing_at_a_time():
    default = GUIDE.setting("guide/default").configure("small", "default")
    less = GUIDE.setting("guide/quarter-data").configure("small", "default")
    assert less.data.attempts * 4 == default.data.attempts
    assert less.learning.epochs == 4 * default.learning.epochs
    assert less.network == default.network
    noise = GUIDE.setting("guide/noise").configure("small", "default")
    assert (noise.data, noise.learning) == (default.data, default.learning)
    assert noise.network != default.network


@pytest.mark.parametrize("id", [id for id in ("grid/any", "grid/strict") if id in shipped_ids()])
def test_the_shipped_models_find_their_way_on_every_kind_of_map(id):
    model = load(id)
    for kind in (paper(28), blocks(40), scattered(40), mazes(31), mazes(31, 0.1)):
        problems = kind.sample(8, stream=99, corner_cutting=model.corner_cutting)
        scores = judge_kind(model, problems, corner_cutting=model.corner_cutting)
        assert scores["success_rate"] == 1.0, kind.name
        assert scores["reached_share"] > 0.995, kind.name


def test_the_default_model_fits_the_rules_of_the_map():
    if "grid/any" in shipped_ids():
        assert default_id(corner_cutting=True) == "grid/any"
    if "grid/strict" in shipped_ids():
        assert default_id(corner_cutting=False) == "grid/strict"
    assert default_id(corner_cutting=False) in shipped_ids()
