"""``vinlab show`` prints what the manifest of a run holds."""

import json

import pytest

from vinlab.cli import main
from vinlab.models import read_card, shipped_ids


def shown(capsys, *arguments: str) -> dict:
    capsys.readouterr()
    main(["show", *arguments])
    return json.loads(capsys.readouterr().out)


def test_a_setting_is_shown_as_its_manifest_holds_it(run, capsys):
    config = shown(capsys, "gridworld/8/vin", "--budget", "smoke")
    assert config.pop("id") == "gridworld/8/vin"
    assert (config.pop("budget"), config.pop("recipe")) == ("smoke", "default")
    assert config == json.loads((run / "manifest.json").read_text(encoding="utf-8"))["config"]
    assert config["network"]["kind"] == "cost-vin"


def test_the_recipe_is_shown(capsys):
    config = shown(capsys, "gridworld/28/vin", "--recipe", "paper")
    assert config["learning"]["optimiser"] == "rmsprop"
    assert [stage["rate"] for stage in config["learning"]["stages"]] == [0.01, 0.005, 0.002, 0.001]


def test_a_run_is_shown(run, capsys):
    assert shown(capsys, str(run))["manifest"]["seed"] == 0


@pytest.mark.parametrize("id", shipped_ids())
def test_the_card_of_a_shipped_model_names_its_limits_scores_and_training(id, capsys):
    main(["show", id, "--card"])
    said, card = capsys.readouterr().out, read_card(id)
    assert card["limits"].rstrip(".")[1:] in said
    assert card["command"] in said
    assert "Unseen problems: " in said
    assert "licence MIT" in said


def test_the_configuration_of_a_shipped_model_leads_to_its_card(capsys):
    main(["show", "grid/any"])
    said = capsys.readouterr()
    assert json.loads(said.out)["id"] == "grid/any"
    assert "vinlab show grid/any --card" in said.err


def test_the_card_of_a_group_names_the_worst_set(capsys):
    main(["show", "grid/unrolled", "--card"])
    assert "extra steps, mean 0.055 (mazes 15)" in capsys.readouterr().out


def test_a_setting_without_weights_has_no_card(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["show", "gridworld/8/cnn", "--card"])
    assert stopped.value.code == 1
    assert "--card: expected a shipped model, got 'gridworld/8/cnn'" in capsys.readouterr().err
