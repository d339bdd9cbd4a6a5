"""Pictures of the particle: obstacles and ends stand where they are, rows run downwards, the film moves."""

import numpy as np
import pytest
from matplotlib.patches import Rectangle
from PIL import Image

from vinlab.figures.control import progress_figure, save_animation, trajectories_figure
from vinlab.types import InputError

BOXES = np.array(
    [[[-0.5, 0.2, 0.1, 0.3], [0.0, 0.0, 0.0, 0.0]], [[0.4, -0.4, 0.2, 0.2], [0.0, 0.6, 0.1, 0.1]]]
)
STARTS, GOALS = np.array([[-0.9, 0.0], [0.0, -0.9]]), np.array([[0.9, 0.1], [0.1, 0.9]])


def ways(steps=20):
    share = np.linspace(0, 1, steps)[None, :, None]
    straight = STARTS[:, None] + share * (GOALS - STARTS)[:, None]
    return {"VIN": straight, "CNN": straight * np.array([1.0, 0.5])}


def test_each_domain_has_a_panel_with_its_obstacles_and_every_way():
    figure = trajectories_figure(BOXES, STARTS, GOALS, ways(), title="two")
    assert len(figure.axes) == 2
    patches = [[patch for patch in axes.patches if isinstance(patch, Rectangle)] for axes in figure.axes]
    assert [len(found) for found in patches] == [1, 2]
    box = patches[0][0]
    np.testing.assert_allclose([*box.get_xy(), box.get_width(), box.get_height()], [-0.1, -0.6, 0.6, 0.2])
    low, high = figure.axes[0].get_ylim()
    assert low > high  # rows run downwards
    assert figure.axes[0].get_xlabel() == "VIN 0.00, CNN 0.05"


def test_the_film_moves_and_stops_at_the_end(tmp_path):
    path = save_animation(tmp_path / "film.gif", BOXES, STARTS, GOALS, ways(), radius=0.05)
    with Image.open(path) as film:
        assert film.n_frames >= 7
        film.seek(0)
        first = np.asarray(film.convert("RGB")).astype(int)
        film.seek(film.n_frames - 1)
        last = np.asarray(film.convert("RGB")).astype(int)
    assert np.abs(first - last).max() > 100


def test_the_progress_of_several_seeds_is_drawn_with_its_ends():
    figure = progress_figure([[1.6, 0.8, 0.4], [1.4, 0.9, 0.2]], title="search")
    assert {text.get_text() for text in figure.axes[0].texts} == {"1.50", "0.30"}


def test_nothing_to_draw_is_refused():
    with pytest.raises(InputError, match="at least one domain"):
        trajectories_figure(BOXES[:0], STARTS[:0], GOALS[:0], {})
