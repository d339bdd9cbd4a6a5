import subprocess
import sys
from dataclasses import replace

import pytest
import torch
from safetensors.torch import load_file

from vinlab.experiments import experiment_named
from vinlab.experiments.base import TrainingRequest
from vinlab.experiments.runner import train
from vinlab.models.publish import card_of, publish
from vinlab.recording.json_files import read_json_object


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "run"
    request = TrainingRequest(id="gridworld/8/vin", out=out, budget="smoke", seed=3)
    return train(experiment_named("gridworld"), request)


def test_a_run_is_published_with_its_weights_and_a_card(run, tmp_path):
    card = read_json_object(publish(run.folder, limits="a test", out=tmp_path))
    assert card["command"] == "vinlab train gridworld/8/vin --recipe default --budget smoke --seed 3"
    assert card["scores"] == run.result["scores"]
    assert card["limits"] == "a test"
    assert "serves" not in card
    shipped = load_file(tmp_path / "gridworld_8_vin.safetensors")
    trained = load_file(run.folder / "weights.safetensors")
    assert all(torch.equal(shipped[name], trained[name]) for name in trained)


def test_a_card_says_what_the_model_serves(run, tmp_path):
    assert (
        read_json_object(publish(run.folder, limits="", serves="any map", out=tmp_path))["serves"]
        == "any map"
    )


def test_the_entry_asks_for_the_limits(run):
    command = [sys.executable, "-m", "vinlab.models.publish", str(run.folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "--limits" in done.stderr


def test_a_card_names_the_real_data_of_the_training(run):
    assert "--data" not in card_of(run, "none")["command"]
    real = replace(run.manifest, config={"data": {"source": "jezero_ctx"}})
    assert card_of(replace(run, manifest=real), "none")["command"].endswith(" --data jezero_ctx")
