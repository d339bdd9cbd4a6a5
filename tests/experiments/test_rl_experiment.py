"""The experiment by reinforcement learning, from settings to table and figures."""

import numpy as np
import pytest

from vinlab.domains.gridworld.problem import content_keys
from vinlab.experiments import RL, TrainingRequest
from vinlab.experiments.base import BUDGETS, RECIPES
from vinlab.experiments.picture_command import draw_recorded
from vinlab.experiments.rl.evaluate import act_among_holes, optimal_share, score, success_by_difficulty
from vinlab.experiments.rl.figures import draw_experiment
from vinlab.experiments.rl.train import RlData, drawing, make_test_problems, make_validation_problems
from vinlab.models import load
from vinlab.networks.grid.rl import ValueVinConfig
from vinlab.recording.finished_run import open_run
from vinlab.types import GridProblems, InputError

IDS = ["rl/8/vin", "rl/8/cnn", "rl/8/vin-no-curriculum", "rl/16/vin", "rl/16/cnn"]


def test_the_ids_are_those_of_the_paper_and_one_without_curriculum():
    assert sorted(RL.settings) == sorted(IDS)


@pytest.mark.parametrize("id", IDS)
def test_every_setting_has_a_configuration_for_every_budget_and_recipe(id):
    for budget in BUDGETS:
        for recipe in RECIPES:
            config = RL.setting(id).configure(budget, recipe)
            assert config.to_plain()["data"]["size"] == int(id.split("/")[1])


def test_the_cnn_gets_the_papers_iterations():
    for size, times in ((8, 1), (16, 2)):
        vin, cnn = (RL.setting(f"rl/{size}/{kind}").configure("paper", "paper") for kind in ("vin", "cnn"))
        assert cnn.learning.iterations == times * vin.learning.iterations
    assert RL.setting("rl/8/vin").configure("paper", "paper").network.iterations == 10
    assert RL.setting("rl/16/vin").configure("paper", "paper").network.iterations == 20


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    ids = ("rl/8/vin", "rl/8/cnn", "rl/8/vin-no-curriculum")
    requests = [TrainingRequest(id=id, out=folder / id, budget="smoke", recipe="paper") for id in ids]
    return [RL.train(request, lambda *_: None) for request in requests]


def test_a_run_says_how_well_it_did(runs):
    scores = runs[0].result["scores"]
    assert scores["num_problems"] == 50
    assert 0 <= scores["success_rate"] <= 1
    assert sorted(map(int, runs[0].result["success_by_difficulty"])) == list(range(1, 11))
    assert [line["iteration"] for line in runs[0].metrics()] == [1, 2, 3]
    assert runs[2].metrics()[0]["level"] == 12


def test_a_run_can_be_loaded_as_a_model(runs):
    model = load(runs[0].folder)
    assert (model.id, model.size, model.network.iterations) == ("rl/8/vin", 8, 10)


def test_the_table_and_the_figures_come_from_the_runs(runs, tmp_path):
    text = RL.table([open_run(run.folder) for run in runs])
    for expected in ("rl/8/vin", "rl/8/cnn", "90.9 %", "86.9 %", "noise", "--recipe paper --budget smoke"):
        assert expected in text
    names = {path.name for path in draw_experiment(runs, tmp_path)}
    assert names == {
        "rl_8_training.png",
        "rl_8_difficulty.png",
        "rl_8_curriculum_return.png",
        "rl_8_curriculum_success.png",
    }
    assert all((tmp_path / name).stat().st_size > 5000 for name in names)


def test_what_it_cannot_do_it_says(tmp_path):
    with pytest.raises(InputError, match="one process on the CPU"):
        RL.train(TrainingRequest(id="rl/8/vin", out=tmp_path, device="cuda"), lambda *_: None)


def test_no_training_map_is_a_test_or_validation_map():
    data = RlData(size=8, validation_problems=50, test_problems=100)
    test = make_test_problems(data)
    validation = make_validation_problems(data, test)
    taken = {*content_keys(test), *content_keys(validation)}
    assert set(content_keys(test)).isdisjoint(content_keys(validation))
    config = RL.setting("rl/8/vin").configure("paper", "default")
    for seed in range(3):
        worlds = drawing(config, taken)(5, np.random.default_rng(seed))
        assert taken.isdisjoint(content_keys(GridProblems(worlds.obstacles, worlds.goals, worlds.goals)))


class Oracle:
    """Walks the one way that there is along a corridor."""

    def __init__(self, move: int) -> None:
        self.move = move

    def plan(self, observation, *, iterations=None):
        return observation

    def act(self, plan, states):
        import torch

        return torch.nn.functional.one_hot(torch.tensor(self.move), 4).float().expand(*states.shape[:2], 4)


def corridor() -> GridProblems:
    obstacles = np.ones((2, 3, 6), np.uint8)
    obstacles[:, 1, 1:5] = 0
    return GridProblems(obstacles, np.array([[1, 1], [1, 3]]), np.array([[1, 4], [1, 1]]))


def test_who_goes_the_right_way_arrives_and_who_does_not_falls():
    problems = corridor()
    east = act_among_holes(Oracle(2), problems)
    assert east.reached.tolist() == [True, False]
    assert east.fallen.tolist() == [False, True]
    assert east.steps.tolist() == [3, 2]
    assert optimal_share(Oracle(2), problems) == pytest.approx(3 / 5)
    scores = score(Oracle(2), problems, rng=np.random.default_rng(0))
    assert (scores["success_rate"], scores["fallen_rate"], scores["trajectory_difference"]) == (0.5, 0.5, 0.0)


def test_success_by_difficulty_covers_the_way_from_corner_to_corner():
    found = success_by_difficulty(ValueVinConfig(iterations=2, hidden=2).build(), 8, per_difficulty=3)
    assert list(found) == [str(level) for level in range(1, 11)]


def test_without_runs_the_picture_command_says_so_in_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["rl_pictures", "--runs", str(tmp_path)])
    with pytest.raises(SystemExit, match="There are no finished runs of rl below"):
        draw_recorded("", RL, draw_experiment)
