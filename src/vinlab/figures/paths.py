"""Several problems side by side with the paths of a policy."""

import math
from collections.abc import Sequence

import numpy as np
from jaxtyping import Num
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from vinlab.figures import maps, style
from vinlab.types import GridProblems, InputError

MARGIN, GAP, CAPTION, HEADING, LEGEND = 0.2, 0.2, 0.33, 0.35, 0.3


def paths_figure(
    problems: GridProblems,
    predicted: Sequence[Num[np.ndarray, "_ 2"]],
    shortest: Sequence[Num[np.ndarray, "_ 2"] | None],
    *,
    columns: int = 4,
    title: str = "",
) -> Figure:
    """A panel per problem with its predicted and shortest path, and a caption with the outcome.

    A shortest path of None means that no path reaches the goal.
    """
    if len(problems) == 0:
        raise InputError("problems: expected at least one, got none.")
    if not len(problems) == len(predicted) == len(shortest):
        raise InputError(
            f"expected a predicted and a shortest path for each of {len(problems)} problems, "
            f"got {len(predicted)} predicted and {len(shortest)} shortest paths."
        )
    columns = max(1, min(columns, len(problems)))
    figure, panels = _sheet(len(problems), columns, problems.obstacles.shape[1:], title)
    for index, panel in enumerate(panels):
        _draw_problem(panel, problems[index : index + 1], predicted[index], shortest[index])
    style.legend_below(figure, panels)
    return figure


def _sheet(count: int, columns: int, shape: tuple[int, ...], title: str) -> tuple[Figure, list[Axes]]:
    """An empty figure with its panels in rows."""
    slot = min(3.0, max(1.6, 6.8 / columns))  # a caption needs its width
    scale = min(slot / shape[1], 1.5 * slot / shape[0])
    width, height = shape[1] * scale, shape[0] * scale
    heading, rows = HEADING if title else 0.1, math.ceil(count / columns)
    panels_width = columns * slot + (columns - 1) * GAP
    sheet_width = max(panels_width + 2 * MARGIN, 4.6)  # the legend needs its width
    figure = style.new_figure(sheet_width, heading + rows * (height + CAPTION) + LEGEND)
    style.write_title(figure, title, 0.12)
    left = (sheet_width - panels_width + slot - width) / 2
    cells = [divmod(index, columns) for index in range(count)]
    return figure, [
        style.place(figure, left + col * (slot + GAP), heading + row * (height + CAPTION), width, height)
        for row, col in cells
    ]


def _draw_problem(
    panel: Axes, problem: GridProblems, predicted: np.ndarray, shortest: np.ndarray | None
) -> None:
    (obstacles,), (start,), (goal,) = problem.obstacles, problem.starts, problem.goals
    shape = (obstacles.shape[0], obstacles.shape[1])
    maps.draw_map(panel, obstacles)
    maps.draw_paths(panel, shape, predicted, shortest)
    maps.draw_ends(panel, shape, start, goal)
    reached = maps.as_cell(predicted[-1]) == maps.as_cell(goal)
    steps = len(predicted) - 1
    if reached:
        expert = "" if shortest is None else f", shortest {len(shortest) - 1}"
        caption, colour = f"✓ {steps} steps{expert}", style.GREEN
    elif shortest is None:
        caption, colour = "no path to the goal", style.FRAME
    else:
        caption, colour = f"✗ not reached in {steps} steps", style.VERMILION
    maps.frame(panel, colour, 1.6)
    panel.set_xlabel(caption, size=style.TICK_SIZE, color=style.INK, labelpad=4)
