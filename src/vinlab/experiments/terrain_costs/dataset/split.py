"""The split of a dataset by image: to train on, to choose weights by, and held out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vinlab.experiments.terrain_costs.dataset.record import PathDataset
from vinlab.types import InputError

NAMES = {
    "train": "train",
    "training": "train",
    "validation": "validation",
    "valid": "validation",
    "val": "validation",
    "test": "test",
    "held-out": "test",
}
"""Entries of the user's column that name a part."""

PARTS = ("train", "validation", "test")
TEST_SHARE, VALIDATION_SHARE = 0.1, 0.05
"""Of the groups; at least one each."""


@dataclass(frozen=True)
class Split:
    """The parts of a dataset; no image is in two of them."""

    train: PathDataset
    validation: PathDataset
    test: PathDataset

    def __str__(self) -> str:
        parts = (self.train, self.validation, self.test)
        counts = [
            f"{len(part.images)} image{'s' * (len(part.images) != 1)} with {len(part)} path{'s' * (len(part) != 1)}"
            for part in parts
        ]
        return f"{counts[0]} to train on, {counts[1]} to choose weights by, {counts[2]} held out."


def split_dataset(dataset: PathDataset, *, seed: int = 0) -> Split:
    """The dataset by image; images of one group stay together, and groups named after a part are that part."""
    used = sorted(set(dataset.path_image.tolist()))
    groups = {image: dataset.groups[image] if dataset.groups else str(image) for image in used}
    named = {group.lower() for group in groups.values()} <= NAMES.keys()
    if dataset.groups and named:
        parts = {group: NAMES[group.lower()] for group in set(groups.values())}
    else:
        parts = _random_parts(list(dict.fromkeys(groups.values())), seed)
    images = {name: [image for image in used if parts[groups[image]] == name] for name in PARTS}
    _require_all(images, len(set(groups.values())))
    return Split(*(dataset.only(images[name]) for name in PARTS))


def _random_parts(groups: Sequence[str], seed: int) -> dict[str, str]:
    """The part of each group; the order of the file does not matter."""
    order = np.random.default_rng(seed).permutation(len(groups))
    test, validation = (max(1, round(share * len(groups))) for share in (TEST_SHARE, VALIDATION_SHARE))
    names = ["test"] * test + ["validation"] * validation
    names += ["train"] * (len(groups) - len(names))
    return {groups[int(place)]: name for place, name in zip(order, names, strict=False)}


def _require_all(images: dict[str, list[int]], groups: int) -> None:
    missing = [name for name in PARTS if not images[name]]
    if missing:
        words = {"train": "to train on", "validation": "to choose weights by", "test": "to hold out"}
        raise InputError(
            "expected paths on at least 3 images or groups, to train on, to choose weights by and to hold out, got "
            f"{groups}: none is left {words[missing[-1]]}."
        )
