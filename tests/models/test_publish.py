import torch
from safetensors.torch import load_file

from vinlab.experiments import GRIDWORLD, TrainingRequest
from vinlab.models.publish import publish
from vinlab.recording.files import read_json_object


def test_a_run_is_shipped_with_its_weights_and_what_one_should_know(tmp_path):
    request = TrainingRequest(id="gridworld/8/vin", out=tmp_path / "run", budget="smoke", seed=3)
    run = GRIDWORLD.train(request, lambda *_: None)
    card = read_json_object(publish(run.folder, limits="a test", out=tmp_path))
    assert card["command"] == "vinlab train gridworld/8/vin --recipe default --budget smoke --seed 3"
    assert card["scores"] == run.result["scores"]
    assert card["limits"] == "a test"
    shipped = load_file(tmp_path / "gridworld_8_vin.safetensors")
    trained = load_file(run.folder / "weights.safetensors")
    assert all(torch.equal(shipped[name], trained[name]) for name in trained)


def test_a_card_names_the_real_data_that_was_learned_from():
    from vinlab.models.publish import _data_option

    assert _data_option({"data": {"source": "jezero_ctx"}}) == " --data jezero_ctx"
    assert _data_option({"data": {"source": "generated"}}) == _data_option({"data": {}}) == ""
