"""``vinlab show`` prints what the manifest of a run holds."""

import json

from vinlab.cli import main


def shown(capsys, *arguments: str) -> dict:
    capsys.readouterr()
    main(["show", *arguments])
    return json.loads(capsys.readouterr().out)


def test_a_setting_is_shown_as_its_manifest_holds_it(run, capsys):
    config = shown(capsys, "gridworld/8/vin", "--budget", "smoke")
    assert config.pop("id") == "gridworld/8/vin"
    assert (config.pop("budget"), config.pop("recipe")) == ("smoke", "default")
    assert config == json.loads((run / "manifest.json").read_text())["config"]
    assert config["network"]["kind"] == "cost-vin"


def test_the_recipe_is_shown(capsys):
    config = shown(capsys, "gridworld/28/vin", "--recipe", "paper")
    assert config["learning"]["optimiser"] == "rmsprop"
    assert [stage["rate"] for stage in config["learning"]["stages"]] == [0.01, 0.005, 0.002, 0.001]


def test_a_run_is_shown(run, capsys):
    assert shown(capsys, str(run))["manifest"]["seed"] == 0
