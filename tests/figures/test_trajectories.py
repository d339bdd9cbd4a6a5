"""Trajectories: obstacles are drawn where they are, rows run downwards, the animation moves."""

import numpy as np
import pytest
from matplotlib.patches import Rectangle
from PIL import Image

from vinlab.figures.trajectories import Domains, progress_figure, save_animation, trajectories_figure
from vinlab.types import InputError

BOXES = np.array(
    [[[-0.5, 0.2, 0.1, 0.3], [0.0, 0.0, 0.0, 0.0]], [[0.4, -0.4, 0.2, 0.2], [0.0, 0.6, 0.1, 0.1]]]
)
STARTS, GOALS = np.array([[-0.9, 0.0], [0.0, -0.9]]), np.array([[0.9, 0.1], [0.1, 0.9]])


DOMAINS = Domains(BOXES, STARTS, GOALS)
COLOURS = {"VIN": "#0000ff", "CNN": "#ff0000"}


def trajectories(steps=20):
    share = np.linspace(0, 1, steps)[None, :, None]
    straight = STARTS[:, None] + share * (GOALS - STARTS)[:, None]
    return {"VIN": straight, "CNN": straight * np.array([1.0, 0.5])}


def test_each_domain_has_a_panel_with_its_obstacles_and_every_trajectory():
    figure = trajectories_figure(DOMAINS, trajectories(), COLOURS, title="two")
    assert len(figure.axes) == 2
    patches = [[patch for patch in axes.patches if isinstance(patch, Rectangle)] for axes in figure.axes]
    assert [len(found) for found in patches] == [1, 2]
    box = patches[0][0]
    np.testing.assert_allclose([*box.get_xy(), box.get_width(), box.get_height()], [-0.1, -0.6, 0.6, 0.2])
    low, high = figure.axes[0].get_ylim()
    assert low > high  # rows run downwards
    assert figure.axes[0].get_xlabel() == "VIN 0.00, CNN 0.05"


def test_a_controller_has_the_same_colour_whatever_is_drawn_beside_it():
    alone = {"CNN": trajectories()["CNN"]}
    for shown in (trajectories(), alone):
        (axes, *_) = trajectories_figure(DOMAINS, shown, COLOURS).axes
        lines = {line.get_label(): line.get_color() for line in axes.get_lines()}
        assert lines["CNN"] == COLOURS["CNN"]


def test_the_animation_moves_and_stops_at_the_end(tmp_path):
    path = save_animation(tmp_path / "animation.gif", DOMAINS, trajectories(), COLOURS, radius=0.05)
    with Image.open(path) as animation:
        assert animation.n_frames >= 7
        animation.seek(0)
        first = np.asarray(animation.convert("RGB")).astype(int)
        animation.seek(animation.n_frames - 1)
        last = np.asarray(animation.convert("RGB")).astype(int)
    assert np.abs(first - last).max() > 100


def test_the_progress_of_several_seeds_is_drawn_with_its_ends():
    figure = progress_figure([[1.6, 0.8, 0.4], [1.4, 0.9, 0.2]], title="search")
    assert {text.get_text() for text in figure.axes[0].texts} == {"1.50", "0.30"}


def test_nothing_to_draw_is_refused():
    with pytest.raises(InputError, match="at least one domain"):
        trajectories_figure(Domains(BOXES[:0], STARTS[:0], GOALS[:0]), {}, {})
