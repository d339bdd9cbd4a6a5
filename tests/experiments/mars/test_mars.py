"""The Mars experiment trains from scratch, resumes, and its table and figures show its runs."""

import numpy as np
import pytest

import vinlab
from vinlab.experiments.base import BUDGETS, RECIPES, EvaluateRequest, TrainingRequest
from vinlab.experiments.mars import EXPERIMENT
from vinlab.experiments.mars.data import MarsData, data_of, make_further, make_sets, make_splits
from vinlab.experiments.mars.settings import ON_MORE_GROUND
from vinlab.experiments.mars.table import rows_of
from vinlab.experiments.paper import paper_numbers
from vinlab.experiments.runner import config_record, train
from vinlab.recording.finished_run import METRICS, WEIGHTS
from vinlab.types import InputError

IDS = (
    "mars/vin",
    "mars/vin-arrival",
    "mars/fixed-point",
    "mars/cnn",
    "mars/classifier",
    "mars/cell-classifier",
    "mars/fixed-point-arrival-more-ground",
)


def smoke(id, folder, **options):
    return train(EXPERIMENT, TrainingRequest(id=id, out=folder / id, budget="smoke", **options))


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mars")
    return {id: smoke(id, folder) for id in IDS}


@pytest.mark.parametrize("id", EXPERIMENT.settings)
@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("budget", BUDGETS)
def test_every_configuration_is_plain_data_from_which_its_data_are_rebuilt(id, recipe, budget, tmp_path):
    config = EXPERIMENT.settings[id].configure(budget, recipe)
    plain = config_record(EXPERIMENT, TrainingRequest(id=id, out=tmp_path), config)
    assert plain["data"]["source"] == "synthetic"
    assert data_of(plain) == config.data


def test_data_of_version_0_1_are_understood():
    shown = {"goals": 1, "trajectories": 7, "mirror": False}
    data = data_of({"data": {"protocol": "overlapping", "teaching": shown, "source": "jezero_ctx"}})
    assert data.protocol == "overlapping"
    assert data.demonstrations.trajectories == 7


def test_the_shipped_model_has_the_data_of_the_paper():
    assert data_of(vinlab.load("mars/vin").config) == MarsData()


def test_the_recipe_of_the_paper_learns_from_paths_by_rmsprop():
    config = EXPERIMENT.settings["mars/vin"].configure("paper", "paper")
    (stage,) = config.stages
    assert stage.learning.optimiser == "rmsprop"
    assert [one.rate for one in stage.learning.stages] == [0.01, 0.005, 0.002, 0.001]
    assert config.data.demonstrations.trajectories == 7
    assert config.network.initialisation == "random"
    assert not config.network.flip_average


def test_what_the_paper_does_not_have_has_one_recipe():
    setting = EXPERIMENT.settings["mars/fixed-point"]
    assert setting.recipes == ("default",)
    assert setting.configure("paper", "paper") == setting.configure("paper", "default")


@pytest.mark.parametrize("name", ON_MORE_GROUND)
def test_on_more_ground_the_network_is_the_same_and_sees_four_times_as_many_patches(name):
    plain, more = (
        EXPERIMENT.settings[f"mars/{id}"].configure("paper", "default")
        for id in (name, f"{name}-more-ground")
    )
    assert more.network == plain.network
    assert more.data.patches + more.data.further_patches == 4 * plain.data.patches
    assert len(more.stages) == len(plain.stages)


def test_more_ground_changes_no_problem_for_validation_or_test():
    plain = EXPERIMENT.settings["mars/fixed-point-arrival"].configure("smoke", "default").data
    more = EXPERIMENT.settings["mars/fixed-point-arrival-more-ground"].configure("smoke", "default").data
    few, many = (make_sets(data, None, seed=0) for data in (plain, more))
    assert np.array_equal(few.test.images, many.test.images)
    assert np.array_equal(few.test.goals, many.test.goals)
    assert np.array_equal(few.validation.images, many.validation.images)
    assert len(many.demonstrations) == len(few.demonstrations) + more.further_patches


def test_further_ground_is_no_ground_of_the_splits():
    data = EXPERIMENT.settings["mars/classifier-more-ground"].configure("smoke", "default").data
    splits, (further, counts) = make_splits(data, None), make_further(data)
    known = np.concatenate([splits.train.images, splits.validation.images, splits.test.images])
    assert not {image.tobytes() for image in further.images} & {image.tobytes() for image in known}
    assert counts.usable >= len(further) == data.further_patches


def test_the_second_stage_is_described():
    assert "maximising the probability to reach the goal" in EXPERIMENT.settings["mars/vin-arrival"].about


@pytest.mark.parametrize("id", IDS)
def test_a_run_holds_every_outcome(runs, id):
    result = runs[id].result
    assert len(result["scores"]["reached"]) == len(result["blocks"]) == len(result["steps"]) == 20
    rate = result["scores"]["reached"].count("1") / 20
    assert result["scores"]["success_rate"] == pytest.approx(rate)
    assert result["training_patches"] == (80 if "more-ground" in id else 40)
    assert min(result["steps"]) >= 1


def test_test_problems_are_the_same_for_all_networks(runs):
    assert len({str(run.result["blocks"]) for run in runs.values()}) == 1


def test_the_table_shows_all_rows_and_their_paired_differences(runs):
    text = EXPERIMENT.table(list(runs.values()))
    assert list(rows_of(list(runs.values()))) == [
        "straight",
        "hard",
        "soft",
        "cell-hard",
        "cell-soft",
        "cnn",
        "vin",
        "vin-arrival",
        "fixed-point",
        "fixed-point-arrival-more-ground",
    ]
    assert "84.8 %" in text
    assert "± (block bootstrap)" in text
    assert "VIN by imitation − CNN" in text
    assert "`vinlab train mars/vin --budget smoke`" in text


@pytest.mark.parametrize("id", IDS)
def test_a_run_is_loaded_and_evaluated_with_its_recorded_scores(runs, id):
    found = EXPERIMENT.evaluate(vinlab.load(runs[id].folder), EvaluateRequest())
    recorded = {name: score for name, score in runs[id].result["scores"].items() if name != "reached"}
    assert found.scores["success_rate"] == recorded["success_rate"]
    assert found.scores["prediction_loss"] == recorded["prediction_loss"]
    assert found.scores.keys() == recorded.keys()
    assert found.settings["terrain"] == "synthetic"
    assert found.settings["corner_cutting"] is True


def test_figures_of_a_run_and_of_one_problem(runs, tmp_path):
    model = vinlab.load(runs["mars/vin"].folder)
    (drawn,) = EXPERIMENT.figures(model, tmp_path / "some", None, None)
    assert drawn == tmp_path / "some" / "paths.png"
    (one,) = EXPERIMENT.figures(model, tmp_path / "one", 3, None)
    assert 1000 < one.stat().st_size < drawn.stat().st_size
    with pytest.raises(InputError, match="--problem: expected 0 to 19, got 20"):
        EXPERIMENT.figures(model, tmp_path, 20, None)


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
    weights = [(run.folder / WEIGHTS).read_bytes() for run in (resumed, runs["mars/vin-arrival"])]
    assert weights[0] == weights[1]
    assert [record["stage"] for record in resumed.metrics()] == ["imitation", "reach"]


def test_both_stages_are_written_for_tensorboard(runs, tmp_path):
    reader = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    run = smoke("mars/vin-arrival", tmp_path, tensorboard=True)
    events = reader.EventAccumulator(str(run.folder / "tensorboard")).Reload()
    tags = events.Tags()["scalars"]
    assert {"imitation/loss", "reach/loss", "reach/validation_reached"} <= set(tags)
    assert not any("stage" in tag for tag in tags)
    assert (run.folder / METRICS).read_text(encoding="utf-8").count("\n") == 2


def test_an_option_that_would_be_ignored_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"mars/vin does not support --device meta: it runs on the CPU"):
        smoke("mars/vin", tmp_path, device="meta")


def test_the_paper_has_numbers_for_vin_and_planner():
    assert paper_numbers("mars")["mars/vin"]["success_rate"] == 0.848
    assert set(paper_numbers("mars")) <= set(EXPERIMENT.settings)
    assert EXPERIMENT.settings["mars/vin"].configure("paper", "default").data.patches == 10_000


def test_a_block_of_one_policy_has_no_table_of_differences(runs):
    assert "paired difference" in EXPERIMENT.table(list(runs.values()))
    assert "paired difference" not in EXPERIMENT.table([runs["mars/vin"]])
