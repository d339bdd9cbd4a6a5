import itertools

import numpy as np
import pytest

from vinlab.figures.labels import LabelPlacer, corners_of, overlap
from vinlab.figures.style import new_figure, place
from vinlab.figures.tree import TreePlan, tree_figure

SQUARE = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]])
RIGHT = {"xytext": (6, 0), "textcoords": "offset points", "ha": "left", "va": "center"}
LEFT = {**RIGHT, "xytext": (-6, 0), "ha": "right"}


def axes():
    made = place(new_figure(4.0, 4.0), 0.0, 0.0, 4.0, 4.0)
    made.set(xlim=(0, 1), ylim=(0, 1))
    return made


def placer(points):
    return LabelPlacer(axes(), np.array(points), np.full(len(points), 3.0))


@pytest.mark.parametrize(("shift", "expected"), [((1.9, 0), True), ((2.1, 0), False), ((0, 1.1), False)])
def test_rectangles_overlap(shift, expected):
    assert overlap(SQUARE, SQUARE + np.array(shift)) is expected


def test_a_turned_rectangle_overlaps_by_its_own_sides_and_not_by_its_hull():
    turn = np.array([[1, 1], [-1, 1]]) / np.sqrt(2)
    turned = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 0.2], [0.0, 0.2]]) @ turn
    corner = np.array([[2.0, 0.1], [2.8, 0.1], [2.8, 0.8], [2.0, 0.8]])
    assert (turned.min(axis=0) < corner.min(axis=0)).all()
    assert (turned.max(axis=0) > corner.max(axis=0)).all()
    assert not overlap(turned, corner)


def test_a_label_takes_the_side_that_covers_no_point():
    label = placer([[0.5, 0.5], [0.6, 0.5]]).place("a title", (0.5, 0.5), [RIGHT, LEFT], must=True)
    assert label is not None
    assert label.get_ha() == "right"


def test_a_label_that_covers_another_is_left_out_unless_it_must_be_drawn():
    busy = placer([[0.5, 0.5]])
    assert busy.place("first", (0.5, 0.5), [RIGHT], must=False) is not None
    assert busy.place("second", (0.5, 0.5), [RIGHT], must=False) is None
    assert busy.place("third", (0.5, 0.5), [RIGHT], must=True) is not None
    assert [text.get_text() for text in busy.axes.texts] == ["first", "third"]


def test_titles_of_a_crowded_tree_do_not_cover_each_other():
    parents = np.array([0, *[0] * 8, *np.repeat(np.arange(1, 9), 12)])
    titles = [f"A rather long title {node}" for node in range(len(parents))]
    plan = TreePlan(titles, parents, np.linspace(0, 1, len(parents)), [9, 1, 0, 8, 104], "query")
    labels = [text for text in tree_figure(plan).axes[0].texts if text.get_text()]
    assert len(labels) >= 12
    boxes = [corners_of(label) for label in labels]
    assert not [pair for pair in itertools.combinations(boxes, 2) if overlap(*pair)]
