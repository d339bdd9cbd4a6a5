"""Labels beside points, placed so that they cover neither each other nor the points."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Annotation

PADDING = 1.5
"""Free pixels around a label."""


@dataclass
class LabelPlacer:
    """Places one label after the other; the first ones have the choice."""

    axes: Axes
    points: Float[np.ndarray, "n 2"]
    """What a label should not cover, in data coordinates."""
    radii: Float[np.ndarray, " n"]
    """The size of each point in pixels."""
    boxes: list[Float[np.ndarray, "4 2"]] = field(default_factory=list)
    """The corners of the labels placed so far, in pixels."""

    def place(
        self, text: str, at: tuple[float, float], places: Iterable[dict[str, Any]], *, must: bool, **look: Any
    ) -> Annotation | None:
        """The label in the place that covers least; one that need not be drawn is left out if it covers a label."""
        tried = []
        for where in places:
            label = self.axes.annotate(text, xy=at, **where, **look)
            box = corners_of(label)
            cost = sum(overlap(box, other) for other in self.boxes), self._covered(box)
            tried.append((cost, label, box))
        (overlapped, _), best, corners = min(tried, key=lambda one: one[0])
        kept = best if must or not overlapped else None
        for _, label, _ in tried:
            if label is not kept:
                label.remove()
        if kept is not None:
            self.boxes.append(corners)
        return kept

    def _covered(self, box: Float[np.ndarray, "4 2"]) -> int:
        """How many of the points the box touches."""
        points = self.axes.transData.transform(self.points) - box[0]
        inside = np.ones(len(points), dtype=bool)
        for side in (box[1] - box[0], box[3] - box[0]):
            length = float(np.linalg.norm(side))
            reached = points @ side / max(length, 1e-9)
            inside &= (reached > -self.radii) & (reached < length + self.radii)
        return int(inside.sum())


def corners_of(label: Annotation) -> Float[np.ndarray, "4 2"]:
    """The corners of a label in pixels, turned with it about its anchor."""
    figure = label.figure
    assert figure is not None
    renderer = FigureCanvasAgg(figure.figure).get_renderer()  # pyright: ignore[reportArgumentType]
    angle = np.radians(label.get_rotation())
    label.set_rotation(0)
    box = label.get_window_extent(renderer).padded(PADDING)
    label.set_rotation(float(np.degrees(angle)))
    # The window extent has set the position of the text in pixels: that of its anchor.
    anchor = label.get_transform().transform(label.get_position())
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    square = np.array([[box.x0, box.y0], [box.x1, box.y0], [box.x1, box.y1], [box.x0, box.y1]])
    return (square - anchor) @ turn + anchor


def overlap(first: Sequence[Any] | np.ndarray, second: Sequence[Any] | np.ndarray) -> bool:
    """Whether two rectangles overlap: no side of either has the other wholly beyond it."""
    first, second = np.asarray(first), np.asarray(second)
    for box in (first, second):
        for side in (box[1] - box[0], box[3] - box[0]):
            ours, theirs = first @ side, second @ side
            if ours.max() <= theirs.min() or theirs.max() <= ours.min():
                return False
    return True
