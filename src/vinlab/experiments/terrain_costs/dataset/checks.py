"""Checks of demonstrated paths: inside the image, of neighbours, past blocked cells; small gaps are filled."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from jaxtyping import Bool, Int64

from vinlab.types import InputError

LARGEST_GAP = 5
"""The most that two cells of a path may lie apart, along the longer axis; the cells between them are filled in."""


@dataclass
class PathChecks:
    """Checks paths one after the other, and counts what it met."""

    skip_bad: bool = False
    """Whether a path that cannot be used is left out with a note, instead of an error."""
    moves: int = 0
    gaps: int = 0
    repeated: int = 0
    bad: list[str] = field(default_factory=list)

    def check(
        self, cells: Int64[np.ndarray, "T 2"], blocked: Bool[np.ndarray, "H W"], name: str
    ) -> Int64[np.ndarray, "S 2"] | None:
        """The path of neighbouring cells; None where it cannot be used and may be left out."""
        try:
            return self._checked(cells, blocked, name)
        except InputError as error:
            if not self.skip_bad:
                raise
            self.bad.append(f"Left out: {error}")
            return None

    def _checked(self, cells: np.ndarray, blocked: np.ndarray, name: str) -> np.ndarray:
        _require_inside(cells, blocked.shape, name)
        stays = np.zeros(len(cells), bool)
        stays[1:] = (np.diff(cells, axis=0) == 0).all(axis=1)
        moved = cells[~stays]
        if len(moved) < 2:
            raise InputError(f"{name}: expected at least 2 different cells, got {len(moved)}.")
        steps = np.abs(np.diff(moved, axis=0)).max(axis=1)
        if steps.max() > LARGEST_GAP:
            first = int((steps > LARGEST_GAP).argmax())
            ends = tuple(moved[first].tolist()), tuple(moved[first + 1].tolist())
            raise InputError(
                f"{name}: expected cells at most {LARGEST_GAP} apart, got a jump from {ends[0]} to {ends[1]}."
            )
        path = fill_gaps(moved)
        _require_free(path, blocked, name)
        self.repeated += int(stays.sum())
        self.gaps += int((steps > 1).sum())
        self.moves += len(steps)
        return path

    def notes(self) -> list[str]:
        """What was met, a sentence each."""
        if not self.moves:
            return self.bad
        words = f"{self.gaps / self.moves:.1%} of {self.moves:,} moves are not between neighbours"
        filled = "; they were filled along straight lines" if self.gaps else ""
        stays = [f"{self.repeated} repeated cells were left out."] if self.repeated else []
        return [f"{words}{filled}.", *stays, *self.bad]


def fill_gaps(cells: Int64[np.ndarray, "T 2"]) -> Int64[np.ndarray, "S 2"]:
    """The path with the cells of a straight line between any two that are not neighbours.

    The line is rounded to cells; it makes as few moves as possible, straight and diagonal.
    """
    parts = [cells[:1]]
    for here, there in pairwise(cells):
        count = int(np.abs(there - here).max())
        share = np.arange(1, count + 1)[:, None] / count
        parts.append(np.floor(here + share * (there - here) + 0.5).astype(np.int64))
    return np.concatenate(parts)


def _require_inside(cells: np.ndarray, shape: Sequence[int], name: str) -> None:
    outside = ((cells < 0) | (cells >= np.array(shape))).any(axis=1)
    if outside.any():
        raise InputError(
            f"{name}: expected cells of the {shape[0]} x {shape[1]} of its image, got "
            f"{tuple(cells[outside][0].tolist())}."
        )


def _require_free(path: np.ndarray, blocked: np.ndarray, name: str) -> None:
    entered = blocked[tuple(path.T)]
    if entered.any():
        raise InputError(
            f"{name}: expected free cells, got the blocked cell {tuple(path[entered][0].tolist())}."
        )
