"""Mars problems: patches of ground for training, validation and test, by one of two protocols."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from vinlab.domains.mars.patches import (
    MarsProblems,
    PatchConfig,
    PatchCounts,
    Region,
    concatenate,
    find_patches,
)
from vinlab.domains.mars.tasks import count_tiles, problems_at
from vinlab.domains.mars.terrain import Terrain
from vinlab.types import InputError

__all__ = ["MarsProblems", "PatchConfig", "PatchCounts", "Protocol", "Splits", "split_problems"]

Protocol = Literal["disjoint", "overlapping"]
"""Whether train, validation and test share no ground, or are different patches of the same ground."""

NAMES = ("train", "validation", "test")
TEST_SHARE, VALIDATION_SHARE = 0.275, 0.1
"""How much of the ground is kept for test and validation in the disjoint protocol."""
BY_SCENE = 4
"""So many terrains are divided as wholes; fewer are each divided into bands."""

Corners = list[tuple[int, np.ndarray]]
"""For each terrain the corners of patches."""


@dataclass(frozen=True)
class Splits:
    """Problems to learn from, to choose by and to judge with."""

    train: MarsProblems
    validation: MarsProblems
    test: MarsProblems
    report: Mapping[str, PatchCounts]
    """For each split how many patches its ground holds, and why some make no task."""


def split_problems(
    terrains: Sequence[Terrain],
    *,
    protocol: Protocol = "disjoint",
    counts: tuple[int, int, int] = (10_000, 500, 1_000),
    config: PatchConfig = PatchConfig(),  # noqa: B008
    rng: np.random.Generator,
) -> Splits:
    """Problems for training, validation and test, as many as asked for.

    ``disjoint``: no pixel of one split is a pixel of another, whatever the seed. ``overlapping``: different
    patches drawn from all the ground, most of whose pixels other splits hold as well.
    """
    if not terrains:
        raise InputError("At least one terrain is wanted, but none came.")
    if protocol == "overlapping":
        return _overlapping(terrains, counts, config, rng)
    regions = disjoint_regions(terrains, config)
    found, report = {}, {}
    for name, count in zip(NAMES, counts, strict=True):
        corners, report[name] = _enough(terrains, regions[name], count, config, name)
        found[name] = _draw(terrains, _choose(corners, count, rng), config, rng)
    return Splits(**found, report=report)


def _overlapping(
    terrains: Sequence[Terrain], counts: tuple[int, int, int], config: PatchConfig, rng: np.random.Generator
) -> Splits:
    everywhere = [Region(index, 0, 0, *terrain.image.shape) for index, terrain in enumerate(terrains)]
    corners, census = _enough(terrains, everywhere, sum(counts), config, "all splits")
    problems = _draw(terrains, _choose(corners, sum(counts), rng), config, rng)
    mixed = rng.permutation(len(problems))
    parts = np.split(mixed, np.cumsum(counts)[:-1])
    return Splits(*(problems[part] for part in parts), report=dict.fromkeys(NAMES, census))


def disjoint_regions(terrains: Sequence[Terrain], config: PatchConfig) -> dict[str, list[Region]]:
    """Ground for each split that shares no pixel with that of another: whole scenes, or bands of a few."""
    wholes = [Region(index, 0, 0, *terrain.image.shape) for index, terrain in enumerate(terrains)]
    if len(terrains) >= BY_SCENE:
        return _scenes(wholes)
    bands = [_bands(whole, config.side) for whole in wholes]
    return {name: [band[name] for band in bands] for name in NAMES}


def _scenes(wholes: list[Region]) -> dict[str, list[Region]]:
    """Scenes of each split spread evenly over the list."""
    count = len(wholes)
    test, validation = (max(1, round(share * count)) for share in (TEST_SHARE, VALIDATION_SHARE))
    # Multiples of the golden ratio: wherever one looks in the list, all splits are near.
    spread = np.argsort(np.argsort((np.arange(count) * 0.6180339887498949) % 1.0))
    names = np.where(spread < test, "test", np.where(spread < test + validation, "validation", "train"))
    return {name: [whole for whole, own in zip(wholes, names, strict=True) if own == name] for name in NAMES}


def _bands(whole: Region, side: int) -> dict[str, Region]:
    """Bands across the longer axis: train, validation, a belt of one patch for nobody, test."""
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
    """The usable patches of some regions, at the widest stride that gives as many as wanted."""
    stride, total = config.stride, PatchCounts(config.stride, 0, 0, 0, 0, 0, 0)
    while True:
        found = [find_patches(terrains[one.terrain], one, config, stride) for one in regions]
        total = sum((census for _, census in found), PatchCounts(stride, 0, 0, 0, 0, 0, 0))
        if total.usable >= count:
            return [(one.terrain, corners) for one, (corners, _) in zip(regions, found, strict=True)], total
        if stride == 1 or total.usable == 0:
            raise InputError(f"{count:,} patches for {name} are wanted, but the ground holds {total}.")
        stride = max(1, stride // 2)


def _choose(corners: Corners, count: int, rng: np.random.Generator) -> Corners:
    """So many of the patches, each as likely as the others, sorted by terrain."""
    sizes = [len(own) for _, own in corners]
    chosen = np.zeros(sum(sizes), bool)
    chosen[rng.choice(len(chosen), count, replace=False)] = True
    parts = np.split(chosen, np.cumsum(sizes)[:-1])
    return [(terrain, own[part]) for (terrain, own), part in zip(corners, parts, strict=True)]


def _draw(
    terrains: Sequence[Terrain], corners: Corners, config: PatchConfig, rng: np.random.Generator
) -> MarsProblems:
    """A problem on each of the patches, in random order."""
    first_blocks = np.cumsum([0, *(count_tiles(terrain, config) for terrain in terrains)]).tolist()
    parts = [
        part
        for index, own in corners
        for part in problems_at(terrains[index], own, config, first_block=first_blocks[index], rng=rng)
    ]
    problems = concatenate(parts)
    return problems[rng.permutation(len(problems))]
