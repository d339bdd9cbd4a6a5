"""Figures of terrain show what they are given, in the coordinates of cells."""

import numpy as np
import pytest

from vinlab.figures.save import save_figure
from vinlab.figures.terrain import TerrainView, terrain_figure, terrains_figure

IMAGE = np.random.default_rng(0).integers(0, 256, (64, 96), dtype=np.uint8)
PATH = np.array([[0, 0], [1, 1], [1, 2]])


def view(**more):
    return TerrainView(IMAGE, (0, 0), (1, 2), PATH, **more)


def test_a_view_with_all_there_is_has_three_panels_in_cells(tmp_path):
    obstacles = np.zeros((8, 12), bool)
    obstacles[3, 4] = True
    figure = terrain_figure(
        [view(obstacles=obstacles, shortest=PATH, reward=np.ones((8, 12)))] * 2, title="two"
    )
    *panels, scale = figure.axes
    assert len(panels) == 6
    assert all(axes.get_xlim() == (-0.5, 11.5) and axes.get_ylim() == (7.5, -0.5) for axes in panels)
    assert [text.get_text() for text in scale.texts] == ["low", "high"]
    cover = np.asarray(figure.axes[0].images[1].get_array())
    assert np.array_equal(cover[..., 3] > 0, obstacles)
    save_figure(figure, tmp_path / "f.png")


def test_without_slopes_or_rewards_those_panels_are_left_out():
    assert [axes.get_title() for axes in terrain_figure([view()]).axes] == ["paths"]
    assert len(terrain_figure([view(reward=np.zeros((8, 12)))]).axes) == 3


def test_a_caption_is_written_above_the_paths():
    figure = terrain_figure([view(caption="stopped"), view(), view(caption="stopped")])
    assert [axes.get_title() for axes in figure.axes] == ["paths, stopped", "", "stopped"]


def test_a_path_that_never_leaves_its_start_is_a_cross():
    standing = TerrainView(IMAGE, (0, 0), (1, 2), np.zeros((3, 2), np.int64))
    markers = [line.get_marker() for line in terrain_figure([standing]).axes[0].lines]
    assert "x" in markers
    assert "x" not in [line.get_marker() for line in terrain_figure([view()]).axes[0].lines]


def test_the_goals_own_reward_does_not_hide_the_others():
    reward = np.linspace(-1.0, 0.0, 96).reshape(8, 12)
    reward[1, 2] = 100.0
    colours = np.asarray(terrain_figure([view(reward=reward)]).axes[1].images[1].get_array())
    assert np.abs(colours[0, 0, :3] - colours[7, 11, :3]).max() > 0.5


def test_terrains_are_shown_side_by_side_with_their_shares():
    squares = [np.zeros((20, 20), np.uint8)] * 2
    slopes = [np.full((20, 20), 5.0, np.float32)] * 2
    pixels = {"a": np.array([1.0, 2.0, 11.0, 30.0], np.float32), "b": np.ones(4, np.float32)}
    figure = terrains_figure({"a": squares, "b": squares}, {"a": slopes, "b": slopes}, pixels)
    line = figure.axes[-1].lines[0]
    assert np.interp(10.0, line.get_xdata(), line.get_ydata()) == pytest.approx(0.5)
