"""Fitting to a dataset of one's own: it learns, resumes, evaluates, plans and draws."""

import numpy as np
import pytest

import vinlab
from helpers.path_datasets import arrays, save
from vinlab.experiments.base import EvaluateRequest, TrainingRequest
from vinlab.experiments.runner import train
from vinlab.experiments.terrain_costs import EXPERIMENT
from vinlab.experiments.terrain_costs.data import TerrainCostsSets
from vinlab.experiments.terrain_costs.dataset.demonstrations import PathDemonstrations, moves_of, transformed
from vinlab.experiments.terrain_costs.dataset.read import read_dataset
from vinlab.experiments.terrain_costs.dataset.split import split_dataset
from vinlab.experiments.terrain_costs.evaluate import evaluate_policy
from vinlab.experiments.terrain_costs.fit import FitOptions
from vinlab.maps.pictures import Picture
from vinlab.navigation.images import navigate_image
from vinlab.types import InputError


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return save(tmp_path_factory.mktemp("data") / "data.npz", pictures=24, each=4, size=16)


@pytest.fixture(scope="module")
def run(data, tmp_path_factory):
    options = vinlab.FitOptions(updates=120, hidden=16)
    return vinlab.fit(data, tmp_path_factory.mktemp("runs") / "own", options)


def test_learned_costs_beat_straight_lines_and_order_the_kinds_of_ground(run, tmp_path):
    scores = run.result["scores"]
    assert scores["success_rate"] == 1.0
    test = save(tmp_path / "test.npz", pictures=20, each=3, size=16, seed=9)
    model = vinlab.load(run.folder)
    found = EXPERIMENT.evaluate(model, EvaluateRequest(problems=test)).scores
    assert found["num_problems"] == 60
    assert found["demonstrated_ratio_mean"] == pytest.approx(1.0)
    assert found["cost_ratio_median"] <= found["cost_ratio_mean"] < 1.25
    assert found["straight_ratio_mean"] > 1.5
    dataset = read_dataset(test)
    costs = model.network.encode(PathDemonstrations(dataset)[range(60)][0].observations[:, :-1]).costs
    true = np.stack([dataset.costs[image] for image in dataset.path_image])
    learned = [float(costs.detach().numpy()[true == cost].mean()) for cost in np.unique(true)]
    assert learned == sorted(learned)


def test_the_learner_never_sees_the_true_costs(data, tmp_path):
    other = tmp_path / "other.npz"
    np.savez(other, **(dict(np.load(data)) | {"costs": np.ones((24, 16, 16))}))
    options = vinlab.FitOptions(updates=2, hidden=4)
    weights = [
        (vinlab.fit(file, tmp_path / name, options).folder / "weights.safetensors").read_bytes()
        for file, name in ((data, "first"), (other, "second"))
    ]
    assert weights[0] == weights[1]


def test_a_stopped_run_is_continued_to_the_same_weights(data, tmp_path):
    options = vinlab.FitOptions(updates=100, hidden=4, loss="max-entropy")
    whole = vinlab.fit(data, tmp_path / "whole", options)

    def stop(done, total, note):
        if done > 60:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        vinlab.fit(data, tmp_path / "cut", options, progress=stop)
    resumed = vinlab.fit(data, tmp_path / "cut", options, resume=True)
    files = [one.folder / "weights.safetensors" for one in (whole, resumed)]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_a_fitted_model_plans_on_new_images(run):
    image = Picture(
        arrays(size=16, seed=3)["observations"][0].astype(np.float32) / 255, np.ones((16, 16), bool)
    )
    route = navigate_image(vinlab.load(run.folder), image, (0, 0), (15, 15))
    assert route.reached
    assert route.path[-1].tolist() == [15, 15]
    assert (route.reward < 0).all()
    grey = Picture(image.values[:1], image.known)
    with pytest.raises(InputError, match="expected an image of 3 channels"):
        navigate_image(vinlab.load(run.folder), grey, (0, 0), (15, 15))


def test_images_of_other_channels_and_cells_are_refused(run, tmp_path):
    model = vinlab.load(run.folder)
    grey = save(tmp_path / "grey.npz", observations=np.zeros((6, 1, 10, 10)))
    with pytest.raises(InputError, match=r"grey\.npz: expected images of 3 channels.*got 1"):
        EXPERIMENT.evaluate(model, EvaluateRequest(problems=grey))
    wide = save(tmp_path / "wide.npz", observations=np.zeros((6, 3, 20, 20)))
    with pytest.raises(InputError, match=r"expected cells of 1 pixels.*got 2"):
        EXPERIMENT.evaluate(model, EvaluateRequest(problems=wide))


def test_held_out_images_of_a_run_need_its_dataset(run, data):
    model = vinlab.load(run.folder)
    with pytest.raises(InputError, match=r"expected --problems, or --data with data\.npz"):
        EXPERIMENT.evaluate(model, EvaluateRequest())
    found = EXPERIMENT.evaluate(model, EvaluateRequest(data=data)).scores
    assert found == run.result["scores"]


def test_figures_show_held_out_routes(run, data, tmp_path):
    (path,) = EXPERIMENT.figures(vinlab.load(run.folder), tmp_path, None, data)
    assert path.stat().st_size > 10_000


def test_turned_and_mirrored_paths_lie_on_the_same_ground():
    rng = np.random.default_rng(0)
    image, blocked = rng.normal(size=(2, 5, 7)).astype(np.float32), rng.random((5, 7)) < 0.3
    path = np.array([[0, 0], [1, 1], [1, 2], [0, 3], [0, 4], [1, 5], [2, 6], [3, 6]])
    seen = set()
    for symmetry in range(8):
        turned, walls, cells = transformed(image, blocked, path, symmetry)
        np.testing.assert_array_equal(turned[:, cells[:, 0], cells[:, 1]], image[:, path[:, 0], path[:, 1]])
        np.testing.assert_array_equal(walls[tuple(cells.T)], blocked[tuple(path.T)])
        seen.add(tuple(moves_of(cells)))
    assert len(seen) == 8


def test_a_blocked_detour_is_scored_by_its_true_cost(run, tmp_path):
    blocked = np.zeros((6, 10, 10))
    blocked[:, 2:9, 5] = 1
    way = [(5, c) for c in range(5)] + [(4, 4), (3, 4), (2, 4), (1, 5), (2, 6), (3, 6), (4, 6), (5, 6)]
    paths = np.full((1, 13, 2), -1)
    paths[0, : len(way)] = way
    file = save(tmp_path / "walls.npz", blocked=blocked, paths=paths, path_image=np.array([0]))
    scores = evaluate_policy(vinlab.load(run.folder).network, read_dataset(file))
    assert scores.success_rate == 1.0
    assert scores.cost_ratio_mean >= 1.0


@pytest.mark.parametrize("name", ["mars", "classifier", "noisy-vin-slips"])
def test_settings_run_at_the_smallest_budget(name, tmp_path):
    request = TrainingRequest(f"terrain-costs/{name}", tmp_path / "run", budget="smoke")
    run = train(EXPERIMENT, request)
    assert run.result["scores"]["num_problems"] > 5
    assert run.result["scores"]["straight_ratio_mean"] >= 1.0
    assert f"terrain-costs/{name}" in EXPERIMENT.table([run])


def test_paths_on_one_image_are_shown_together_and_turned_alike(tmp_path):
    dataset = read_dataset(save(tmp_path / "data.npz", pictures=5, each=3))
    shown = PathDemonstrations(dataset, copies=8, symmetric=True, together=True)
    order = shown.order(np.random.default_rng(0))
    assert sorted(order) == list(range(len(shown)))
    for first in range(0, len(order), 3):
        (part,) = shown[order[first : first + 3]]
        assert (part.observations[:, :-1] == part.observations[:1, :-1]).all()
    assert (order != shown.order(np.random.default_rng(1))).any()
    loose = PathDemonstrations(dataset, copies=8, symmetric=True).order(np.random.default_rng(0))
    assert sorted(loose) == sorted(order)


def test_an_update_sees_so_many_pictures_with_all_their_paths(tmp_path):
    config = FitOptions().training()
    for each, paths in ((1, 16), (3, 24), (20, 64)):
        data = read_dataset(save(tmp_path / f"{each}.npz", pictures=8, each=each))
        sets = TerrainCostsSets(split_dataset(data), "")
        assert EXPERIMENT.adapt(config, sets).learning.batch == paths


def test_of_large_images_fewer_are_seen_in_an_update(tmp_path):
    config = EXPERIMENT.settings["terrain-costs/own"].configure("paper", "default")
    small = TerrainCostsSets(split_dataset(read_dataset(save(tmp_path / "small.npz"))), "")
    assert EXPERIMENT.adapt(config, small).learning.batch == 16
    for side, paths in ((64, 9), (300, 1)):  # 16 paths on images of 48 x 48 pixels take as long
        wide = np.zeros((6, 3, side, side), np.uint8)
        large = save(tmp_path / f"{side}.npz", observations=wide, costs=None)
        large = TerrainCostsSets(split_dataset(read_dataset(large)), "")
        assert EXPERIMENT.adapt(config, large).learning.batch == paths
