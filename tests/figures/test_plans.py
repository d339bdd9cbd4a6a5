from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from vinlab.figures.plans import plan_figure
from vinlab.types import InputError

SIZES = [(1, 1), (1, 30), (30, 1), (8, 14), (16, 16), (100, 60)]


def a_plan(rows: int, cols: int, **changes: Any) -> Figure:
    rng = np.random.default_rng(0)
    obstacles = (rng.random((rows, cols)) < 0.3).astype(np.uint8)
    obstacles[0, 0] = obstacles[-1, -1] = 0
    settings: dict[str, Any] = {
        "predicted": np.array([(0, 0), (rows - 1, cols - 1)]),
        "shortest": np.array([(0, 0), (rows - 1, 0), (rows - 1, cols - 1)]),
        "start": (0, 0),
        "goal": np.array([rows - 1, cols - 1]),
        "title": "a plan",
    }
    reward, value = rng.normal(size=(2, rows, cols))
    return plan_figure(obstacles, reward, value, **settings | changes)


def panels(figure: Figure) -> dict[str, Axes]:
    return {axes.get_title(): axes for axes in figure.axes if axes.get_title()}


def line(axes: Axes, label: str) -> np.ndarray:
    return next(one.get_xydata() for one in axes.get_lines() if one.get_label() == label)


@pytest.mark.parametrize(("rows", "cols"), SIZES)
def test_cells_are_square_and_everything_is_on_the_sheet(rows: int, cols: int) -> None:
    figure = a_plan(rows, cols)
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    assert list(panels(figure)) == ["map and paths", "learned reward", "value"]
    for axes in panels(figure).values():
        box = axes.get_window_extent(renderer)
        assert box.width / box.height == pytest.approx(cols / rows, rel=0.01)
    sheet, ink = figure.bbox, figure.get_tightbbox(renderer).transformed(figure.dpi_scale_trans)
    assert sheet.x0 <= ink.x0
    assert sheet.y0 <= ink.y0
    assert ink.x1 <= sheet.x1
    assert ink.y1 <= sheet.y1


@pytest.mark.parametrize(("rows", "cols"), SIZES)
def test_the_legend_covers_no_map(rows: int, cols: int) -> None:
    figure = a_plan(rows, cols)
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    legend = panels(figure)["map and paths"].get_legend()
    assert legend is not None
    for axes in panels(figure).values():
        assert not legend.get_window_extent(renderer).overlaps(axes.get_window_extent(renderer).padded(-1))


def test_paths_are_drawn_with_rows_downwards_and_columns_to_the_right() -> None:
    axes = panels(a_plan(4, 6))["map and paths"]
    assert line(axes, "predicted path").tolist() == [[0, 0], [5, 3]]
    assert line(axes, "shortest path").tolist() == [[0, 0], [0, 3], [5, 3]]
    assert line(axes, "start").tolist() == [[0, 0]]
    assert line(axes, "goal").tolist() == [[5, 3]]
    assert axes.yaxis_inverted()


def test_obstacles_are_hidden_in_the_value_but_not_in_the_reward() -> None:
    figure = panels(a_plan(8, 8))
    obstacles = figure["map and paths"].get_images()[0].get_array()
    assert obstacles is not None
    assert np.array_equal(np.ma.getmaskarray(figure["value"].get_images()[0].get_array()), obstacles)
    assert not np.ma.getmaskarray(figure["learned reward"].get_images()[0].get_array()).any()


def test_without_a_shortest_path_the_legend_names_none() -> None:
    legend = panels(a_plan(8, 8, shortest=None))["map and paths"].get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["predicted path", "start", "goal"]


def test_numbers_that_are_not_finite_stay_pale() -> None:
    reward = np.array([[np.nan, 1.0, np.inf]])
    path = np.array([(0, 1)])
    figure = plan_figure(
        np.zeros((1, 3)), reward, np.zeros((1, 3)), predicted=path, shortest=None, start=(0, 1), goal=(0, 1)
    )
    FigureCanvasAgg(figure).draw()
    shown = panels(figure)["learned reward"].get_images()[0].get_array()
    assert np.ma.getmaskarray(shown).tolist() == [[True, False, True]]


def test_a_map_without_cells_is_refused() -> None:
    nothing = np.zeros((0, 3))
    with pytest.raises(
        InputError, match=r"obstacles: expected a map of rows and columns, got the shape \(0, 3\)"
    ):
        plan_figure(
            nothing, nothing, nothing, predicted=np.zeros((1, 2)), shortest=None, start=(0, 0), goal=(0, 0)
        )


def test_the_scale_of_colours_shows_that_numbers_lie_beyond_it() -> None:
    reward, path = np.linspace(-5.0, 0.0, 64).reshape(8, 8), np.array([(0, 1)])

    def ends(reward_range: tuple[float, float] | None) -> str:
        fields = (np.zeros((8, 8)), reward, np.zeros((8, 8)))
        figure = plan_figure(
            *fields, predicted=path, shortest=None, start=(0, 1), goal=(0, 1), reward_range=reward_range
        )
        bar = next(axes for axes in figure.axes if hasattr(axes, "_colorbar"))
        return bar._colorbar.extend  # pyright: ignore[reportAttributeAccessIssue]

    assert ends(None) == "neither"
    assert ends((-2.0, 0.0)) == "min"
    assert ends((-2.0, -1.0)) == "both"
