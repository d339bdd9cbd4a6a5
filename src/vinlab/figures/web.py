"""The plan of one query drawn on the tree of categories, with the path that was clicked."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True)
class TreePlan:
    """Some pages of a site as a tree, what the plan thinks each is worth, and the pages clicked."""

    titles: Sequence[str]
    parents: Int[np.ndarray, " n"]
    """The place of each page's category; the root's own is 0."""
    values: Float[np.ndarray, " n"]
    path: Sequence[int]
    query: str

    @property
    def depths(self) -> Int[np.ndarray, " n"]:
        """How far below the root each page stands."""
        depths = np.zeros(len(self.parents), dtype=np.int64)
        for node in range(1, len(self.parents)):  # a parent comes before its children
            depths[node] = depths[self.parents[node]] + 1
        return depths


def web_plan_figure(plan: TreePlan) -> Figure:
    """The tree around its root; the brighter a page, the more the plan wants to be there."""
    figure = new_figure(8.4, 9.2)
    axes = place(figure, 0.2, 1.0, 8.0, 8.0)
    positions = spread_tree(plan.parents)
    _draw_branches(axes, plan, positions)
    _draw_pages(axes, plan, positions)
    _draw_path(axes, plan, positions)
    _label(axes, plan, positions)
    _frame(axes, positions)
    lines = textwrap.wrap(f"“{plan.query}”", 96)
    shown = "\n".join(lines[:3]) + (" …" if len(lines) > 3 else "")
    figure.text(0.5, 0.985, shown, ha="center", va="top", size=LABEL_SIZE, color=INK, style="italic")
    return figure


def spread_tree(parents: Int[np.ndarray, " n"]) -> Float[np.ndarray, "n 2"]:
    """Where to draw each page: the root in the middle, each level on a ring, every leaf with the same room."""
    count = len(parents)
    children: list[list[int]] = [[] for _ in range(count)]
    for node in range(1, count):
        children[parents[node]].append(node)
    angles, radii = np.zeros(count), np.zeros(count)
    leaves = [node for node in _walk(children) if not children[node]]
    angles[leaves] = 2 * np.pi * np.arange(len(leaves)) / len(leaves)
    for node in range(1, count):
        radii[node] = radii[parents[node]] + RING
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


def _frame(axes: Axes, positions: Float[np.ndarray, "n 2"]) -> None:
    """Just enough room for all pages and for the names beside the outermost."""
    low, high = positions.min(axis=0), positions.max(axis=0)
    reach = float((high - low).max()) / 2 * 1.18
    middle = (low + high) / 2
    axes.set(
        xlim=(middle[0] - reach, middle[0] + reach),
        ylim=(middle[1] - reach, middle[1] + reach),
        aspect="equal",
    )
    axes.axis("off")


def _draw_branches(axes: Axes, plan: TreePlan, positions: Float[np.ndarray, "n 2"]) -> None:
    for node in range(1, len(plan.parents)):
        ends = positions[[plan.parents[node], node]]
        axes.plot(ends[:, 0], ends[:, 1], color="#D0D0D0", linewidth=0.6, zorder=1)


def _draw_pages(axes: Axes, plan: TreePlan, positions: Float[np.ndarray, "n 2"]) -> None:
    sizes = np.array([170, 90, 34, 22, 22])[np.minimum(plan.depths, 4)]
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
    depths, clicked = plan.depths, set(plan.path)
    best = set(np.argsort(-plan.values)[:6].tolist())
    for node, title in enumerate(plan.titles):
        if node not in clicked and node not in best and depths[node] != 1:
            continue
        number = f"{plan.path.index(node)}  " if node in clicked else ""
        x, y = positions[node]
        axes.annotate(
            f"{number}{title}",
            xy=(x, y),
            xytext=(4 if x >= 0 else -4, 5),
            textcoords="offset points",
            ha="left" if x >= 0 else "right",
            size=LABEL_SIZE if node in clicked else LABEL_SIZE - 2,
            color=PREDICTED if node in clicked else INK,
            weight="bold" if node in clicked else "normal",
            path_effects=[withStroke(linewidth=2.5, foreground="white")],
            zorder=6 if node in clicked else 5,
        )


def write_caption(figure: Figure, text: str) -> None:
    """One line below the tree."""
    figure.text(0.5, 0.012, text, ha="center", va="bottom", size=TITLE_SIZE - 2, color=INK)
