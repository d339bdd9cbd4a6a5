"""Reading a dataset of any layout."""

from pathlib import Path

from vinlab.domains.gridworld.files import array_names
from vinlab.experiments.terrain_costs.dataset.arrays import read_npz
from vinlab.experiments.terrain_costs.dataset.folder import read_folder
from vinlab.experiments.terrain_costs.dataset.neural_astar import ARRAYS, read_neural_astar
from vinlab.experiments.terrain_costs.dataset.record import PathDataset, ReadingOptions
from vinlab.types import InputError


def read_dataset(path: str | Path, options: ReadingOptions | None = None) -> PathDataset:
    """The dataset of an ``.npz`` file (ours or Neural A*'s) or of a folder of images with a table of paths."""
    path, options = Path(path), options or ReadingOptions()
    if path.is_dir():
        return read_folder(path, options)
    if not path.exists():
        raise InputError(
            f"{path}: expected an .npz file or a folder of images with a table of paths, got none."
        )
    if not array_names(path) >= set(ARRAYS):
        return read_npz(path, options)
    if options.pixels not in (None, 1) or options.split_by is not None:
        raise InputError(
            f"{path} is a dataset of Neural A*: expected no pixels per cell and no column to split by."
        )
    return read_neural_astar(path)
