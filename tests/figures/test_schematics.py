"""The schematic figures: no box covers another, and no text leaves its box."""

import itertools

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch
from matplotlib.transforms import Bbox

from vinlab.figures.schematics import hierarchical_figure, planning_module_figure, vin_figure


def boxes_and_texts(figure: Figure) -> tuple[list[Bbox], list[tuple[str, Bbox]]]:
    renderer = FigureCanvasAgg(figure).get_renderer()
    (axes,) = figure.axes
    boxes = [patch.get_window_extent() for patch in axes.patches if isinstance(patch, FancyBboxPatch)]
    return boxes, [(text.get_text(), text.get_window_extent(renderer)) for text in axes.texts]


@pytest.mark.parametrize("draw", [vin_figure, planning_module_figure, hierarchical_figure])
def test_nothing_overlaps_and_nothing_is_cut_off(draw):
    figure = draw()
    boxes, texts = boxes_and_texts(figure)
    assert not [pair for pair in itertools.combinations(boxes, 2) if Bbox.intersection(*pair) is not None]
    width, height = figure.canvas.get_width_height()
    for words, extent in texts:
        assert 0 < extent.x0 < extent.x1 < width, words
        assert 0 < extent.y0 < extent.y1 < height, words
        touched = [box for box in boxes if Bbox.intersection(box, extent) is not None]
        inside = [box for box in touched if box.containsx(extent.x0) and box.containsx(extent.x1)]
        assert touched == inside, words


def test_the_parts_are_named():
    texts = {words for draw in (vin_figure, hierarchical_figure) for words, _ in boxes_and_texts(draw())[1]}
    assert {"reward\n$f_R$", "transition\n$f_P$", "policy\n$\\pi_{re}$", "upsampled\nvalue"} <= texts
