from dataclasses import replace

import pytest
import torch
from safetensors.torch import load_file

import vinlab
from vinlab.experiments.base import EvaluateRequest, TrainingRequest
from vinlab.experiments.paper import paper_numbers
from vinlab.experiments.runner import train
from vinlab.experiments.web import EXPERIMENT
from vinlab.experiments.web.data import SYNTHETIC, load_site, make_sets
from vinlab.experiments.web.settings import NAVIGATION
from vinlab.experiments.web.table import table
from vinlab.experiments.web.view import view_for
from vinlab.learners.imitation import one_cycle
from vinlab.types import InputError

TRAINED = ("baseline", "vin-staged", "members", "pages", "pages-k0")


def request(folder, network="pages", **options):
    id = f"web/tree/{network}"
    return TrainingRequest(id=id, out=folder / network, budget="smoke", recipe="paper", **options)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    return {network: train(EXPERIMENT, request(folder, network)) for network in TRAINED}


def test_every_network_is_trained_and_evaluated_from_both_starts(runs):
    for run in runs.values():
        assert run.result["scores"]["root"]["num_problems"] == 30
        assert run.result["scores"]["random"]["num_problems"] == 40
        assert run.manifest.config["data"]["source"] == SYNTHETIC


def test_planning_on_pages_beats_the_baseline_and_no_backups_after_seconds(runs):
    successes = {name: run.result["scores"]["random"]["successes"] for name, run in runs.items()}
    assert successes["pages"] >= 3 * successes["baseline"]
    assert successes["pages"] > successes["pages-k0"]


def test_same_seed_same_run(runs, tmp_path):
    again = train(EXPERIMENT, request(tmp_path, "members"))
    assert again.result["scores"] == runs["members"].result["scores"]


def test_manifests_hold_the_dimension_and_the_first_stage(runs):
    assert {run.manifest.config["network"]["dimension"] for run in runs.values()} == {50}
    assert runs["vin-staged"].manifest.config["first"]["part"] == "reward"
    assert runs["members"].manifest.config["first"]["part"] == "plan"
    assert runs["pages"].manifest.config["first"] is None


def test_metrics_name_the_stage(runs):
    stages = [[line.get("chapter", line.get("stage")) for line in runs[name].metrics()] for name in TRAINED]
    assert stages == [[None], ["reward", "joint"], ["plan", "joint"], [None], [None]]


class Killed(Exception):
    """Stands for a kill."""


class Killer:
    """A progress callback that kills the run at one of its updates, and counts them."""

    def __init__(self, at):
        self.at, self.updates = at, 0

    def __call__(self, done, total, note):
        self.updates += 1
        if self.updates == self.at:
            raise Killed


@pytest.mark.parametrize("network", ["vin-staged", "members"])
def test_a_run_killed_in_every_stage_resumes_to_the_same_result(tmp_path, network):
    """Stages of two epochs, epochs of two updates.

    Killed before any checkpoint, in the first stage, before the first checkpoint of the second and after it.
    """
    id = f"web/tree/{network}"
    config, short = EXPERIMENT.settings[id].configure("smoke", "paper"), one_cycle(2, 3e-3, batch=128)
    config = replace(config, learning=short, first=replace(config.first, learning=short))
    setting = replace(EXPERIMENT.settings[id], configure=lambda budget, recipe: config)
    experiment = replace(EXPERIMENT, settings={id: setting})
    unbroken = train(experiment, request(tmp_path / "unbroken", network))
    for attempt, killed_at in enumerate([1, 3, 3, 3]):
        killed = request(tmp_path / "killed", network, resume=attempt > 0)
        with pytest.raises(Killed):
            train(experiment, killed, progress=Killer(killed_at))
    last = Killer(None)
    resumed = train(experiment, request(tmp_path / "killed", network, resume=True), progress=last)
    assert last.updates == 2
    assert resumed.result["scores"] == unbroken.result["scores"]
    assert [line["loss"] for line in resumed.metrics()] == [line["loss"] for line in unbroken.metrics()]
    ours, theirs = (load_file(run.folder / "weights.safetensors") for run in (resumed, unbroken))
    assert all(torch.equal(ours[name], theirs[name]) for name in theirs)


def test_the_frozen_reward_stays_as_the_first_stage_left_it(runs, tmp_path):
    """Trained with a second stage of no effect on it, the reward equals that of a first stage alone."""
    id = "web/tree/vin-staged"
    config = EXPERIMENT.settings[id].configure("smoke", "paper")
    other = replace(config, learning=one_cycle(1, 1e-5, batch=128))
    setting = replace(EXPERIMENT.settings[id], configure=lambda budget, recipe: other)
    run = train(replace(EXPERIMENT, settings={id: setting}), request(tmp_path, "vin-staged"))
    ours, theirs = (load_file(one.folder / "weights.safetensors") for one in (run, runs["vin-staged"]))
    assert torch.equal(ours["reward.likeness.weight"], theirs["reward.likeness.weight"])
    assert not torch.equal(ours["reactive.hidden.weight"], theirs["reactive.hidden.weight"])


def test_a_device_is_refused(tmp_path):
    with pytest.raises(InputError, match="web/tree/pages does not support --device cuda"):
        train(EXPERIMENT, request(tmp_path, device="cuda"))


def test_no_page_of_one_part_is_in_another():
    config = EXPERIMENT.settings["web/full/pages"].configure("smoke", "default")
    site, _ = load_site(config.data, None)
    sets = make_sets(site, view_for(config.network, site, "full"), config.data, seed=0)
    trained = set(sets.demonstrations.problems.targets)
    validated, tested = (
        set(part.root.problems.targets) | set(part.random.problems.targets)
        for part in (sets.validation, sets.test)
    )
    assert not trained & validated
    assert not trained & tested
    assert not validated & tested


@pytest.mark.parametrize("network", ["pages", "vin-staged", "baseline"])
def test_a_run_is_loaded_and_evaluates_to_its_recorded_scores(runs, network):
    model = vinlab.load(runs[network].folder)
    found = EXPERIMENT.evaluate(model, EvaluateRequest())
    assert found.scores == runs[network].result["scores"]
    assert found.settings["iterations"] == {"pages": 7, "vin-staged": 4, "baseline": None}[network]


def test_k_can_be_changed_in_an_evaluation(runs):
    model = vinlab.load(runs["pages"].folder)
    deep, reward_alone = (EXPERIMENT.evaluate(model, EvaluateRequest(iterations=k)) for k in (7, 1))
    assert deep.scores["random"]["successes"] > reward_alone.scores["random"]["successes"]
    assert reward_alone.settings["iterations"] == 1


def test_options_that_do_not_apply_are_refused_in_an_evaluation(runs, tmp_path):
    model = vinlab.load(runs["pages"].folder)
    with pytest.raises(InputError, match="does not support --problems"):
        EXPERIMENT.evaluate(model, EvaluateRequest(problems=tmp_path))
    with pytest.raises(InputError, match="does not support --corner-cutting"):
        EXPERIMENT.evaluate(model, EvaluateRequest(corner_cutting=True))
    with pytest.raises(InputError, match="--iterations: expected one number"):
        EXPERIMENT.evaluate(model, EvaluateRequest(iterations=(1, 2)))
    baseline = vinlab.load(runs["baseline"].folder)
    with pytest.raises(InputError, match="does not support --iterations: it plans nothing"):
        EXPERIMENT.evaluate(baseline, EvaluateRequest(iterations=3))


def test_a_run_on_real_data_asks_for_their_folder(runs):
    model = vinlab.load(runs["pages"].folder)
    config = {**model.config, "data": {**model.config["data"], "source": "wikispeedia"}}
    with pytest.raises(InputError, match="--data: expected the folder of wikispeedia"):
        EXPERIMENT.evaluate(replace(model, config=config), EvaluateRequest())
    with pytest.raises(InputError, match="expected a model of web navigation"):
        EXPERIMENT.evaluate(vinlab.load("gridworld/8/vin"), EvaluateRequest())


def test_a_run_is_drawn_and_the_baseline_has_no_plan(runs, tmp_path):
    drawn = EXPERIMENT.figures(vinlab.load(runs["pages"].folder), tmp_path / "figures", None, None)
    assert [path.name for path in drawn] == ["plan.png"]
    assert drawn[0].stat().st_size > 10_000
    assert EXPERIMENT.figures(vinlab.load(runs["baseline"].folder), tmp_path, None, None) == []
    with pytest.raises(InputError, match=r"--problem: expected 0 to 39, got 40"):
        EXPERIMENT.figures(vinlab.load(runs["pages"].folder), tmp_path, 40, None)


def test_the_table_has_a_line_for_each_network_and_the_papers_numbers(runs):
    text = table(list(runs.values()))
    for network in TRAINED:
        assert f"\n| {network} " in text
    assert "baseline 1,025 of 2,000" in text
    assert "VIN 1,030 and 346, 1.14 times the baseline" in text.replace("\n", " ")
    assert "\n| full Wikipedia (paper) | vin " in text
    assert "No run of ours is recorded yet." in text
    assert "of 30 from the root and 40 from random articles" in text.replace("\n", " ")


def test_the_papers_ratio_is_computed_from_its_numbers():
    numbers = paper_numbers("web")
    assert numbers["web/full/vin"]["random_successes"] == 346
    assert numbers["web/wikipedia/vin"]["average_reward"] == 0.30389


def test_each_recipe_starts_its_training_paths_where_it_says():
    for recipe, somewhere_else in (("paper", False), ("default", True)):
        config = EXPERIMENT.settings["web/tree/pages"].configure("smoke", recipe)
        site, _ = load_site(config.data, None)
        sets = make_sets(site, view_for(config.network, site, "tree"), config.data, seed=0)
        assert (sets.demonstrations.problems.starts != 0).any() == somewhere_else
        assert len(sets.demonstrations) == (400 if somewhere_else else 200)


@pytest.mark.parametrize("id", NAVIGATION)
def test_every_setting_spends_more_with_its_budget(id):
    setting = EXPERIMENT.settings[id]
    for recipe in ("default", "paper"):
        smoke, small, paper = (setting.configure(budget, recipe) for budget in ("smoke", "small", "paper"))
        assert smoke.data.training_queries < small.data.training_queries
        assert paper.data.training_queries is None
        assert smoke.data.root_problems < small.data.root_problems == paper.data.root_problems == 2000
        assert id == f"web/{paper.data.graph}/{id.split('/')[2]}"
        assert (paper.data.control == "none") == (paper.data.control not in id)
        assert (paper.data.features == "sparse") == id.endswith("-sparse") == paper.data.hides_test_pages
