"""Files of Mars problems: those of the grid-world, with the ``images`` that a network sees and ``blocks``."""

import os
from pathlib import Path

import numpy as np

from vinlab.domains.gridworld import files as gridworld
from vinlab.domains.mars.problem import MarsProblems
from vinlab.types import CELL, InputError


def write_problems(path: str | os.PathLike[str], problems: MarsProblems) -> None:
    """Write problems with their images ``(N, 1, h, w)`` to a file, which is either complete or unchanged."""
    others = {"images": problems.images[:, None], "blocks": problems.block_ids}
    gridworld.write_problems(path, problems.grid, others)


def read_problems(path: str | os.PathLike[str]) -> MarsProblems:
    """The problems of a file, all of them checked."""
    path = Path(path)
    problems, more = gridworld.read_problems(path), gridworld.read_arrays(path, (), ("images", "blocks"))
    if "images" not in more:
        raise InputError(f"{path}: expected problems with images of terrain, got maps without images.")
    images, (count, rows, cols) = more["images"], problems.obstacles.shape
    expected = (count, 1, rows * CELL, cols * CELL)
    if images.shape != expected or images.dtype != np.uint8:
        raise InputError(
            f"images in {path}: expected uint8 of {expected}, {CELL} x {CELL} pixels for each cell, got "
            f"{images.dtype} of {images.shape}."
        )
    block_ids = more.get("blocks", np.arange(len(problems)))
    if block_ids.shape != (len(problems),) or block_ids.dtype.kind not in "iu":
        raise InputError(
            f"blocks in {path}: expected a whole number for each problem, got {block_ids.dtype} of {block_ids.shape}."
        )
    obstacles = problems.obstacles.astype(bool)
    starts, goals = (ends.astype(np.int64) for ends in (problems.starts, problems.goals))
    return MarsProblems(images[:, 0], obstacles, starts, goals, block_ids.astype(np.int64))
