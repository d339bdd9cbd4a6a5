"""The Mars experiment runs from nothing, resumes, and its table says what its runs say."""

from dataclasses import asdict, replace

import numpy as np
import pytest

import vinlab
from vinlab.domains.mars.expert import DemonstrationConfig, demonstrate
from vinlab.domains.mars.patches import MarsProblems
from vinlab.experiments import BUDGETS, RECIPES, TrainingRequest, paper_numbers
from vinlab.experiments.mars import MARS, judge
from vinlab.experiments.mars.classifier import tune_cost
from vinlab.experiments.mars.evaluate import evaluate_policy, reach_rate, success_by_length
from vinlab.experiments.mars.table import mars_table, rows_of
from vinlab.learners.callbacks import no_progress
from vinlab.networks.terrain.configs import ClassifierConfig
from vinlab.networks.terrain.policies import StraightLine
from vinlab.recording.serialization import to_plain
from vinlab.types import GridProblems, InputError

IDS = ("mars/vin", "mars/vin-arrival", "mars/cnn", "mars/classifier")


def smoke(id: str, folder, **options):
    request = TrainingRequest(id=id, out=folder / id, budget="smoke", **options)
    return MARS.train(request, no_progress)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mars")
    return {id: smoke(id, folder) for id in IDS}


def open_ground(count: int = 6) -> MarsProblems:
    """Nothing but free ground."""
    images = np.random.default_rng(0).integers(0, 256, (count, 128, 128)).astype(np.uint8)
    starts, goals = np.tile([2, 3], (count, 1)), np.tile([9, 14], (count, 1))
    return MarsProblems(images, np.zeros((count, 16, 16), bool), starts, goals, np.arange(count))


@pytest.mark.parametrize("id", MARS.settings)
@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("budget", BUDGETS)
def test_every_configuration_is_plain_data(id, recipe, budget):
    config = MARS.setting(id).configure(budget, recipe)
    assert to_plain(config.to_plain(None))["data"]["source"] == "synthetic"


def test_the_straight_line_arrives_where_nothing_is_steep():
    outcome = evaluate_policy(StraightLine(), open_ground())
    assert outcome.scores.success_rate == 1.0
    assert outcome.scores.trajectory_difference == 0.0
    assert outcome.steps.tolist() == [11] * 6
    lessons = demonstrate(open_ground(), DemonstrationConfig(goals=2), rng=np.random.default_rng(0))
    assert reach_rate(StraightLine(), lessons) == 1.0


def test_a_wall_stops_the_straight_line():
    ground = open_ground()
    wall = ground.obstacles.copy()
    wall[:, 1:, 8] = True
    assert evaluate_policy(StraightLine(), replace(ground, obstacles=wall)).scores.success_rate == 0.0


def test_caution_is_chosen_on_the_validation_ground():
    lessons = demonstrate(open_ground(), DemonstrationConfig(goals=2), rng=np.random.default_rng(0))
    planner = tune_cost(ClassifierConfig(hidden=8).build().classifier, "soft", lessons)
    assert planner.caution.setting.item() == 0.25  # where nothing is steep, the least caution serves best


def test_lengths_are_counted_once_each():
    found = success_by_length(np.array([True, False, True]), np.array([5, 6, 40]))
    assert found == {"1-5": (1.0, 1), "6-10": (0.0, 1), "11-15": (None, 0), "over 15": (1.0, 1)}


@pytest.mark.parametrize("id", IDS)
def test_a_run_holds_every_outcome(runs, id):
    result = runs[id].result
    assert len(result["scores"]["reached"]) == len(result["blocks"]) == len(result["steps"]) == 20
    rate = result["scores"]["reached"].count("1") / 20
    assert result["scores"]["success_rate"] == pytest.approx(rate)
    assert result["training_patches"] == 40


def test_test_ground_is_the_same_for_all_networks(runs):
    assert len({str(run.result["blocks"]) for run in runs.values()}) == 1


def test_the_table_shows_all_rows_and_their_paired_differences(runs):
    text = mars_table(list(runs.values()))
    assert list(rows_of(list(runs.values()))) == ["straight", "hard", "soft", "cnn", "vin", "vin-arrival"]
    assert "84.8 %" in text
    assert "VIN by imitation − CNN" in text
    assert "`vinlab train mars/vin --budget smoke`" in text


def test_a_trained_model_is_loaded_and_judged(runs):
    model = vinlab.load(runs["mars/vin"].folder)
    ground = open_ground()
    assert judge(model, ground, None)["num_problems"] == len(ground)
    with pytest.raises(InputError, match="sees images"):
        judge(model, GridProblems(ground.grid.obstacles, ground.starts, ground.goals), None)


def test_a_run_that_is_killed_between_its_stages_ends_the_same(runs, tmp_path, monkeypatch):
    from vinlab.recording.run import Run

    saved = Run.save_checkpoint
    monkeypatch.setattr(Run, "save_checkpoint", lambda *given: (saved(*given), 1 / 0))
    for _ in range(2):  # each training of one epoch ends with a checkpoint
        with pytest.raises(ZeroDivisionError):
            smoke("mars/vin-arrival", tmp_path, resume=True)
    monkeypatch.setattr(Run, "save_checkpoint", saved)
    resumed = smoke("mars/vin-arrival", tmp_path, resume=True)
    assert resumed.result["scores"] == runs["mars/vin-arrival"].result["scores"]
    assert [record["chapter"] for record in resumed.metrics()] == ["imitation", "arrival"]


def test_the_paper_has_numbers_for_vin_and_planner():
    assert paper_numbers("mars")["mars/vin"]["success_rate"] == 0.848
    assert set(paper_numbers("mars")) <= set(MARS.settings)
    assert asdict(MARS.setting("mars/vin").configure("paper", "default").data)["patches"] == 10_000
