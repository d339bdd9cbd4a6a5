"""The plan of one query drawn on the tree of categories, with the path that was clicked."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from vinlab.figures.style import (
    FRAME,
    INK,
    LABEL_SIZE,
    PREDICTED,
    TITLE_SIZE,
    VALUE_COLOURS,
    new_figure,
    place,
)

RING = 1.0
"""The distance between one level and the next."""
INNER_ROOM = 4
"""A page on the first ring takes the room of this many further out."""
MARGIN = np.array([0.95, 0.6])
"""Room for the titles beside the outermost pages, in the same unit."""
BEST = 20
"""How many of the pages with the highest values get their title at the rim."""
HALO = [withStroke(linewidth=2.5, foreground="white")]
PLAIN: dict[str, Any] = {"size": LABEL_SIZE - 2, "color": INK, "path_effects": HALO, "zorder": 5}
CLICKED = {**PLAIN, "size": LABEL_SIZE, "color": PREDICTED, "weight": "bold", "zorder": 6}
"""The look of titles."""
WIDTH, HEADER, FOOTER = 8.4, 0.7, 0.45
"""In inches: the tree, the query above it and the caption below."""


@dataclass(frozen=True)
class TreePlan:
    """Some pages of a site as a tree, the value of each in the plan, and the pages clicked."""

    titles: Sequence[str]
    parents: Int[np.ndarray, " n"]
    """The index of each page's category; 0 for the root."""
    values: Float[np.ndarray, " n"]
    path: Sequence[int]
    query: str


def depths_of(parents: Int[np.ndarray, " n"]) -> Int[np.ndarray, " n"]:
    """The depth of each page below the root."""
    depths = np.zeros(len(parents), dtype=np.int64)
    for node in range(1, len(parents)):  # a parent comes before its children
        depths[node] = depths[parents[node]] + 1
    return depths


def tree_figure(plan: TreePlan) -> Figure:
    """The tree around its root; the brighter a page, the higher its value."""
    positions = spread_tree(plan.parents)
    low, high = positions.min(axis=0) - MARGIN, positions.max(axis=0) + MARGIN
    width, height = WIDTH, WIDTH * float((high[1] - low[1]) / (high[0] - low[0]))
    figure = new_figure(width, height + HEADER + FOOTER)
    axes = place(figure, 0.0, HEADER, width, height)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    axes.axis("off")
    _draw_branches(axes, plan, positions)
    _draw_pages(axes, plan, positions)
    _draw_path(axes, plan, positions)
    _label(axes, plan, positions)
    lines = textwrap.wrap(f"“{plan.query}”", 96)
    shown = "\n".join(lines[:3]) + (" …" if len(lines) > 3 else "")
    figure.text(0.5, 0.985, shown, ha="center", va="top", size=LABEL_SIZE, color=INK, style="italic")
    return figure


def spread_tree(parents: Int[np.ndarray, " n"]) -> Float[np.ndarray, "n 2"]:
    """Where to draw each page: the root in the middle, each level on a ring, leaves evenly spaced."""
    count = len(parents)
    children: list[list[int]] = [[] for _ in range(count)]
    for node in range(1, count):
        children[parents[node]].append(node)
    angles, radii = np.zeros(count), RING * depths_of(parents)
    leaves = [node for node in _walk(children) if not children[node]]
    room = np.where(radii[leaves] <= RING, INNER_ROOM, 1)
    angles[leaves] = 2 * np.pi * (np.cumsum(room) - room / 2) / room.sum()
    for node in reversed(range(count)):
        if children[node]:
            angles[node] = angles[children[node]].mean()
    return np.stack([radii * np.cos(angles), radii * np.sin(angles)], axis=1)


def _walk(children: list[list[int]]) -> list[int]:
    found, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        found.append(node)
        waiting.extend(reversed(children[node]))
    return found


def _draw_branches(axes: Axes, plan: TreePlan, positions: Float[np.ndarray, "n 2"]) -> None:
    for node in range(1, len(plan.parents)):
        ends = positions[[plan.parents[node], node]]
        axes.plot(ends[:, 0], ends[:, 1], color="#D0D0D0", linewidth=0.6, zorder=1)


def _draw_pages(axes: Axes, plan: TreePlan, positions: Float[np.ndarray, "n 2"]) -> None:
    sizes = np.array([170, 90, 34, 22, 22])[np.minimum(depths_of(plan.parents), 4)]
    axes.scatter(
        positions[:, 0],
        positions[:, 1],
        c=plan.values,
        s=sizes,
        cmap=VALUE_COLOURS,
        edgecolors=FRAME,
        linewidths=0.5,
        zorder=2,
    )


def _draw_path(axes: Axes, plan: TreePlan, positions: Float[np.ndarray, "n 2"]) -> None:
    arrow = {"arrowstyle": "-|>", "color": PREDICTED, "linewidth": 2.0, "shrinkA": 5, "shrinkB": 5}
    for start, end in zip(plan.path[:-1], plan.path[1:], strict=True):
        bend = {**arrow, "connectionstyle": "arc3,rad=0.18"}
        axes.annotate("", xy=tuple(positions[end]), xytext=tuple(positions[start]), arrowprops=bend, zorder=4)


def _label(axes: Axes, plan: TreePlan, positions: Float[np.ndarray, "n 2"]) -> None:
    """Titles of the pages clicked, of the branches of the root and of the best pages at the rim."""
    depths, clicked = depths_of(plan.parents), set(plan.path)
    inner = set(plan.parents.tolist())
    best = set(np.argsort(-plan.values)[:BEST].tolist())
    for node, title in enumerate(plan.titles):
        at_rim = node not in inner and node in best
        if node in clicked or at_rim or depths[node] == 1:
            number = f"{plan.path.index(node)}  " if node in clicked else ""
            style = CLICKED if node in clicked else PLAIN
            beside = node in inner or depths[node] == 1
            where = _beside(positions[node]) if beside else _outwards(positions[node])
            axes.annotate(f"{number}{title}", xy=tuple(positions[node]), **where, **style)


def _beside(position: Float[np.ndarray, " 2"]) -> dict[str, Any]:
    """A title to the right of its page, or to the left in the left half."""
    left = bool(position[0] < 0)
    return {
        "xytext": (-7 if left else 7, 5),
        "textcoords": "offset points",
        "ha": "right" if left else "left",
    }


def _outwards(position: Float[np.ndarray, " 2"]) -> dict[str, Any]:
    """A title in the direction of the branch to its page, never upside down."""
    angle = float(np.degrees(np.arctan2(position[1], position[0])))
    left = abs(angle) > 90
    offset = 7 * position / max(float(np.linalg.norm(position)), 1e-9)
    return {
        "xytext": tuple(offset),
        "textcoords": "offset points",
        "rotation": angle + 180 if left else angle,
        "rotation_mode": "anchor",
        "ha": "right" if left else "left",
        "va": "center_baseline",
    }


def write_caption(figure: Figure, text: str) -> None:
    """One line below the tree."""
    figure.text(0.5, 0.012, text, ha="center", va="bottom", size=TITLE_SIZE - 2, color=INK)
