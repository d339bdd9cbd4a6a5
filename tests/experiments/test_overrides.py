"""Fields of a configuration are changed by name or from a file, recorded, and refused where they do not exist."""

import json

import pytest

from vinlab.cli import main
from vinlab.cli.table import runs_of
from vinlab.experiments import experiment_named, experiment_of
from vinlab.experiments.base import TrainingRequest
from vinlab.experiments.overrides import override, parse_overrides, read_overrides
from vinlab.experiments.runner import config_record, configuration, train
from vinlab.types import InputError

ID = "gridworld/8/vin"


def config_of(*texts: str, recipe="paper"):
    return override(experiment_of(ID).settings[ID].configure("smoke", recipe), parse_overrides(texts))


def test_a_field_is_changed_by_its_dotted_name():
    assert config_of("network.iterations=7").network.iterations == 7
    assert config_of("learning.clip=0.5").learning.clip == 0.5
    assert config_of("data.targets=everywhere").data.targets == "everywhere"
    assert config_of("learning.clip=null", recipe="default").learning.clip is None


def test_stages_are_changed_one_by_one_or_all_together():
    assert [stage.rate for stage in config_of("learning.stages.1.rate=3e-4").learning.stages] == [
        0.01,
        3e-4,
        0.002,
        0.001,
    ]
    assert config_of("learning.stages.epochs=3").learning.epochs == 12
    assert config_of("learning.epochs=5").learning.epochs == 20


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("learning.epocks=5", "expected a field of ImitationConfig, got 'epocks'"),
        ("learning", "expected NAME=VALUE such as learning.epochs=5, got 'learning'"),
        ("network.iterations=many", "network.iterations: expected int, got 'many'"),
        ("learning.clip.norm=1", "got a field of a single value"),
        ("learning.stages.9.rate=1", "expected a number below 4 and a field, got '9'"),
        ("network=vin", "expected the fields of a network, got 'vin'"),
    ],
)
def test_what_cannot_be_changed_is_refused(text, words):
    with pytest.raises(InputError, match=words):
        config_of(text)


def test_a_shown_configuration_trains_the_same_setting_again(tmp_path, capsys):
    main(["show", ID, "--budget", "smoke", "--set", "network.iterations=7"])
    file = tmp_path / "config.json"
    file.write_text(capsys.readouterr().out)
    experiment = experiment_of(ID)
    request = TrainingRequest(ID, tmp_path, "smoke", overrides=read_overrides(file, ID))
    found = config_record(experiment, request, configuration(experiment, request))
    shown = json.loads(file.read_text(encoding="utf-8"))
    assert {name: found[name] for name in ("network", "learning", "data")} == {
        name: shown[name] for name in ("network", "learning", "data")
    }
    with pytest.raises(InputError, match="expected the configuration of gridworld/16/vin, got that of"):
        read_overrides(file, "gridworld/16/vin")


def test_a_changed_run_records_its_changes_and_stays_out_of_tables(tmp_path, capsys):
    seen = []
    request = TrainingRequest(
        ID, tmp_path / "run", "smoke", overrides={"learning.epochs": 2}, on_metrics=seen.append
    )
    run = train(experiment_of(ID), request)
    assert run.manifest.overrides == {"learning.epochs": 2}
    assert [line["epoch"] for line in seen] == [1, 2]
    assert all("loss" in line for line in seen)
    with pytest.raises(InputError, match="expected finished runs of gridworld, got none"):
        runs_of(experiment_named("gridworld"), tmp_path)
    assert "changes learning.epochs" in capsys.readouterr().err
