"""Splits of terrain into training, validation and test problems, by one of two protocols."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from vinlab.domains.mars.patches import (
    PAPER_PATCHES,
    PatchConfig,
    PatchCounts,
    Region,
    count_blocks,
    find_patches,
    whole_region,
)
from vinlab.domains.mars.problem import MarsProblems, problems_at
from vinlab.domains.mars.terrain import Terrain
from vinlab.types import InputError, concatenate

Protocol = Literal["disjoint", "overlapping"]
"""Whether train, validation and test share no terrain, or are different patches of the same terrain."""

NAMES = ("train", "validation", "test")
TEST_SHARE, VALIDATION_SHARE = 0.275, 0.1
"""The shares of the terrain for test and validation in the disjoint protocol."""
BY_SCENE = 4
"""From this number on, terrains are assigned as wholes; fewer are each divided into bands."""

Corners = list[tuple[int, np.ndarray]]
"""For each terrain the corners of patches."""


@dataclass(frozen=True)
class Splits:
    """Problems for training, validation and test."""

    train: MarsProblems
    validation: MarsProblems
    test: MarsProblems
    counts: Mapping[str, PatchCounts]
    """For each split how many patches its terrain has, and why some make no problem."""


def split_problems(
    terrains: Sequence[Terrain],
    *,
    protocol: Protocol = "disjoint",
    counts: tuple[int, int, int] = (10_000, 500, 1_000),
    config: PatchConfig = PAPER_PATCHES,
    rng: np.random.Generator,
) -> Splits:
    """Problems for training, validation and test, ``counts`` of each.

    ``disjoint``: no pixel of one split is a pixel of another, whatever the seed. ``overlapping``: different
    patches drawn from all the terrain, most of whose pixels other splits hold as well.
    """
    if not terrains:
        raise InputError("expected at least one terrain, got none.")
    if protocol == "overlapping":
        return _overlapping(terrains, counts, config, rng)
    regions = disjoint_regions(terrains, config)
    problems, found = {}, {}
    for name, count in zip(NAMES, counts, strict=True):
        corners, found[name] = _enough(terrains, regions[name], count, config, name)
        problems[name] = _draw(terrains, _choose(corners, count, rng), config, rng)
    return Splits(**problems, counts=found)


def _overlapping(
    terrains: Sequence[Terrain], counts: tuple[int, int, int], config: PatchConfig, rng: np.random.Generator
) -> Splits:
    wholes = [whole_region(terrain, index) for index, terrain in enumerate(terrains)]
    corners, found = _enough(terrains, wholes, sum(counts), config, "all splits")
    problems = _draw(terrains, _choose(corners, sum(counts), rng), config, rng)
    mixed = rng.permutation(len(problems))
    parts = np.split(mixed, np.cumsum(counts)[:-1])
    return Splits(*(problems[part] for part in parts), counts=dict.fromkeys(NAMES, found))


def disjoint_regions(terrains: Sequence[Terrain], config: PatchConfig) -> dict[str, list[Region]]:
    """Regions of each split that share no pixel with those of another: whole terrains, or bands of a few."""
    wholes = [whole_region(terrain, index) for index, terrain in enumerate(terrains)]
    if len(terrains) >= BY_SCENE:
        return _scenes(wholes)
    bands = [_bands(whole, config.side) for whole in wholes]
    return {name: [band[name] for band in bands] for name in NAMES}


def _scenes(wholes: list[Region]) -> dict[str, list[Region]]:
    """Whole terrains for each split, spread evenly over the list."""
    count = len(wholes)
    test, validation = (max(1, round(share * count)) for share in (TEST_SHARE, VALIDATION_SHARE))
    # Multiples of the golden ratio: any part of the list holds all splits.
    spread = np.argsort(np.argsort((np.arange(count) * 0.6180339887498949) % 1.0))
    names = np.where(spread < test, "test", np.where(spread < test + validation, "validation", "train"))
    return {name: [whole for whole, own in zip(wholes, names, strict=True) if own == name] for name in NAMES}


def _bands(whole: Region, side: int) -> dict[str, Region]:
    """Bands across the longer axis: train, validation, an unused belt of one patch, test."""
    down = whole.bottom >= whole.right
    length, unit = max(whole.bottom, whole.right), max(1, side // 2)
    test = int((1 - TEST_SHARE) * length) // unit * unit
    validation = test - side - max(side, int(VALIDATION_SHARE * length) // unit * unit)
    limits = {"train": (0, validation), "validation": (validation, test - side), "test": (test, length)}
    return {
        name: Region(whole.terrain, first, 0, last, whole.right)
        if down
        else Region(whole.terrain, 0, first, whole.bottom, last)
        for name, (first, last) in limits.items()
    }


def _enough(
    terrains: Sequence[Terrain], regions: Sequence[Region], count: int, config: PatchConfig, name: str
) -> tuple[Corners, PatchCounts]:
    """The usable patches of some regions, at the widest stride that gives at least ``count``."""
    stride = config.stride
    while True:
        found = [find_patches(terrains[one.terrain], one, config, stride) for one in regions]
        total = sum((counts for _, counts in found), PatchCounts(stride))
        if total.usable >= count:
            return [(one.terrain, corners) for one, (corners, _) in zip(regions, found, strict=True)], total
        if stride == 1 or total.usable == 0:
            raise InputError(f"expected terrain for {count:,} patches for {name}, got {total}.")
        stride = max(1, stride // 2)


def _choose(corners: Corners, count: int, rng: np.random.Generator) -> Corners:
    """``count`` of the patches, all equally likely, sorted by terrain."""
    sizes = [len(own) for _, own in corners]
    chosen = np.zeros(sum(sizes), bool)
    chosen[rng.choice(len(chosen), count, replace=False)] = True
    parts = np.split(chosen, np.cumsum(sizes)[:-1])
    return [(terrain, own[part]) for (terrain, own), part in zip(corners, parts, strict=True)]


def _draw(
    terrains: Sequence[Terrain], corners: Corners, config: PatchConfig, rng: np.random.Generator
) -> MarsProblems:
    """A problem on each of the patches, in random order."""
    first_blocks = np.cumsum([0, *(count_blocks(terrain, config) for terrain in terrains)]).tolist()
    parts = [
        part
        for index, own in corners
        for part in problems_at(terrains[index], own, config, first_block=first_blocks[index], rng=rng)
    ]
    problems = concatenate(parts)
    return problems[rng.permutation(len(problems))]
