"""Files of pictures with demonstrated paths and true costs, in the layout that ``vinlab fit`` reads."""

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Int, Int64

from vinlab.domains.terrain_costs.problem import TerrainCostsProblems
from vinlab.recording.files import write_bytes, write_text

FILL = -1


def write_dataset(
    path: str | Path,
    problems: TerrainCostsProblems,
    owners: Int64[np.ndarray, " M"],
    paths: Sequence[Int[np.ndarray, "_ 2"]],
) -> None:
    """Write ``observations``, ``paths``, ``path_image``, ``costs`` and ``kinds``; the old file stays on a failure."""
    first = np.unique(owners, return_index=True)[1]
    own = problems[first]
    content = io.BytesIO()
    np.savez_compressed(
        content,
        observations=own.images,
        paths=padded_paths(paths),
        path_image=owners,
        costs=own.costs,
        kinds=own.kinds.astype(np.uint8),
    )
    write_bytes(path, content.getvalue())


def write_folder(
    folder: str | Path,
    problems: TerrainCostsProblems,
    owners: Int64[np.ndarray, " M"],
    paths: Sequence[Int[np.ndarray, "_ 2"]],
) -> None:
    """Write the same as PNG images and ``paths.csv``, without the costs: what someone has who only shows the way."""
    from PIL import Image

    folder = Path(folder)
    names = [f"ground_{number:03d}.png" for number in range(int(owners.max()) + 1)]
    for name, first in zip(names, np.unique(owners, return_index=True)[1], strict=True):
        content = io.BytesIO()
        Image.fromarray(problems.images[first].transpose(1, 2, 0)).save(content, "PNG")
        write_bytes(folder / name, content.getvalue())
    lines = [
        f"{names[owner]},{number},{row},{col}"
        for number, (owner, path) in enumerate(zip(owners, paths, strict=True))
        for row, col in path.tolist()
    ]
    write_text(folder / "paths.csv", "\n".join(["image,path,row,col", *lines, ""]))


def padded_paths(paths: Sequence[Int[np.ndarray, "_ 2"]]) -> Int64[np.ndarray, "M T 2"]:
    """Paths of any length in one array, filled up with -1."""
    padded = np.full((len(paths), max(map(len, paths)), 2), FILL, np.int64)
    for number, path in enumerate(paths):
        padded[number, : len(path)] = path
    return padded
