import json

import numpy as np
import pytest
import torch

import vinlab
from vinlab.domains.gridworld.problem import GridworldConfig, sample_problems
from vinlab.experiments import GRIDWORLD, TrainingRequest
from vinlab.models import load, shipped_ids, suggestion
from vinlab.networks.configs import KINDS, network_from_plain, network_to_plain
from vinlab.types import InputError


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "run"
    return GRIDWORLD.train(TrainingRequest(id="gridworld/8/vin", out=out, budget="smoke"), lambda *_: None)


def test_a_run_loads_with_the_weights_it_ended_with(run):
    first, second = load(run.folder), load(str(run.folder))
    observation = torch.rand(2, 2, 8, 8)
    states = torch.randint(8, (2, 5, 2))
    assert torch.equal(first.network(observation, states)[0], second.network(observation, states)[0])
    assert first.id == "gridworld/8/vin"
    assert first.size == 8
    assert not first.network.training


def test_an_unfinished_run_is_no_model(run, tmp_path):
    folder = tmp_path / "unfinished"
    folder.mkdir()
    (folder / "manifest.json").write_bytes((run.folder / "manifest.json").read_bytes())
    with pytest.raises(InputError, match="unfinished"):
        load(folder)


def test_a_manifest_with_an_unknown_network_is_refused(run, tmp_path):
    folder = tmp_path / "strange"
    folder.mkdir()
    for path in run.folder.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["config"]["network"]["kind"] = "oracle"
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError, match="kind of network must be one of"):
        load(folder)
    manifest["config"]["network"] = {"kind": "vin", "depth": 3}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError, match="do not fit a vin"):
        load(folder)


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(InputError, match="There is no model or run 'gridworld/29/vin'"):
        load("gridworld/29/vin")
    assert suggestion("gridwold/8", ["gridworld/8/vin", "web/vin"]) == "; did you mean gridworld/8/vin"
    assert suggestion("zzz", ["a", "b"]) == "; known are a, b"


@pytest.mark.parametrize(
    "kind",
    ["vin", "authors-vin", "untied-vin", "lossless-vin", "hierarchical-vin", "lossless-hierarchical-vin"],
)
def test_settings_of_networks_go_to_plain_data_and_back(kind):
    config = KINDS[kind](iterations=(2, 3) if "hierarchical" in kind else 3)
    plain = json.loads(json.dumps(network_to_plain(config)))
    rebuilt, original = network_from_plain(plain), config.build()
    shapes = [{name: tuple(w.shape) for name, w in n.state_dict().items()} for n in (rebuilt, original)]
    assert shapes[0] == shapes[1]


@pytest.mark.parametrize("id", shipped_ids())
def test_shipped_models_load_and_have_a_card(id):
    model = vinlab.load(id)
    for entry in ("config", "scores", "commit", "date", "licence", "limits"):
        assert entry in model.card, entry


@pytest.mark.parametrize(
    "id", ["gridworld/8/vin", "gridworld/16/vin", "gridworld/28/vin", "gridworld/28/hvin"]
)
def test_the_shipped_planners_solve_maps_that_nobody_has_seen_as_their_cards_say(id):
    model = load(id)
    rng = np.random.default_rng([1_618, model.size])
    scores = vinlab.evaluate(model.network, sample_problems(GridworldConfig(size=model.size), 400, rng=rng))
    assert scores.success_rate >= 0.995
    assert scores.optimal_action_accuracy >= 0.997
    assert abs(scores.trajectory_difference) <= 0.02
    assert scores.success_rate == pytest.approx(model.card["scores"]["success_rate"], abs=0.005)
