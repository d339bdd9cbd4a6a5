"""Datasets as a folder: image files, and a table of paths in CSV or JSON."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vinlab.experiments.terrain_costs.dataset.checks import PathChecks
from vinlab.experiments.terrain_costs.dataset.record import PathDataset, ReadingOptions
from vinlab.maps.path_files import WrittenPath, read_paths
from vinlab.maps.pictures import SUFFIXES, Picture, read_picture, with_channels
from vinlab.maps.safe_files import resolve_sibling
from vinlab.types import InputError

TABLES = (".csv", ".json")
MOST_NAMED = 5

MOST_COORDINATE = 2**53
"""From here on whole numbers are no longer told apart."""


@dataclass(frozen=True)
class _Image:
    """An image that can be used, cut to whole cells."""

    name: str
    picture: Picture
    blocked: np.ndarray


def read_folder(folder: Path, options: ReadingOptions) -> PathDataset:
    """The dataset of a folder; an image that cannot be read is named, and its paths are left out."""
    table = _table(folder)
    written = read_paths(table)
    images, notes = _images(table, list(dict.fromkeys(path.image for path in written)), options)
    place = {image.name: number for number, image in enumerate(images)}
    checks = PathChecks(options.skip_bad)
    kept: list[tuple[np.ndarray, WrittenPath]] = []
    for path in written:
        if path.image in place:
            image = images[place[path.image]]
            cells = _cells(path, image.picture, options.pixels or 1)
            found = checks.check(cells, image.blocked, path.name)
            kept += [] if found is None else [(found, path)]
    if not kept:
        reason = f": {notes[0]}" if notes else "."
        raise InputError(
            f"{folder}: expected at least one path on an image, got none that can be used{reason}"
        )
    return PathDataset(
        name=str(folder),
        images=tuple(image.picture.values for image in images),
        blocked=tuple(image.blocked for image in images),
        paths=tuple(cells for cells, _ in kept),
        path_image=np.array([place[path.image] for _, path in kept], np.int64),
        groups=_groups([path for _, path in kept], images, options, table),
        pixels=options.pixels or 1,
        notes=(*notes, *_unused(written, place), *_without_paths(folder, written), *checks.notes()),
        files=tuple(image.name for image in images),
    )


def _table(folder: Path) -> Path:
    """The one table of paths in a folder."""
    found = sorted(file for file in folder.iterdir() if file.suffix.lower() in TABLES and file.is_file())
    if len(found) == 1:
        return found[0]
    named = [file for file in found if file.stem == "paths"]
    if len(named) == 1:
        return named[0]
    shown = ", ".join(file.name for file in found) or "none"
    raise InputError(f"{folder}: expected one table of paths, paths.csv or paths.json, got {shown}.")


def _images(table: Path, names: list[str], options: ReadingOptions) -> tuple[list[_Image], list[str]]:
    """The images that can be used, with as many channels as most have, and a sentence for each other one."""
    pictures: dict[str, Picture] = {}
    notes: list[str] = []
    for name in names:
        try:
            pictures[name] = _cut(read_picture(resolve_sibling(table, name)), options.pixels or 1, name)
        except InputError as error:
            notes.append(f"Left out: {error}")
    if not pictures:
        raise InputError(
            f"{table.parent}: expected an image that can be read, got none. {' '.join(notes[:3])}"
        )
    channels = Counter(len(picture.values) for picture in pictures.values()).most_common(1)[0][0]
    images = []
    for name, picture in pictures.items():
        try:
            fitting = with_channels(picture, channels, name)
        except InputError as error:
            notes.append(f"Left out: {error}")
            continue
        if fitting is not picture:
            kinds = {1: "grey", 3: "colour"}
            notes.append(
                f"{name} is {kinds[len(picture.values)]} and was taken as {kinds[channels]}, as most are."
            )
        images.append(_Image(name, fitting, _blocked(fitting, options.pixels or 1)))
    return images, notes + _unknown_notes(images)


def _cut(picture: Picture, pixels: int, name: str) -> Picture:
    """The picture without the pixels that make no whole cell."""
    rows, cols = (side // pixels for side in picture.known.shape)
    if min(rows, cols) < 2:
        raise InputError(
            f"{name}: expected at least 2 x 2 cells of {pixels} x {pixels} pixels, got "
            f"{picture.known.shape[0]} x {picture.known.shape[1]} pixels."
        )
    height, width = rows * pixels, cols * pixels
    return Picture(picture.values[:, :height, :width], picture.known[:height, :width], picture.frame)


def _blocked(picture: Picture, pixels: int) -> np.ndarray:
    """Cells of which no pixel is known."""
    rows, cols = (side // pixels for side in picture.known.shape)
    return np.logical_not(picture.known.reshape(rows, pixels, cols, pixels).any(axis=(1, 3)))


def _unknown_notes(images: list[_Image]) -> list[str]:
    return [
        f"{image.name}: {image.blocked.mean():.1%} of its cells are transparent or without data and count as blocked."
        for image in images
        if image.blocked.any()
    ]


def _cells(path: WrittenPath, picture: Picture, pixels: int) -> np.ndarray:
    """The cells of a path, from cells or world coordinates."""
    if not path.world:
        whole = np.rint(path.points)
        close = np.isclose(path.points, whole) & (np.abs(whole) < MOST_COORDINATE)
        if not close.all():
            wrong = path.points[~close.all(axis=1)][0].tolist()
            raise InputError(f"{path.name}: expected whole numbers as row and col, got {wrong}.")
        return whole.astype(np.int64)
    if picture.frame.unit == "cells":
        raise InputError(
            f"{path.name}: expected a GeoTIFF with a transform for world coordinates, got an image without one."
        )
    return np.array([picture.frame.to_cell(x, y) for x, y in path.points.tolist()], np.int64) // pixels


def _groups(
    paths: list[WrittenPath], images: list[_Image], options: ReadingOptions, table: Path
) -> tuple[str, ...] | None:
    """The entry of each image in the column that the split is named after."""
    if options.split_by is None:
        return None
    found: dict[str, str] = {}
    for path in paths:
        if options.split_by not in path.columns:
            raise InputError(f"{table}: expected a column {options.split_by} to split by, got none.")
        if found.setdefault(path.image, path.columns[options.split_by]) != path.columns[options.split_by]:
            raise InputError(
                f"{table}: expected one entry of {options.split_by} for all paths on {path.image}, got several."
            )
    return tuple(found.get(image.name, "") for image in images)


def _without_paths(folder: Path, written: list[WrittenPath]) -> list[str]:
    """Which images of the folder no path lies on."""
    named = {path.image for path in written}
    files = (
        file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.suffix.lower() in SUFFIXES
    )
    idle = sorted(name for name in files if name not in named)
    if not idle:
        return []
    shown = ", ".join(idle[:MOST_NAMED]) + (", …" if len(idle) > MOST_NAMED else "")
    return [f"No path lies on {len(idle)} image{'s' * (len(idle) > 1)}: {shown}."]


def _unused(written: list[WrittenPath], place: Mapping[str, int]) -> list[str]:
    """How many paths lie on images that cannot be used."""
    lost = [path.image for path in written if path.image not in place]
    if not lost:
        return []
    return [f"{len(lost)} of {len(written)} paths lie on images that cannot be used and were left out."]
