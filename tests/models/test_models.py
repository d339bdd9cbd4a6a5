import json
from dataclasses import MISSING, fields
from pathlib import Path

import numpy as np
import pytest
import torch

import vinlab
from vinlab.domains.gridworld.problem import GridworldConfig, sample_problems
from vinlab.experiments import experiment_named
from vinlab.experiments.base import TrainingRequest
from vinlab.experiments.results import count_parameters
from vinlab.experiments.runner import train
from vinlab.models import SHIPPED, default_id, load, read_card, shipped_ids, stem_of, suggestion
from vinlab.networks.configs import OLD_KINDS, OLD_WEIGHTS, REGISTRY, config_class, network_config
from vinlab.recording.files import write_json
from vinlab.recording.json_files import read_json_object
from vinlab.recording.serialization import to_plain
from vinlab.recording.weights import load_tensors, save_tensors
from vinlab.types import InputError

RECORDED = Path(__file__).parents[2] / "results" / "runs"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    request = TrainingRequest(
        id="gridworld/8/vin", out=tmp_path_factory.mktemp("runs") / "run", budget="smoke"
    )
    return train(experiment_named("gridworld"), request)


def copy_of(run, folder):
    folder.mkdir()
    for path in run.folder.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    write_json(folder / "result.json", run.result)  # without checksums, so that other settings can be tried
    return folder


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
    with pytest.raises(InputError, match="expected a finished run, got an unfinished one"):
        load(folder)


def test_a_run_whose_weights_were_not_kept_is_no_model(run, tmp_path):
    folder = copy_of(run, tmp_path / "scores")
    (folder / "weights.safetensors").unlink()
    with pytest.raises(
        InputError, match=r"expected weights\.safetensors, got a run of which the scores alone"
    ):
        load(folder)


def test_a_manifest_with_an_unknown_network_is_refused(run, tmp_path):
    folder = copy_of(run, tmp_path / "strange")
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    manifest["config"]["network"]["kind"] = "oracle"
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError, match="expected a kind of network among"):
        load(folder)
    manifest["config"]["network"] = {"kind": "vin", "depth": 3}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError, match=r"expected the fields of VinConfig .*, got depth"):
        load(folder)


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(InputError, match="There is no model or run 'gridworld/29/vin'"):
        load("gridworld/29/vin")
    assert suggestion("gridwold/8", ["gridworld/8/vin", "web/vin"]) == "; did you mean gridworld/8/vin?"
    assert suggestion("zzz", ["a", "b"]) == "; known are a, b."


def settings_of(kind):
    """The settings of a kind, with small numbers for the fields that have no default."""
    small = {"iterations": (2, 3) if "hierarchical" in kind else 3, "size": 8}
    small |= {"filters": (2, 2), "pooled": 2, "full": (4,), "initial": (1.0, 0.5)}
    found = config_class(kind)
    needed = [field.name for field in fields(found) if field.default is MISSING]
    return found(**{name: small[name] for name in needed})


def shapes_of(network):
    return {name: tuple(weight.shape) for name, weight in network.state_dict().items()}


@pytest.mark.parametrize("kind", REGISTRY)
def test_settings_of_networks_become_plain_data_and_back(kind):
    config = settings_of(kind)
    plain = json.loads(json.dumps(to_plain(config)))
    assert plain["kind"] == kind
    assert network_config(plain) == config
    assert shapes_of(network_config(plain).build()) == shapes_of(config.build())


@pytest.mark.parametrize(("old", "new"), OLD_KINDS.items())
def test_kinds_of_version_0_1_are_understood(old, new):
    config = settings_of(new)
    assert network_config({**to_plain(config), "kind": old}) == config


def test_a_removed_field_is_accepted_with_the_value_that_was_kept():
    plain = {"kind": "hierarchical-vin", "iterations": [2, 3]}
    assert network_config({**plain, "leaving": 0.0}) == network_config(plain)
    with pytest.raises(InputError, match="got leaving"):
        network_config({**plain, "leaving": 1.0})


def test_weights_with_names_of_version_0_1_are_loaded(run, tmp_path):
    folder = copy_of(run, tmp_path / "old")
    old = {new: name for name, new in OLD_WEIGHTS.items()}
    current = load_tensors(folder / "weights.safetensors")
    renamed = {
        ".".join(old.get(part, part) for part in name.split(".")): one for name, one in current.items()
    }
    assert renamed.keys() != current.keys()
    save_tensors(folder / "weights.safetensors", renamed)
    found = load(folder).network.state_dict()
    assert all(torch.equal(found[name], current[name]) for name in current)


def recorded_manifests():
    return sorted(RECORDED.rglob("manifest.json"))


def test_every_recorded_manifest_rebuilds_its_network():
    """One build of each configuration; the number of parameters is the recorded one."""
    built: dict[str, int] = {}
    for path in recorded_manifests():
        config, result = read_json_object(path)["config"], read_json_object(path.with_name("result.json"))
        if "network" not in config:  # the run evaluated a shipped model
            continue
        network, data = dict(config["network"]), config["data"]
        old = "encyclopedia" in data and network["kind"] != "seen-graph-vin" and "dimension" not in network
        if old:  # version 0.1 read it from the weights
            synthetic = data["source"] == "synthetic"
            network["dimension"] = data["encyclopedia"]["dimension"] if synthetic else 100
        key = json.dumps(network, sort_keys=True)
        if key not in built:
            built[key] = count_parameters(network_config(network).build())
        if "parameters" in result:
            assert result["parameters"] == built[key], path
    assert len(built) > 20


@pytest.mark.parametrize("id", shipped_ids())
def test_shipped_models_load_and_have_a_card(id):
    model = vinlab.load(id)
    for entry in ("config", "scores", "commit", "date", "licence", "limits"):
        assert entry in model.card, entry
    assert shapes_of(network_config(read_card(id)["config"]["network"]).build()) == shapes_of(model.network)


@pytest.mark.parametrize("id", ["web/tree/pages", "web/full/members", "control/vin", "rl/8/vin"])
def test_runs_of_every_domain_load_with_their_weights(id, tmp_path):
    request = TrainingRequest(id=id, out=tmp_path / "run", budget="smoke")
    run = train(experiment_named(id.split("/")[0]), request)
    model = vinlab.load(run.folder)
    trained = load_tensors(run.folder / "weights.safetensors")
    assert model.id == id
    assert all(torch.equal(model.network.state_dict()[name], trained[name]) for name in trained)


def test_the_default_model_serves_any_map_under_the_same_rule(monkeypatch):
    assert default_id(corner_cutting=True) == "grid/any"
    assert default_id(corner_cutting=False) in shipped_ids()
    cards = {
        "a/small": {"config": {"data": {"corner_cutting": False}}},
        "b/any": {"serves": "any map", "config": {"data": {}}},
        "c/strict": {"serves": "any map", "config": {"data": {"corner_cutting": False}}},
    }
    monkeypatch.setattr(vinlab.models, "shipped_ids", lambda: list(cards))
    monkeypatch.setattr(vinlab.models, "read_card", cards.__getitem__)
    assert (default_id(corner_cutting=True), default_id(corner_cutting=False)) == ("b/any", "c/strict")


@pytest.mark.parametrize(
    "id", ["gridworld/8/vin", "gridworld/16/vin", "gridworld/28/vin", "gridworld/28/hvin"]
)
def test_the_shipped_planners_solve_unseen_maps_as_their_cards_say(id):
    model = load(id)
    rng = np.random.default_rng([1_618, model.size])
    scores = vinlab.evaluate(model.network, sample_problems(GridworldConfig(size=model.size), 400, rng=rng))
    assert scores.success_rate >= 0.995
    assert scores.optimal_action_accuracy >= 0.997
    assert abs(scores.trajectory_difference) <= 0.02
    assert scores.success_rate == pytest.approx(model.card["scores"]["success_rate"], abs=0.005)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"network": 3}, "expected its kind and settings, got a int"),
        ({"network": {"kind": ["vin"]}}, "expected a kind of network"),
        ({"network": {"kind": "vin", "iterations": -1}}, "whole numbers of at least 1, got -1"),
        ({"network": {"kind": "vin", "iterations": 10**9}}, "numbers up to 100,000"),
        ({"network": {"kind": "vin", "iterations": "16"}}, "expected int, got '16'"),
        ({"network": {"kind": "vin", "iterations": 2, "hidden": 10**6}}, "numbers up to 8,192"),
        ({"network": {"kind": "hierarchical-vin", "iterations": [1] * 1000}}, "at most 64 entries"),
        (
            {"network": {"kind": "cnn", "size": 4096, "filters": [8192] * 5, "pooled": []}},
            "got a far larger one",
        ),
        ({"network": {"kind": "cnn", "size": 8, "filters": [0], "pooled": [7]}}, "expected"),
        ({"data": 3}, "expected the settings of its data, got a int"),
        ({"data": {"size": "8"}}, "expected a size of 0 to 4096"),
        ({"data": {"size": 10**9}}, "expected a size of 0 to 4096"),
        ({"data": {"size": True}}, "expected a size of 0 to 4096"),
        ({"data": {"corner_cutting": "no"}}, "expected true or false as corner_cutting"),
    ],
)
def test_settings_of_wrong_types_or_sizes_are_refused(run, tmp_path, change, sentence):
    folder = copy_of(run, tmp_path / "odd")
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    manifest["config"] |= change
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError, match=sentence):
        load(folder)


@pytest.mark.parametrize("config", [0.5, None, "x"])
def test_a_card_without_settings_is_refused(tmp_path, monkeypatch, config):
    (tmp_path / "a.json").write_text(json.dumps({"config": config}))
    monkeypatch.setattr("vinlab.models.SHIPPED", tmp_path)
    with pytest.raises(InputError, match="The card of a: expected a dict as config"):
        load("a")


@pytest.mark.parametrize("id", shipped_ids())
def test_shipped_weights_are_those_of_their_card(id, tmp_path, monkeypatch):
    for path in SHIPPED.glob(f"{stem_of(id)}.*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.setattr("vinlab.models.SHIPPED", tmp_path)
    load(id)
    weights = tmp_path / f"{stem_of(id)}.safetensors"
    data = bytearray(weights.read_bytes())
    data[-2] ^= 1
    weights.write_bytes(bytes(data))
    with pytest.raises(InputError, match="expected the checksum that its card names"):
        load(id)
