"""The control experiment: every setting runs, seeds repeat, lessons are shared, killed runs go on."""

import dataclasses

import numpy as np
import pytest

pytest.importorskip("mujoco")

from vinlab.experiments.pictures import draw_run

from vinlab.experiments import BUDGETS, CONTROL, RECIPES, TrainingRequest, paper_numbers
from vinlab.experiments.control import configure
from vinlab.experiments.control import train as training
from vinlab.experiments.control.demonstrations import _bounded, make_demonstrations
from vinlab.recording.serialization import to_plain
from vinlab.types import InputError


def quiet(done, total, note):
    """Nobody watches."""


def request(folder, id="control/vin", recipe="default", **options):
    return TrainingRequest(id=id, out=folder, budget="smoke", recipe=recipe, **options)


@pytest.fixture(scope="module")
def searched(tmp_path_factory):
    """A smoke run with the paper's teacher."""
    return CONTROL.train(request(tmp_path_factory.mktemp("runs") / "vin", recipe="paper"), quiet)


@pytest.mark.parametrize("id", CONTROL.settings)
@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("budget", BUDGETS)
def test_every_configuration_is_plain_data(id, recipe, budget):
    config = CONTROL.setting(id).configure(budget, recipe)
    assert dataclasses.is_dataclass(config)
    assert to_plain(config.to_plain()) == config.to_plain() or to_plain(config)


def test_both_networks_have_the_same_domains_teachers_and_fit():
    for recipe in RECIPES:
        vin, cnn = (configure(id, "paper", recipe) for id in ("control/vin", "control/cnn"))
        assert dataclasses.replace(vin, network=cnn.network) == cnn


def test_the_paper_recipe_has_the_paper_sizes():
    config = configure("control/vin", "paper", "paper")
    assert config.data.training_domains == 200
    assert config.data.test_domains == 40 + 200
    assert config.teacher.search.iterations == 10
    assert set(paper_numbers("control")) == set(CONTROL.settings)


def test_the_three_sets_share_no_domain():
    data = configure("control/vin", "smoke", "default").data
    streams = (training.TEST_STREAM, training.VALIDATION_STREAM, training.TRAINING_STREAM)
    sets = [training.make_problems(data, stream, 30) for stream in streams]
    sets.append(training.make_problems(data, training.TRAINING_STREAM, 30, seed=1))
    goals = np.concatenate([one.goals for one in sets])
    assert len(np.unique(goals, axis=0)) == 120


def test_a_run_records_teacher_stages_and_rows(searched):
    result = searched.result
    assert result["scores"]["num_problems"] == 8
    assert result["scores"]["num_unsolvable"] == 0
    assert len(result["teacher"]["history"]) == 3
    assert result["seconds"]["steps_per_second"] > 0
    assert set(result["seconds"]) >= {"teacher_seconds", "fit_seconds", "evaluation_seconds"}
    clocks = [line.get("iteration", line.get("epoch")) for line in searched.metrics()]
    assert clocks == [0, 1, 2, 1, 2]
    assert result["route"]["test"]["distance"] < 0.1 < result["straight"]["test"]["distance"]


def test_the_same_seed_gives_the_same_run(searched, tmp_path):
    again = CONTROL.train(request(tmp_path / "again", recipe="paper"), quiet)
    assert again.result["scores"] == searched.result["scores"]
    assert again.result["test_distances"] == searched.result["test_distances"]


def test_a_lesson_serves_the_other_network_and_no_other_seed(searched, tmp_path):
    run = CONTROL.train(request(tmp_path / "cnn", "control/cnn", "paper", data=searched.folder), quiet)
    assert run.result["teacher"] == searched.result["teacher"]
    with pytest.raises(InputError, match="another teacher, seed"):
        CONTROL.train(
            request(tmp_path / "other", "control/cnn", "paper", data=searched.folder, seed=1), quiet
        )


def test_a_run_killed_between_its_stages_resumes_to_the_same_result(searched, tmp_path, monkeypatch):
    def killed(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(training, "_fit", killed)
    with pytest.raises(KeyboardInterrupt):
        CONTROL.train(request(tmp_path / "run", recipe="paper"), quiet)
    monkeypatch.undo()
    monkeypatch.setattr(training, "teach", killed)  # what was taught is not taught again
    run = CONTROL.train(request(tmp_path / "run", recipe="paper", resume=True), quiet)
    assert run.result["scores"] == searched.result["scores"]
    assert run.metrics()[:3] == searched.metrics()[:3]


def test_the_table_names_both_teachers_and_the_rows_beside_them(searched, tmp_path):
    own = CONTROL.train(request(tmp_path / "own"), quiet)
    text = CONTROL.table([searched, own])
    for words in ("control/vin", "iLQG (the paper's)", "route (our own)", "straight", "0.35", "of the side"):
        assert words in text


def test_pictures_and_the_film_are_drawn(searched, tmp_path, monkeypatch):
    from PIL import Image

    from vinlab.experiments.control import figures as control_pictures

    monkeypatch.setattr(control_pictures, "DOMAINS", 2)
    monkeypatch.setattr(control_pictures, "FILMED", 1)
    small = configure("control/vin", "smoke", "default")
    monkeypatch.setattr(control_pictures, "configure", lambda *_: small)
    pictures = draw_run(searched.folder, tmp_path)
    assert [path.name for path in pictures] == [
        "learning.png",
        "control_trajectories.png",
        "control.gif",
        "control_search.png",
    ]
    with Image.open(tmp_path / "control.gif") as film:
        assert film.n_frames > 20
    with pytest.raises(InputError, match=r"--problem must lie in 0\.\.6, but 7 came"):
        draw_run(searched.folder, tmp_path, problem=7)


def test_the_paper_teacher_shows_how_to_come_back_from_where_its_noise_leads():
    config = configure("control/vin", "smoke", "paper")
    worlds = training.ParticleWorlds(training.make_problems(config.data, 4999, 2), config.physics)

    def spread(noise: float) -> float:
        teacher = dataclasses.replace(config.teacher, noise=noise)
        shown, _ = make_demonstrations(teacher, worlds, rng=np.random.default_rng(0), progress=quiet)
        places = shown.states[..., :2].reshape(2, config.teacher.search.samples, -1, 2)
        return float(places.std(dim=1).mean())

    assert spread(0.5) > 10 * spread(1e-4) > 0


def test_precisions_keep_their_directions_within_bounds():
    precisions = np.array([[[1e6, 0.0], [0.0, 1e-6]], [[1.0, 0.5], [0.5, 1.0]]])
    found = np.linalg.eigvalsh(_bounded(precisions, 0.1))
    assert found.min() >= 0.1 - 1e-9
    assert found.max() <= 10 + 1e-9


def test_a_trained_policy_is_judged_as_its_run_was(searched, monkeypatch):
    from vinlab.experiments import control
    from vinlab.models import load

    small = configure("control/vin", "smoke", "paper")
    monkeypatch.setattr(control, "configure", lambda *_: small)
    found = control.judge(load(searched.folder), None, None)
    assert found.items() <= searched.result["scores"].items()
    with pytest.raises(InputError, match="own test domains"):
        control.judge(load(searched.folder), None, 5)
