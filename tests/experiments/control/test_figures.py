"""Figures of a model and of all runs together."""

from dataclasses import replace

import pytest
from PIL import Image

from vinlab.experiments.control import figures
from vinlab.experiments.control.data import ControlData
from vinlab.models import load
from vinlab.types import InputError


@pytest.fixture(autouse=True)
def few_domains(monkeypatch):
    monkeypatch.setattr(figures, "DOMAINS", 2)
    monkeypatch.setattr(figures, "ANIMATED", 1)
    monkeypatch.setattr(figures, "ControlData", lambda: ControlData(test_domains=8))


def test_a_model_is_drawn_with_an_animation_and_its_teacher(searched, tmp_path):
    drawn = figures.draw_model(load(searched.folder), tmp_path, None, None)
    names = ["control_trajectories.png", "control.gif", "control_search.png"]
    assert [path.name for path in drawn] == names
    with Image.open(tmp_path / "control.gif") as animation:
        assert animation.n_frames > 20


def test_a_problem_beyond_the_test_domains_is_refused(searched, tmp_path):
    with pytest.raises(InputError, match="--problem: expected 0 to 6, got 7"):
        figures.draw_model(load(searched.folder), tmp_path, 7, None)


def test_all_runs_are_drawn_together(searched, tmp_path):
    full = replace(searched, manifest=replace(searched.manifest, budget="paper"))
    assert [path.name for path in figures.draw_runs([full], tmp_path)] == ["control_search.png"]
    other = replace(full, manifest=replace(full.manifest, id="control/cnn"))
    assert [path.name for path in figures.draw_runs([full, other], tmp_path)] == [
        "control_paper_trajectories.png",
        "control_paper.gif",
        "control_search.png",
    ]
