"""Files of problems on ground: those of the grid-world, with the ``images`` that a network sees beside them."""

import os
from pathlib import Path

import numpy as np

from vinlab.domains.gridworld.files import read_arrays, read_problems, write_problems
from vinlab.domains.mars.patches import MarsProblems, PatchConfig
from vinlab.types import GridProblems, InputError

CELL = PatchConfig().cell


def write_terrain_problems(path: str | os.PathLike[str], problems: MarsProblems) -> None:
    """Write problems with their images ``(N, 1, h, w)`` to a file, which is either complete or as it was before."""
    write_problems(path, problems.grid, {"images": problems.images[:, None], "blocks": problems.block_ids})


def read_any_problems(path: str | os.PathLike[str]) -> GridProblems | MarsProblems:
    """The problems of a file, every one checked: on ground if it holds images, else on maps."""
    path = Path(path)
    problems, more = read_problems(path), read_arrays(path, (), ("images", "blocks"))
    if "images" not in more:
        return problems
    images = _images(more["images"], problems, path)
    block_ids = more.get("blocks", np.arange(len(problems)))
    if block_ids.shape != (len(problems),) or block_ids.dtype.kind not in "iu":
        raise InputError(
            f"blocks in {path} must be a whole number for each problem, but {block_ids.shape} came."
        )
    obstacles = problems.obstacles.astype(bool)
    starts, goals = (ends.astype(np.int64) for ends in (problems.starts, problems.goals))
    return MarsProblems(images, obstacles, starts, goals, block_ids.astype(np.int64))


def _images(images: np.ndarray, problems: GridProblems, path: Path) -> np.ndarray:
    """Grey images of 8 bits, one for each problem, with as many pixels as its cells need."""
    count, rows, cols = problems.obstacles.shape
    wanted = (count, 1, rows * CELL, cols * CELL)
    if images.shape != wanted or images.dtype != np.uint8:
        raise InputError(
            f"images in {path} must be of 8 bits and have the shape {wanted}, {CELL} x {CELL} pixels for each cell, "
            f"but {images.dtype} of {images.shape} came."
        )
    return images[:, 0]
