"""The plan of one query drawn on the tree of categories, with the path that was clicked."""

import textwrap
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from vinlab.figures import style
from vinlab.figures.labels import LabelPlacer

RING = 1.0
"""The distance between one level and the next."""
INNER_ROOM = 4
"""A page on the first ring takes the room of this many further out."""
MARGIN = 0.3
LETTER, LARGE_LETTER = 0.06, 0.1
"""Room around the tree and for a letter of a title at the rim, larger for pages clicked, in the same unit."""
BEST = 20
"""How many of the pages with the highest values get their title at the rim, as far as the titles fit."""
TITLE_ROOM = 1.8
"""A page with a title at the rim takes the room of this many others."""
BEND = 0.18
"""How far an arrow departs from the straight line."""
HALO = [withStroke(linewidth=2.5, foreground="white")]
PLAIN: dict[str, Any] = {"size": style.LABEL_SIZE - 2, "color": style.INK, "path_effects": HALO, "zorder": 5}
CLICKED = {**PLAIN, "size": style.LABEL_SIZE, "color": style.PREDICTED, "weight": "bold", "zorder": 6}
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
    positions = spread_tree(plan.parents, titled_at_rim(plan))
    low, high = _corners(plan, positions)
    width, height = WIDTH, WIDTH * float((high[1] - low[1]) / (high[0] - low[0]))
    figure = style.new_figure(width, height + HEADER + FOOTER)
    axes = style.place(figure, 0.0, HEADER, width, height)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    axes.axis("off")
    for node in range(1, len(plan.parents)):
        ends = positions[[plan.parents[node], node]]
        axes.plot(ends[:, 0], ends[:, 1], color="#D0D0D0", linewidth=0.6, zorder=1)
    look = {"cmap": style.VALUE_COLOURS, "edgecolors": style.FRAME, "linewidths": 0.5, "zorder": 2}
    axes.scatter(positions[:, 0], positions[:, 1], c=plan.values, s=_sizes(plan), **look)
    arrow = {"arrowstyle": "-|>", "color": style.PREDICTED, "linewidth": 2.0, "shrinkA": 5, "shrinkB": 5}
    bend = {**arrow, "connectionstyle": f"arc3,rad={BEND}"}
    for start, end in pairwise(plan.path):
        axes.annotate("", xy=tuple(positions[end]), xytext=tuple(positions[start]), arrowprops=bend, zorder=4)
    _label(axes, plan, positions)
    lines = textwrap.wrap(f"“{plan.query}”", 96)
    shown = "\n".join(lines[:3]) + (" …" if len(lines) > 3 else "")
    figure.text(
        0.5, 0.985, shown, ha="center", va="top", size=style.LABEL_SIZE, color=style.INK, style="italic"
    )
    return figure


def _corners(
    plan: TreePlan, positions: Float[np.ndarray, "n 2"]
) -> tuple[Float[np.ndarray, " 2"], Float[np.ndarray, " 2"]]:
    """The lower left and the upper right end of all pages and of the titles at the rim."""
    titled = sorted(titled_at_rim(plan))
    lengths = np.array(
        [len(plan.titles[node]) * (LARGE_LETTER if node in plan.path else LETTER) for node in titled]
    )
    outside = positions[titled]
    away = outside / np.maximum(np.linalg.norm(outside, axis=1, keepdims=True), 1e-9)
    ends = np.concatenate([positions, outside + lengths[:, None] * away])
    return ends.min(axis=0) - MARGIN, ends.max(axis=0) + MARGIN


def titled_at_rim(plan: TreePlan) -> set[int]:
    """The leaves whose title is drawn: those clicked and those with the highest values."""
    inner = set(plan.parents.tolist())
    best = np.argsort(-plan.values)[:BEST].tolist()
    return {node for node in [*plan.path, *best] if node not in inner}


def spread_tree(
    parents: Int[np.ndarray, " n"], titled: Collection[int] = frozenset()
) -> Float[np.ndarray, "n 2"]:
    """Where to draw each page: the root in the middle, each level on a ring, leaves evenly spaced.

    Leaves with a title have more room.
    """
    count = len(parents)
    children: list[list[int]] = [[] for _ in range(count)]
    for node in range(1, count):
        children[parents[node]].append(node)
    angles, radii = np.zeros(count), RING * depths_of(parents)
    leaves = [node for node in _walk(children) if not children[node]]
    has_title = np.isin(leaves, list(titled))
    room = np.where(radii[leaves] <= RING, INNER_ROOM, np.where(has_title, TITLE_ROOM, 1.0))
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


def _sizes(plan: TreePlan) -> Int[np.ndarray, " n"]:
    """The area of each disc in square points."""
    return np.array([170, 90, 34, 22, 22])[np.minimum(depths_of(plan.parents), 4)]


def _label(axes: Axes, plan: TreePlan, positions: Float[np.ndarray, "n 2"]) -> None:
    """Titles of the pages clicked, of the branches of the root and, where they fit, of the best pages at the rim."""
    depths, at_rim = depths_of(plan.parents), titled_at_rim(plan)
    arrows = np.concatenate([positions[:0], *_arrow_points(plan, positions)])
    radii = np.sqrt(_sizes(plan) / np.pi) * style.DOTS_PER_INCH / 72
    placer = LabelPlacer(
        axes, np.concatenate([positions, arrows]), np.concatenate([radii, np.zeros(len(arrows))])
    )
    clicked = list(dict.fromkeys(plan.path))
    branches = [node for node in np.flatnonzero(depths == 1).tolist() if node not in clicked]
    best = [node for node in sorted(at_rim, key=lambda node: -plan.values[node]) if depths[node] > 1]
    for node in [*clicked, *branches, *(node for node in best if node not in clicked)]:
        number = f"{plan.path.index(node)}  " if node in clicked else ""
        outside = node in at_rim and depths[node] > 1
        places = [_outwards(positions[node])] if outside else _beside(positions[node])
        look = CLICKED if node in clicked else PLAIN
        x, y = positions[node].tolist()
        placer.place(f"{number}{plan.titles[node]}", (x, y), places, must=not outside or bool(number), **look)


def _arrow_points(plan: TreePlan, positions: Float[np.ndarray, "n 2"]) -> list[Float[np.ndarray, "points 2"]]:
    """Points on the arrows, which are curves of degree two."""
    shares = np.linspace(0.05, 0.95, 16)[:, None]
    found = []
    for start, end in zip(positions[plan.path[:-1]], positions[plan.path[1:]], strict=True):
        away = end - start
        middle = (start + end) / 2 + BEND * np.array([away[1], -away[0]])
        found.append((1 - shares) ** 2 * start + 2 * shares * (1 - shares) * middle + shares**2 * end)
    return found


def _beside(position: Float[np.ndarray, " 2"]) -> list[dict[str, Any]]:
    """Places of a title: on the side away from the root first, then on the other, above and below."""
    sides = ("right", "left") if position[0] < 0 else ("left", "right")
    places = []
    for up in (5, -11):
        places += [{"xytext": (-7 if side == "right" else 7, up), "ha": side} for side in sides]
    places += [{"xytext": (0, up), "ha": "center"} for up in (9, -16)]
    return [{"textcoords": "offset points", **where} for where in places]


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
    figure.text(0.5, 0.012, text, ha="center", va="bottom", size=style.TITLE_SIZE - 2, color=style.INK)
