import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex

from vinlab.figures import style
from vinlab.figures.paths import paths_figure
from vinlab.types import GridProblems, InputError

PROBLEMS = GridProblems(
    obstacles=np.zeros((4, 3, 5), np.uint8),
    starts=np.zeros((4, 2), np.int64),
    goals=np.tile(np.array([[0, 2]]), (4, 1)),
)
STRAIGHT = np.array([(0, 0), (0, 1), (0, 2)])
ROUND = np.array([(0, 0), (1, 0), (1, 1), (0, 2)])
STUCK = np.array([(0, 0), (0, 1), (0, 1), (0, 1)])


def test_each_panel_says_and_shows_how_it_ended() -> None:
    predicted, shortest = [STRAIGHT, ROUND, STUCK, STUCK[:1]], [STRAIGHT, STRAIGHT, STRAIGHT, None]
    figure = paths_figure(PROBLEMS, predicted, shortest, columns=3)
    assert [axes.get_xlabel() for axes in figure.axes] == [
        "✓ 2 steps, shortest 2",
        "✓ 3 steps, shortest 2",
        "✗ not reached in 3 steps",
        "no path to the goal",
    ]
    frames = [to_hex(axes.spines["top"].get_edgecolor()).upper() for axes in figure.axes]
    assert frames == [style.GREEN, style.GREEN, style.VERMILION, style.FRAME]


def test_there_is_one_legend_that_names_each_thing_once() -> None:
    figure = paths_figure(PROBLEMS[:2], [STUCK, STRAIGHT], [None, STRAIGHT])
    assert len(figure.legends) == 1
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    assert sorted(words) == ["goal", "predicted path", "shortest path", "start"]


@pytest.mark.parametrize(("columns", "count"), [(1, 1), (4, 1), (2, 4), (4, 4), (9, 4)])
def test_panels_and_words_do_not_overlap(columns: int, count: int) -> None:
    figure = paths_figure(
        PROBLEMS[:count], [STUCK] * count, [STRAIGHT] * count, columns=columns, title="paths"
    )
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    boxes = [axes.get_tightbbox(canvas.get_renderer()) for axes in figure.axes]
    boxes.append(figure.legends[0].get_window_extent(canvas.get_renderer()))
    assert len(boxes) == count + 1
    for index, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[index + 1 :])


def test_missing_paths_are_refused() -> None:
    with pytest.raises(InputError, match="each of 4 problems, got 1 predicted and 4 shortest paths"):
        paths_figure(PROBLEMS, [STRAIGHT], [None] * 4)
    with pytest.raises(InputError, match="expected at least one, got none"):
        paths_figure(PROBLEMS[:0], [], [])
