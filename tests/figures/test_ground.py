"""Figures of routes over images of ground."""

import numpy as np
import pytest

from vinlab.figures.ground import GroundView, ground_figure
from vinlab.types import InputError


def view(costs, **more):
    image = np.zeros((*costs.shape, 3), np.float32)
    return GroundView(image, np.array([[0, 0], [1, 1]]), learned=costs, **more)


def scale_labels(figure):
    figure.draw_without_rendering()
    shown = [[label.get_text() for label in axes.get_xticklabels()] for axes in figure.axes]
    return [labels for labels in shown if any(labels)]


def test_one_scale_of_colours_tells_the_costs_of_all_rows():
    views = [view(np.full((4, 6), 2.0)), view(np.linspace(1, 100, 30).reshape(5, 6))]
    assert scale_labels(ground_figure(views)) == [["1", "10", "100"]]


def test_learned_and_true_costs_have_a_scale_each():
    costs = np.linspace(1, 4, 24).reshape(4, 6)
    assert scale_labels(ground_figure([view(costs, true=costs / 2)])) == [["1", "2", "4"], ["0.5", "1", "2"]]


def test_without_costs_there_is_no_scale():
    image = np.zeros((4, 6, 3), np.float32)
    assert scale_labels(ground_figure([GroundView(image, np.array([[0, 0]]))])) == []


def test_costs_that_are_all_equal_can_be_drawn():
    ground_figure([view(np.full((4, 6), 3.0))]).draw_without_rendering()


def test_a_figure_of_nothing_is_refused():
    with pytest.raises(InputError, match="expected at least one problem"):
        ground_figure([])
