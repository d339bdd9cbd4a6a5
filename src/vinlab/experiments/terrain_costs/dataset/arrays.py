"""Datasets in one ``.npz`` file: observations, paths, the image of each path; blocked cells and true costs if known."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from vinlab.domains.gridworld.files import read_arrays
from vinlab.experiments.terrain_costs.dataset.checks import PathChecks
from vinlab.experiments.terrain_costs.dataset.record import PathDataset, ReadingOptions
from vinlab.maps.pictures import as_brightness
from vinlab.types import InputError

WANTED, OPTIONAL = ("observations", "paths", "path_image"), ("blocked", "costs")
FILL = -1
MOST_VALUES, MOST_NUMBERS = 96 * 2**20, 2**24
"""Of all images, which become floating point, and of all paths, which become whole numbers of 64 bits."""


def read_npz(path: Path, options: ReadingOptions) -> PathDataset:
    """The dataset of a file, every array checked."""
    split = () if options.split_by is None else (options.split_by,)
    arrays = read_arrays(path, WANTED + split, OPTIONAL, texts=split)
    images = _observations(arrays["observations"], path)
    pixels = _pixels(arrays, images, options, path)
    shape = len(images), images.shape[2] // pixels, images.shape[3] // pixels
    images = images[:, :, : shape[1] * pixels, : shape[2] * pixels]
    blocked = _blocked(arrays.get("blocked"), shape, path)
    owners = _path_images(arrays, shape[0], path)
    checks = PathChecks(options.skip_bad)
    paths = [
        checks.check(cells, blocked[owner], f"{path}: path {number}")
        for number, (cells, owner) in enumerate(zip(_paths(arrays["paths"], path), owners, strict=True))
    ]
    kept = [number for number, one in enumerate(paths) if one is not None]
    if not kept:
        raise InputError(f"{path}: expected at least one path, got none that can be used.")
    costs = _costs(arrays.get("costs"), blocked, path)
    return PathDataset(
        name=str(path),
        images=tuple(images),
        blocked=tuple(blocked),
        paths=tuple(one for one in paths if one is not None),
        path_image=owners[kept],
        costs=None if costs is None else tuple(costs),
        groups=_groups(arrays, options, owners, shape[0], path),
        pixels=pixels,
        notes=tuple(checks.notes()),
        files=tuple(f"image {number}" for number in range(shape[0])),
    )


def _observations(array: np.ndarray, path: Path) -> np.ndarray:
    if array.ndim != 4 or array.dtype.kind not in "buif" or not array.size:
        raise InputError(
            f"observations in {path}: expected numbers of the shape (N, C, H, W), got {array.dtype} of the shape "
            f"{array.shape}."
        )
    _require_few(array, MOST_VALUES, f"observations in {path}")
    values = as_brightness(array)
    finite = np.isfinite(values)
    if not finite.all():
        place = np.unravel_index(int(finite.argmin()), finite.shape)
        (image, channel), found = place[:2], values[place]
        raise InputError(
            f"observations in {path}: expected finite numbers, got {found} in channel {channel} of image {image}."
        )
    return values


def _require_few(array: np.ndarray, most: int, name: str) -> None:
    if array.size > most:
        raise InputError(f"{name}: expected at most {most:,} numbers, got {array.size:,}.")


def _pixels(arrays: Mapping[str, np.ndarray], images: np.ndarray, options: ReadingOptions, path: Path) -> int:
    """Pixels along the edge of a cell: as asked for, or as the arrays of cells tell, or one."""
    if options.pixels is not None:
        pixels = options.pixels
    else:
        cells = next((arrays[name] for name in OPTIONAL if name in arrays), None)
        known = cells is not None and cells.ndim == 3 and cells.shape[1] > 0
        pixels = max(1, images.shape[2] // cells.shape[1]) if known and cells is not None else 1
    if min(images.shape[2:]) < 2 * pixels:
        raise InputError(
            f"observations in {path}: expected at least 2 cells of {pixels} pixels a side, got "
            f"{images.shape[2]} x {images.shape[3]} pixels."
        )
    return pixels


def _blocked(array: np.ndarray | None, shape: tuple[int, int, int], path: Path) -> np.ndarray:
    if array is None:
        return np.zeros(shape, bool)
    _require_shape(array, shape, f"blocked in {path}")
    if not np.isin(array, (0, 1)).all():
        raise InputError(f"blocked in {path}: expected only 0 and 1, got others.")
    return array.astype(bool)


def _costs(array: np.ndarray | None, blocked: np.ndarray, path: Path) -> np.ndarray | None:
    """The true costs; those of blocked cells do not count."""
    if array is None:
        return None
    _require_shape(array, blocked.shape, f"costs in {path}")
    costs = np.where(blocked, 1.0, array).astype(np.float32)
    wrong = ~(np.isfinite(costs) & (costs >= 0))
    if wrong.any():
        image, row, col = np.argwhere(wrong)[0].tolist()
        raise InputError(
            f"costs in {path}: expected finite numbers of at least 0, got {costs[image, row, col]:g} in cell "
            f"{row, col} of image {image}."
        )
    return costs


def _require_shape(array: np.ndarray, shape: tuple[int, ...], name: str) -> None:
    if array.shape != shape or array.dtype.kind not in "buif":
        raise InputError(
            f"{name}: expected numbers of the shape {shape}, got {array.dtype} of {array.shape}."
        )


def _path_images(arrays: Mapping[str, np.ndarray], count: int, path: Path) -> np.ndarray:
    owners, paths = arrays["path_image"], arrays["paths"]
    if owners.shape != paths.shape[:1] or owners.dtype.kind not in "iu":
        raise InputError(
            f"path_image in {path}: expected a whole number for each of {len(paths)} paths, got {owners.dtype} of "
            f"the shape {owners.shape}."
        )
    wrong = owners[(owners < 0) | (owners >= count)]
    if wrong.size:
        raise InputError(f"path_image in {path}: expected 0 to {count - 1}, got {int(wrong[0])}.")
    return owners.astype(np.int64)


def _paths(array: np.ndarray, path: Path) -> list[np.ndarray]:
    """The cells of each path, without the filling at its end."""
    if array.ndim != 3 or array.shape[2] != 2 or array.dtype.kind not in "iu":
        raise InputError(
            f"paths in {path}: expected whole numbers of the shape (M, T, 2), got {array.dtype} of the shape "
            f"{array.shape}."
        )
    _require_few(array, MOST_NUMBERS, f"paths in {path}")
    cells = array.astype(np.int64)
    filled = (cells == FILL).all(axis=2)
    lengths = np.where(filled.any(axis=1), filled.argmax(axis=1), cells.shape[1])
    for number, length in enumerate(lengths):
        if not filled[number, length:].all():
            raise InputError(
                f"{path}: path {number}: expected {FILL} to the end after the first, got a cell."
            )
    return [cells[number, :length] for number, length in enumerate(lengths)]


def _groups(
    arrays: Mapping[str, np.ndarray], options: ReadingOptions, owners: np.ndarray, count: int, path: Path
) -> tuple[str, ...] | None:
    """The entry of each image in the array that the split is named after, which has one for each image or path."""
    if options.split_by is None:
        return None
    array = arrays[options.split_by]
    if array.shape == (count,):
        return tuple(str(entry) for entry in array)
    if array.shape == owners.shape:
        by_image: dict[int, set[str]] = {}
        for image, entry in zip(owners.tolist(), array, strict=True):
            by_image.setdefault(image, set()).add(str(entry))
        if all(len(entries) == 1 for entries in by_image.values()):
            return tuple(next(iter(by_image.get(image, {""}))) for image in range(count))
        raise InputError(
            f"{options.split_by} in {path}: expected one entry for all paths of an image, got several."
        )
    raise InputError(
        f"{options.split_by} in {path}: expected an entry for each of {count} images or {len(owners)} paths, got "
        f"the shape {array.shape}."
    )
