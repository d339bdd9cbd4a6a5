"""What a learner is given of a dataset: observations with their goal, states and moves, in batches by size."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float32, Int64
from torch import Tensor

from vinlab.domains.terrain_costs.problem import observe
from vinlab.experiments.terrain_costs.dataset.record import PathDataset
from vinlab.modules.symmetry import SYMMETRIES
from vinlab.types import MOVE_NAMES, MOVE_OFFSETS, Demonstrations

MOVE_OF_OFFSET = {tuple(offset): move for move, offset in enumerate(MOVE_OFFSETS.tolist())}


@dataclass(frozen=True)
class PathDemonstrations:
    """The paths of a dataset, indexed by number; a batch holds those on images of one size together.

    With ``symmetric`` the copies of a path are turned and mirrored, each in another way.
    """

    dataset: PathDataset
    copies: int = 1
    """How often each path is shown in an epoch."""
    symmetric: bool = False
    together: bool = False
    """Whether the paths on an image are shown after each other, turned in the same way."""

    def __len__(self) -> int:
        return self.copies * len(self.dataset)

    @property
    def weights(self) -> Float32[Tensor, " N"]:
        """The number of moves of each path."""
        return self._weights

    @cached_property
    def _weights(self) -> Float32[Tensor, " N"]:
        moves = [float(len(path) - 1) for path in self.dataset.paths]
        return torch.tensor(moves * self.copies)

    def __getitem__(self, chosen: Any) -> list[Demonstrations]:
        groups: dict[tuple[int, ...], list[tuple[np.ndarray, np.ndarray, np.ndarray]]] = {}
        for number in np.asarray(chosen).tolist():
            found = self._problem(number)
            groups.setdefault(found[0].shape, []).append(found)
        return [_batch(group, self.dataset.pixels) for group in groups.values()]

    def order(self, rng: np.random.Generator) -> Int64[np.ndarray, " N"]:
        """All numbers in a random order; together those of the copies of one image, if so."""
        if not self.together:
            return rng.permutation(len(self))
        owners = self.dataset.path_image + np.arange(self.copies)[:, None] * len(self.dataset.images)
        places = rng.permutation(self.copies * len(self.dataset.images))
        return np.lexsort((rng.random(len(self)), places[owners.ravel()]))

    def _problem(self, number: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Image, blocked cells and path, turned as the copy asks for."""
        copy, path = divmod(number, len(self.dataset))
        image = int(self.dataset.path_image[path])
        turned = copy + (image if self.together else path)
        symmetry = turned % SYMMETRIES if self.symmetric else 0
        return transformed(
            self.dataset.images[image], self.dataset.blocked[image], self.dataset.paths[path], symmetry
        )


def transformed(
    image: Float32[np.ndarray, "C h w"],
    blocked: Bool[np.ndarray, "H W"],
    path: Int64[np.ndarray, "T 2"],
    symmetry: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Image, blocked cells and path, mirrored and turned by quarters."""
    mirror, turns = divmod(symmetry, 4)
    if mirror:
        path = np.stack([path[:, 0], blocked.shape[1] - 1 - path[:, 1]], axis=-1)
        image, blocked = image[:, :, ::-1], blocked[:, ::-1]
    for _ in range(turns):
        path = np.stack([blocked.shape[1] - 1 - path[:, 1], path[:, 0]], axis=-1)
        image, blocked = np.rot90(image, axes=(1, 2)), np.rot90(blocked)
    return image, blocked, path


def moves_of(path: Int64[np.ndarray, "T 2"]) -> list[int]:
    """The move from each cell of a path to the next."""
    return [MOVE_OF_OFFSET[tuple(offset)] for offset in np.diff(path, axis=0).tolist()]


def _batch(group: list[tuple[np.ndarray, np.ndarray, np.ndarray]], pixels: int) -> Demonstrations:
    images, blocked, paths = zip(*group, strict=True)
    longest = max(len(path) for path in paths) - 1
    states = torch.zeros(len(paths), longest, 2, dtype=torch.int64)
    moves = torch.zeros(len(paths), longest, len(MOVE_NAMES), dtype=torch.bool)
    weights = torch.zeros(len(paths), longest)
    for number, path in enumerate(paths):
        count = len(path) - 1
        states[number, :count] = torch.from_numpy(path[:-1].copy())
        moves[number, torch.arange(count), torch.tensor(moves_of(path))] = True
        weights[number, :count] = 1.0
    goals = np.stack([path[-1] for path in paths])
    observations = observe(np.stack(images), np.stack(blocked), goals, pixels)
    return Demonstrations(observations, states, moves, weights)
