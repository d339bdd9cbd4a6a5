"""Tables of moves for states with layers: to which layer and cell each action of each layer leads.

A state is a cell and a layer: a heading, a floor, a gear. A flat grid is the table of one layer.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from jaxtyping import Bool, Float64, Int64
from numpy.typing import ArrayLike

from vinlab.planning.costs import MOST_MOVES, MoveTable
from vinlab.types import MOVE_NAMES, MOVE_OFFSETS, InputError

NO_ACTION: Final = -1
"""The target layer of an action that a layer does not have."""

HEADINGS: Final = (
    ("N", (-1, 0)), ("NNE", (-2, 1)), ("NE", (-1, 1)), ("ENE", (-1, 2)),
    ("E", (0, 1)), ("ESE", (1, 2)), ("SE", (1, 1)), ("SSE", (2, 1)),
    ("S", (1, 0)), ("SSW", (2, -1)), ("SW", (1, -1)), ("WSW", (1, -2)),
    ("W", (0, -1)), ("WNW", (-1, -2)), ("NW", (-1, -1)), ("NNW", (-2, -1)),
)  # fmt: skip
"""The points of the compass, clockwise from north, with the shortest step of whole cells in their direction."""


@dataclass(frozen=True)
class LayeredMoves:
    """For each layer and action the layer that it leads to, what it adds to ``(row, col)``, and its length."""

    layers: Int64[np.ndarray, "L A"]
    """``NO_ACTION`` where a layer has fewer actions than others."""
    offsets: Int64[np.ndarray, "L A 2"]
    lengths: Float64[np.ndarray, "L A"]
    """What a move costs on ordinary ground."""
    layer_names: tuple[str, ...]
    action_names: tuple[str, ...]
    directions: Int64[np.ndarray, "L 2"] | None = None
    """Where each layer heads, as ``(rows down, columns right)``, for pictures; None where layers are no headings."""

    @property
    def num_layers(self) -> int:
        """How many layers there are."""
        return self.layers.shape[0]

    @property
    def num_actions(self) -> int:
        """The largest number of actions of a layer."""
        return self.layers.shape[1]

    @property
    def exists(self) -> Bool[np.ndarray, "L A"]:
        """Which actions each layer has."""
        return self.layers != NO_ACTION

    @property
    def flat(self) -> MoveTable | None:
        """The table of a flat grid where there is one layer and no gap in it."""
        if self.num_layers > 1 or not self.exists.all():
            return None
        return MoveTable(np.ascontiguousarray(self.offsets[0]))

    @classmethod
    def of(
        cls,
        layers: ArrayLike,
        offsets: ArrayLike,
        lengths: ArrayLike | None = None,
        *,
        layer_names: Sequence[str] | None = None,
        action_names: Sequence[str] | None = None,
        directions: ArrayLike | None = None,
    ) -> "LayeredMoves":
        """A table of one's own, checked; without lengths a move is as long as its offset, and at least 1."""
        targets, steps = _whole(layers, "layers", 2), _whole(offsets, "offsets", 3)
        _require_targets(targets, steps)
        if lengths is None:
            known = np.maximum(np.hypot(steps[..., 0], steps[..., 1]), 1.0)
        else:
            known = np.asarray(lengths, np.float64)
        if known.shape != targets.shape or not (np.isfinite(known).all() and (known > 0).all()):
            raise InputError(
                f"lengths: expected a positive number for each of {targets.shape} actions, got {known.shape}."
            )
        names = tuple(layer_names or map(str, range(len(targets))))
        actions = tuple(action_names or map(str, range(targets.shape[1])))
        if (len(names), len(actions)) != targets.shape:
            raise InputError(
                f"expected names of {targets.shape[0]} layers and {targets.shape[1]} actions, "
                f"got {len(names)} and {len(actions)}."
            )
        heads = None if directions is None else _whole(directions, "directions", 2)
        if heads is not None and heads.shape != (len(targets), 2):
            raise InputError(f"directions: expected the shape ({len(targets)}, 2), got {heads.shape}.")
        return cls(targets, steps, known, names, actions, heads)

    def layer(self, name: str | int) -> int:
        """The number of a layer from its number or its name."""
        text = str(name)
        if text.upper() in self.layer_names:
            return self.layer_names.index(text.upper())
        if text.lstrip("-").isdigit() and 0 <= int(text) < self.num_layers:
            return int(text)
        raise InputError(
            f"expected a layer from 0 to {self.num_layers - 1} ({', '.join(self.layer_names)}), got {name!r}."
        )


def _whole(values: ArrayLike, name: str, axes: int) -> Int64[np.ndarray, "..."]:
    array = np.asarray(values)
    if array.dtype.kind not in "iu" or array.ndim != axes:
        raise InputError(
            f"{name}: expected whole numbers with {axes} axes, got {array.dtype} of the shape {array.shape}."
        )
    return np.ascontiguousarray(array, dtype=np.int64)


def _require_targets(layers: np.ndarray, offsets: np.ndarray) -> None:
    if offsets.shape != (*layers.shape, 2):
        raise InputError(f"offsets: expected the shape {(*layers.shape, 2)}, got {offsets.shape}.")
    if not (1 <= layers.shape[1] <= MOST_MOVES and len(layers)):
        raise InputError(f"expected 1 to {MOST_MOVES} actions of at least one layer, got {layers.shape}.")
    wrong = np.argwhere((layers < NO_ACTION) | (layers >= len(layers)))
    if len(wrong):
        layer, action = wrong[0].tolist()
        raise InputError(
            f"layers: expected layers from 0 to {len(layers) - 1}, got {layers[layer, action]} for action {action} "
            f"of layer {layer}."
        )


def grid_moves(count: int = 4, *, unit: bool = True) -> LayeredMoves:
    """The four straight moves, or all eight, on one layer; with ``unit`` a diagonal one also costs 1."""
    if count not in (4, 8):
        raise InputError(f"moves of a grid: expected 4 or 8, got {count}.")
    return LayeredMoves.of(
        np.zeros((1, count), np.int64),
        MOVE_OFFSETS[None, :count],
        np.ones((1, count)) if unit else None,
        layer_names=("any",),
        action_names=MOVE_NAMES[:count],
    )


def differential_drive(headings: int = 4, *, unit: bool = True) -> LayeredMoves:
    """Forward, left and right for a robot that turns on the spot, with 4, 8 or 16 headings clockwise from north.

    Forward is the shortest step of whole cells in the direction of the heading: with 16 headings also two cells ahead
    and one aside. With ``unit`` every move costs 1; otherwise forward costs its length and turning 1.
    """
    if headings not in (4, 8, 16):
        raise InputError(f"headings: expected 4, 8 or 16, got {headings}.")
    chosen = HEADINGS[:: 16 // headings]
    ahead = np.array([step for _, step in chosen])
    own = np.arange(headings)
    layers = np.stack([own, (own - 1) % headings, (own + 1) % headings], axis=1)
    offsets = np.zeros((headings, 3, 2), np.int64)
    offsets[:, 0] = ahead
    return LayeredMoves.of(
        layers,
        offsets,
        np.ones(layers.shape) if unit else None,
        layer_names=[name for name, _ in chosen],
        action_names=("forward", "left", "right"),
        directions=ahead,
    )


MOTIONS: Final = {
    "four": lambda: grid_moves(4),
    "eight": lambda: grid_moves(8),
    "differential": lambda: differential_drive(4),
    "differential-8": lambda: differential_drive(8, unit=False),
    "differential-16": lambda: differential_drive(16, unit=False),
}
"""The ready tables of moves by name; moves of the first three all cost 1."""


def motion_named(name: str) -> LayeredMoves:
    """The ready table of this name."""
    if name not in MOTIONS:
        raise InputError(f"motion: expected one of {', '.join(MOTIONS)}, got {name!r}.")
    return MOTIONS[name]()


def swept_cells(offset: Sequence[int], *, corner_cutting: bool = True) -> list[tuple[int, int]]:
    """The cells that a straight move passes, its end included: those whose inside it crosses.

    Without corner cutting also those of which it touches a corner alone.
    """
    down, right = (int(part) for part in offset)
    steps = 2 * max(abs(down), abs(right), 1) * max(abs(down), abs(right), 1)
    margin = -1e-9 if corner_cutting else 1e-9
    cells = {(down, right)}
    for part in range(1, 2 * steps):
        row, col = down * part / (2 * steps), right * part / (2 * steps)
        rows, cols = (_cells_near(place, margin) for place in (row, col))
        cells |= {(y, x) for y in rows for x in cols}
    return sorted(cells - {(0, 0)}) or [(0, 0)]


def _cells_near(place: float, margin: float) -> range:
    """The cells along one axis whose interval, widened by the margin, holds the place."""
    return range(math.ceil(place - 0.5 - margin), math.floor(place + 0.5 + margin) + 1)
