"""The record of a dataset: images of any sizes, and the paths that were demonstrated on them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float32, Int64

from vinlab.recording.hashing import data_hash
from vinlab.types import InputError


@dataclass(frozen=True)
class ReadingOptions:
    """How the files of a dataset are understood."""

    pixels: int | None = None
    """Pixels along the edge of a cell; 1 if not given, or as arrays of blocked cells or costs tell."""
    split_by: str | None = None
    """The column or array by which images are split; without it every image is a part by itself."""
    skip_bad: bool = False
    """Whether paths that cannot be used are left out, each with a note, instead of an error."""

    def __post_init__(self) -> None:
        if self.pixels is not None and self.pixels < 1:
            raise InputError(f"pixels: expected at least 1 for a cell, got {self.pixels}.")


@dataclass(frozen=True)
class PathDataset:
    """Images and demonstrated paths; the learner never sees ``costs``."""

    name: str
    images: tuple[Float32[np.ndarray, "_ _ _"], ...]
    """The channels ``[C h w]`` of each, ``pixels`` x ``pixels`` for each cell."""
    blocked: tuple[Bool[np.ndarray, "_ _"], ...]
    """The cells ``[H W]`` of each image that cannot be entered."""
    paths: tuple[Int64[np.ndarray, "_ 2"], ...]
    """Neighbouring cells ``(row, col)`` from start to goal."""
    path_image: Int64[np.ndarray, " M"]
    """The image of each path."""
    costs: tuple[Float32[np.ndarray, "_ _"], ...] | None = None
    """The true cost of each cell, where it is known."""
    groups: tuple[str, ...] | None = None
    """What tells which images belong to one part of a split, where the user named it."""
    pixels: int = 1
    notes: tuple[str, ...] = ()
    """What was assumed, filled and left out, a sentence each."""
    files: tuple[str, ...] = ()
    """The name of each image."""

    def __len__(self) -> int:
        return len(self.paths)

    @property
    def channels(self) -> int:
        """Of every image."""
        return len(self.images[0])

    @property
    def shapes(self) -> list[tuple[int, int]]:
        """Rows and columns of cells of each image."""
        return [(len(cells), cells.shape[1]) for cells in self.blocked]

    @cached_property
    def hash(self) -> str:
        """Changes with any image, path or blocked cell."""
        return data_hash(*self.images, *self.blocked, *self.paths, self.path_image)

    def only(self, images: Sequence[int]) -> "PathDataset":
        """Some of the images, with their paths."""
        place = {image: number for number, image in enumerate(images)}
        kept = [number for number, image in enumerate(self.path_image) if int(image) in place]
        return replace(
            self,
            images=tuple(self.images[image] for image in images),
            blocked=tuple(self.blocked[image] for image in images),
            paths=tuple(self.paths[number] for number in kept),
            path_image=np.array([place[int(self.path_image[number])] for number in kept], np.int64),
            costs=None if self.costs is None else tuple(self.costs[image] for image in images),
            groups=None if self.groups is None else tuple(self.groups[image] for image in images),
            files=tuple(self.files[image] for image in images) if self.files else (),
        )

    def statistics(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Mean and standard deviation of each channel over all pixels; 1 where a channel is constant."""
        count = sum(image[0].size for image in self.images)
        total = sum(image.sum(axis=(1, 2), dtype=np.float64) for image in self.images)
        mean = np.asarray(total) / count
        squares = sum(((image - mean[:, None, None]) ** 2).sum(axis=(1, 2)) for image in self.images)
        std = np.sqrt(np.asarray(squares) / count)
        std = np.where(std > 1e-12 * np.maximum(1.0, np.abs(mean)), std, 1.0)
        return tuple(float(one) for one in mean), tuple(float(one) for one in std)


def summary(dataset: PathDataset) -> list[str]:
    """What a dataset holds, a sentence a line."""
    sizes = sorted({f"{rows} x {cols}" for rows, cols in dataset.shapes})
    shown = ", ".join(sizes[:4]) + (f" and {len(sizes) - 4} other sizes" if len(sizes) > 4 else "")
    moves = [len(path) - 1 for path in dataset.paths]
    cells = "" if dataset.pixels == 1 else f" of {dataset.pixels} x {dataset.pixels} pixels"
    share = float(np.mean([cells.mean() for cells in dataset.blocked]))
    return [
        f"{dataset.name}: {len(dataset.images)} images of {shown} cells{cells}, "
        f"{dataset.channels} channel{'s' * (dataset.channels > 1)}.",
        f"{len(dataset)} paths of {min(moves)} to {max(moves)} moves (median {np.median(moves):g}); "
        f"{f'{share:.1%} of the cells are blocked' if share else 'no cells are blocked'}.",
        *dataset.notes,
    ]
