"""The data of a run: pictures with hidden costs, Martian terrain with its slopes, or a dataset of one's own."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from vinlab.domains.terrain_costs.expert import demonstrate
from vinlab.domains.terrain_costs.problem import TerrainCostsConfig, sample_dataset
from vinlab.experiments.terrain_costs.dataset.read import read_dataset
from vinlab.experiments.terrain_costs.dataset.record import PathDataset, ReadingOptions
from vinlab.experiments.terrain_costs.dataset.split import Split, split_dataset
from vinlab.experiments.terrain_costs.slopes import SlopeConfig, slope_split
from vinlab.types import InputError

Origin = Literal["pictures", "slopes", "own"]
TRAINING_STREAM, TEST_STREAM = 5016, 5017
"""Seeds. Test pictures are the same for every seed of training."""


@dataclass(frozen=True)
class TerrainCostsData:
    """What to train on, to choose weights by and to test on."""

    origin: Origin = "pictures"
    """Generated pictures, images of Mars with their slopes, or a dataset of one's own; the last two need ``--data``,
    without which they are generated too."""
    pictures: int = 100
    paths: int = 5
    """Demonstrated on each picture."""
    detours: float = 0.0
    """The probability that the demonstrator makes a random move; nobody strays on the test pictures."""
    test_pictures: int = 100
    terrain: TerrainCostsConfig = field(default_factory=TerrainCostsConfig)
    slopes: SlopeConfig = field(default_factory=SlopeConfig)
    reading: ReadingOptions = field(default_factory=ReadingOptions)


@dataclass(frozen=True)
class TerrainCostsSets:
    """The datasets of a run."""

    split: Split
    hash: str


def make_sets(data: TerrainCostsData, source: Path | None, *, seed: int) -> TerrainCostsSets:
    """The datasets; those for the test do not depend on the seed of training, nor does the split of a dataset."""
    split = _split(data, source, seed)
    parts = (split.train, split.validation, split.test)
    return TerrainCostsSets(split, "".join(part.hash[:20] for part in parts))


def _split(data: TerrainCostsData, source: Path | None, seed: int) -> Split:
    if data.origin == "slopes":
        return slope_split(data.slopes, source)
    if data.origin == "own" and source is not None:
        return split_dataset(read_dataset(source, data.reading))
    if source is not None:
        raise InputError(f"expected no --data for generated pictures, got {source}.")
    return generated(data, seed)


def generated(data: TerrainCostsData, seed: int) -> Split:
    """Generated pictures, with test pictures of their own; of the others one in ten chooses weights."""
    rng = np.random.default_rng([TRAINING_STREAM, seed])
    shown = generate(data, data.pictures, data.detours, rng)
    count = max(1, round(0.1 * data.pictures))
    if data.pictures < 2:
        raise InputError(f"expected at least 2 pictures, got {data.pictures}.")
    test = generate(data, data.test_pictures, 0.0, np.random.default_rng(TEST_STREAM))
    images = range(data.pictures)
    return Split(shown.only(images[count:]), shown.only(images[:count]), test)


def generate(data: TerrainCostsData, pictures: int, detours: float, rng: np.random.Generator) -> PathDataset:
    """Some pictures with demonstrated paths, as a dataset."""
    problems, owners = sample_dataset(data.terrain, pictures, data.paths, rng=rng)
    paths = demonstrate(problems, detours=detours, rng=rng)
    first = np.unique(owners, return_index=True)[1]
    own = problems[first]
    return PathDataset(
        name="generated pictures",
        images=tuple(own.images.astype(np.float32) / 255),
        blocked=tuple(np.zeros(own.costs.shape, bool)),
        paths=tuple(paths),
        path_image=owners,
        costs=tuple(own.costs),
    )
