from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg

from vinlab.figures.curves import curves_figure
from vinlab.types import InputError

RECORDS: list[dict[str, Any]] = [
    {
        "epoch": 1,
        "loss": 2.0,
        "validation_loss": 2.5,
        "success_rate": None,
        "learning_rate": 0.01,
        "seconds": 1,
    },
    {
        "epoch": 2,
        "loss": 1.0,
        "validation_loss": 1.5,
        "success_rate": 0.5,
        "learning_rate": 0.01,
        "seconds": 1,
    },
    {
        "epoch": 3,
        "loss": 0.1,
        "validation_loss": 0.4,
        "success_rate": 0.9,
        "learning_rate": 0.001,
        "seconds": 1,
    },
]


def curves(axes: Axes) -> dict[str, list[list[float]]]:
    return {str(line.get_label()): np.asarray(line.get_xydata()).tolist() for line in axes.get_lines()}


def test_each_quantity_is_drawn_where_it_was_measured() -> None:
    loss, share, rate = curves_figure(RECORDS).axes
    assert curves(loss) == {
        "loss": [[1, 2.0], [2, 1.0], [3, 0.1]],
        "validation loss": [[1, 2.5], [2, 1.5], [3, 0.4]],
    }
    assert curves(share) == {"success rate": [[2, 0.5], [3, 0.9]]}
    assert curves(rate) == {"learning rate": [[1, 0.01], [2, 0.01], [3, 0.001]]}
    assert (loss.get_yscale(), share.get_yscale()) == ("log", "linear")
    assert loss.get_xlabel() == "epoch"


def test_what_was_not_recorded_has_no_panel() -> None:
    figure = curves_figure([{"step": 10, "loss": 0.0}])
    assert [curves(axes) for axes in figure.axes] == [{"loss": [[10, 0.0]]}]
    assert figure.axes[0].get_xlabel() == "step"


def test_records_without_a_count_are_counted() -> None:
    (axes,) = curves_figure([{"loss": 1.0}, {"loss": 2.0}]).axes
    assert curves(axes) == {"loss": [[1, 1.0], [2, 2.0]]}


def test_what_another_stage_recorded_is_left_out() -> None:
    teacher = {"iteration": 0, "distance": 1.5}
    (axes,) = curves_figure([teacher, {"epoch": 5, "validation_distance": 0.5}]).axes
    assert curves(axes) == {"validation distance": [[5, 0.5]]}


def test_labels_of_one_panel_do_not_run_into_the_next() -> None:
    figure = curves_figure(RECORDS, title="a run")
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    boxes = [axes.get_tightbbox(canvas.get_renderer()) for axes in figure.axes]
    assert boxes[0].x0 >= 0
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))


def test_nothing_to_draw_is_said() -> None:
    with pytest.raises(InputError, match="at least one record"):
        curves_figure([])
    with pytest.raises(InputError, match=r"a loss, accuracy, success, distance or rate, got \['epoch'\]"):
        curves_figure([{"epoch": 1}])


def test_long_numbers_of_shares_do_not_run_into_another_panel() -> None:
    records = [
        {"epoch": epoch, "loss": 10.0**-epoch, "validation_success": success, "rate": 0.01}
        for epoch, success in ((1, 1.0), (2, 0.996), (3, 0.998))
    ]
    figure = curves_figure(records)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    words = [label.get_text() for label in figure.axes[1].get_yticklabels()]
    assert "100%" in words
    assert max(map(len, words)) <= len("99.65%")
    boxes = [axes.get_tightbbox(canvas.get_renderer()) for axes in figure.axes]
    for left, right in pairwise(boxes):
        assert left is not None
        assert right is not None
        assert left.x1 < right.x0
