"""Small datasets of demonstrated paths, as files."""

from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from vinlab.domains.terrain_costs.expert import demonstrate
from vinlab.domains.terrain_costs.files import padded_paths
from vinlab.domains.terrain_costs.problem import TerrainCostsConfig, sample_dataset
from vinlab.experiments.terrain_costs.dataset.demonstrations import PathDemonstrations
from vinlab.experiments.terrain_costs.dataset.record import PathDataset


def arrays(pictures: int = 6, each: int = 2, size: int = 10, seed: int = 0, **changes: Any) -> dict[str, Any]:
    """The arrays of a dataset, with some of them replaced."""
    rng = np.random.default_rng(seed)
    problems, owners = sample_dataset(TerrainCostsConfig(size=size), pictures, each, rng=rng)
    own = problems[np.arange(pictures) * each]
    found = {
        "observations": own.images,
        "paths": padded_paths(demonstrate(problems, rng=rng)),
        "path_image": owners,
        "costs": own.costs,
    }
    return {name: value for name, value in (found | changes).items() if value is not None}


def save(path: Path, **changes: Any) -> Path:
    """An ``.npz`` file of a dataset."""
    np.savez(path, **arrays(**changes))
    return path


def path_of(cells: Any, length: int = 12) -> np.ndarray:
    """One path, filled up, as the only one of a dataset."""
    padded = np.full((1, length, 2), -1)
    padded[0, : len(cells)] = np.reshape(cells, (-1, 2))
    return padded


def one_path(cells: Any, **changes: Any) -> dict[str, Any]:
    """What replaces the paths of a dataset by a single one."""
    return {"paths": path_of(cells), "path_image": np.array([0]), **changes}


def folder(path: Path, images: dict[str, np.ndarray], table: str, name: str = "paths.csv") -> Path:
    """A folder of PNG images with a table."""
    path.mkdir()
    for file, pixels in images.items():
        Image.fromarray(pixels).save(path / file)
    (path / name).write_text(table, encoding="utf-8")
    return path


def csv_of(paths: dict[tuple[str, str], Any], columns: str = "row,col") -> str:
    """A table with a line for each cell."""
    lines = [f"{image},{number},{a},{b}" for (image, number), cells in paths.items() for a, b in cells]
    return "\n".join([f"image,path,{columns}", *lines]) + "\n"


def paths_on(*shapes) -> PathDemonstrations:
    """A straight path along the second row of each image."""
    rng = np.random.default_rng(0)
    images = tuple(rng.normal(size=(2, *shape)).astype(np.float32) for shape in shapes)
    blocked = tuple(np.zeros(shape, bool) for shape in shapes)
    paths = tuple(np.stack([np.ones(cols, int), np.arange(cols)], axis=-1) for _, cols in shapes)
    return PathDemonstrations(PathDataset("", images, blocked, paths, np.arange(len(shapes))))
