"""Commands that name a model say what is missing, and compute on the device that is named."""

import pytest

from vinlab.cli import main
from vinlab.cli.models import load_model
from vinlab.evaluation.rollout import device_of
from vinlab.models.names import suggestion
from vinlab.types import InputError


@pytest.mark.parametrize("command", [["evaluate"], ["plot"], ["export"]])
def test_a_setting_without_shipped_weights_is_to_be_trained_first(command, capsys, tmp_path):
    out = [str(tmp_path / "x.onnx")] if command == ["export"] else []
    with pytest.raises(SystemExit):
        main([*command, "gridworld/16/cnn", *out])
    assert "Train it first (vinlab train gridworld/16/cnn)" in capsys.readouterr().err


def test_a_name_is_suggested_once():
    assert suggestion("grid/anny", ["grid/any", "grid/any"]) == "; did you mean grid/any?"


def test_the_device_is_checked():
    with pytest.raises(InputError, match="--device: expected a device that PyTorch has here"):
        load_model("gridworld/8/vin", device="nonsense")
    assert next(load_model("gridworld/8/vin", device="meta").network.parameters()).device.type == "meta"


def test_a_table_without_recorded_runs_says_where_they_lie(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        main(["table", "gridworld"])
    assert "not in the installed package: name their folder with --runs" in capsys.readouterr().err


def test_the_page_plans_on_the_device_that_is_named(monkeypatch):
    from vinlab.cli import serve

    found = {}
    monkeypatch.setattr(serve, "serve_page", lambda models, **options: found.update(models))
    serve.serve(("gridworld/8/vin",), device="meta")
    assert device_of(found["gridworld/8/vin"].network).type == "meta"
    with pytest.raises(InputError, match="--device: expected a device that PyTorch has here"):
        serve.serve(("gridworld/8/vin",), device="abacus")
