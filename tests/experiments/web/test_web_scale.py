import re

import pytest

import vinlab
from vinlab.cli import main
from vinlab.experiments.base import EvaluateRequest, TrainingRequest
from vinlab.experiments.runner import train
from vinlab.experiments.web import EXPERIMENT
from vinlab.experiments.web.browse import browser_of
from vinlab.types import InputError


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("scale") / "vin"
    return train(EXPERIMENT, TrainingRequest(id="web/500k/vin", out=out, budget="smoke", recipe="paper"))


def test_the_vin_is_trained_without_backups_first_and_plans_on_the_smaller_site(run):
    assert [line["stage"] for line in run.metrics()] == ["reward", "joint"]
    assert run.result["planning_pages"] == 200
    assert run.manifest.config["network"]["iterations"] == 5
    assert run.result["scores"]["root"]["num_problems"] == 30


def test_a_run_evaluates_to_its_recorded_scores(run):
    found = EXPERIMENT.evaluate(vinlab.load(run.folder), EvaluateRequest())
    assert found.scores["root"] == run.result["scores"]["root"]


def test_the_papers_numbers_stand_beside_ours(run):
    text = re.sub(" +", " ", EXPERIMENT.table([run]))
    assert "| full Wikipedia (paper) | baseline | – | 0.520 | 0.244 | 0.278 |" in text
    assert "| full Wikipedia (paper) | vin | – | 0.506 | 0.261 | 0.304 |" in text
    assert "generated, 500,000 pages" in text


def test_the_large_settings_have_the_papers_sizes():
    for size, pages in (("500k", 500_000), ("4800k", 4_800_000)):
        config = EXPERIMENT.settings[f"web/{size}/vin"].configure("paper", "paper")
        assert config.data.site.pages == pages
        assert config.data.site.planning_pages == 4600
        assert config.first.part == "reward"


def test_iterations_are_printed_and_a_site_without_words_cannot_be_browsed(run, capsys):
    main(["evaluate", str(run.folder), "--iterations", "1"])
    assert "iterations 1 (its own are 5)." in capsys.readouterr().out
    with pytest.raises(InputError, match=r"on a site with words .*, got web/500k/vin"):
        browser_of(vinlab.load(run.folder), None)


def test_real_data_are_refused(tmp_path):
    request = TrainingRequest(id="web/500k/vin", out=tmp_path / "x", budget="smoke", data=tmp_path)
    with pytest.raises(InputError, match=r"does not support --data .*: its site is generated"):
        train(EXPERIMENT, request)
