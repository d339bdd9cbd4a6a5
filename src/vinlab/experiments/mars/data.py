"""The problems of Mars: those to train on, to choose weights by and to test on, from synthetic or real terrain."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from vinlab.domains.mars.expert import DemonstrationConfig, TerrainDemonstrations, demonstrate
from vinlab.domains.mars.patches import PAPER_PATCHES, PatchCounts
from vinlab.domains.mars.problem import MarsProblems, sample_from_tiles
from vinlab.domains.mars.rasters.folders import read_mars_folder
from vinlab.domains.mars.splits import Protocol, Splits, split_problems
from vinlab.domains.mars.terrain import Terrain
from vinlab.domains.mars.terrain.synthetic import SyntheticConfig, synthetic_terrains
from vinlab.experiments.base import recorded_data
from vinlab.recording.hashing import data_hash
from vinlab.types import concatenate

TERRAIN_STREAM, DEMONSTRATION_STREAM, FURTHER_STREAM = 4016, 4018, 4020
"""Seeds. Terrain and problems are the same for every seed of training; the demonstrated goals are not."""

OLD_FIELDS = {"teaching": "demonstrations"}
"""Names of version 0.1, as recorded manifests and cards hold them."""


@dataclass(frozen=True)
class MarsData:
    """Which problems to train on, to choose weights by and to test on."""

    protocol: Protocol = "disjoint"
    patches: int = 10_000
    validation_problems: int = 500
    test_problems: int = 1000
    demonstrations: DemonstrationConfig = field(default_factory=DemonstrationConfig)
    size: int = 16
    """Cells along each edge of a patch."""
    terrains: int = 12
    """Pieces of synthetic terrain, where no folder of real terrain is given."""
    synthetic: SyntheticConfig = field(default_factory=SyntheticConfig)
    further_patches: int = 0
    """Patches to train on besides, on synthetic terrain of their own, also where a folder is given."""
    further_terrains: int = 0


@dataclass(frozen=True)
class MarsSets:
    """Demonstrations for training and validation, and test problems."""

    demonstrations: TerrainDemonstrations
    validation: TerrainDemonstrations
    test: MarsProblems
    counts: Mapping[str, str]
    """For each split how many patches its terrain has, and why some make no problem."""

    @property
    def hash(self) -> str:
        """Changes with any training or test problem."""
        shown = self.demonstrations
        return data_hash(shown.images, shown.goals, self.test.images, self.test.goals)


def make_sets(data: MarsData, source: Path | None, *, seed: int) -> MarsSets:
    """All sets; those for validation and test do not depend on the seed of training."""
    splits, choosing = make_splits(data, source), DemonstrationConfig(mirror=False)
    train, counts = splits.train, dict(splits.counts)
    if data.further_patches:
        further, counts["further"] = make_further(data)
        train = concatenate([train, further])
    seeded = np.random.default_rng([DEMONSTRATION_STREAM, seed])
    same = np.random.default_rng(DEMONSTRATION_STREAM)
    return MarsSets(
        demonstrate(train, data.demonstrations, rng=seeded),
        demonstrate(splits.validation, choosing, rng=same),
        splits.test,
        {name: str(found) for name, found in counts.items()},
    )


def make_splits(data: MarsData, source: Path | None) -> Splits:
    """The problems of each split, on the terrain of a folder or on synthetic terrain."""
    rng = np.random.default_rng(TERRAIN_STREAM)
    terrains = (
        read_mars_folder(source)
        if source
        else synthetic_terrains(data.terrains, rng=rng, config=data.synthetic)
    )
    return split_problems(
        list(terrains),
        protocol=data.protocol,
        counts=(data.patches, data.validation_problems, data.test_problems),
        rng=np.random.default_rng(TERRAIN_STREAM),
    )


def make_further(data: MarsData) -> tuple[MarsProblems, PatchCounts]:
    """Problems on further synthetic terrain, to train on; the splits are the same with and without them."""

    def terrains() -> Iterator[Terrain]:
        rng = np.random.default_rng(FURTHER_STREAM)
        return synthetic_terrains(data.further_terrains, rng=rng, config=data.synthetic)

    rng = np.random.default_rng(FURTHER_STREAM)
    return sample_from_tiles(terrains, data.further_patches, PAPER_PATCHES, rng=rng)


def data_of(config: Mapping[str, Any]) -> MarsData:
    """The data of a recorded configuration; names of older versions are understood."""
    plain = {OLD_FIELDS.get(name, name): entry for name, entry in config.get("data", {}).items()}
    return recorded_data(MarsData, {"data": plain})
