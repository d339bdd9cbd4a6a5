"""Training on patches of ground: pictures and slopes in, a recorded run out."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from vinlab.domains.mars.expert import DemonstrationConfig, TerrainDemonstrations, demonstrate
from vinlab.domains.mars.problem import MarsProblems, Protocol, split_problems
from vinlab.domains.mars.rasters.folders import read_mars_folder
from vinlab.domains.mars.terrain import Terrain
from vinlab.domains.mars.terrain.synthetic import SyntheticConfig, synthetic_terrains
from vinlab.experiments.base import TrainingRequest, seeded
from vinlab.experiments.gridworld.train import record_run
from vinlab.experiments.mars.classifier import classify, tune_cost
from vinlab.experiments.mars.evaluate import evaluate_policy, validator
from vinlab.learners import distributed
from vinlab.learners.arrival import ReachConfig, ReachLoss
from vinlab.learners.callbacks import Progress, RunLogger
from vinlab.learners.imitation import Best, ImitationConfig, imitate
from vinlab.learners.losses import DenseLoss
from vinlab.learners.staged import StageLogger
from vinlab.networks.configs import network_to_plain
from vinlab.networks.terrain.configs import MarsNetworkConfig
from vinlab.networks.terrain.policies import ClassifierPlanner, StraightLine, TerrainPolicy
from vinlab.recording.finished_run import FinishedRun
from vinlab.recording.hashing import data_hash
from vinlab.types import InputError

GROUND_SEED, TEACHING_SEED = 4016, 4018
"""The ground and its problems are the same for every seed of training; which goals are taught is not."""


@dataclass(frozen=True)
class MarsData:
    """Which patches to learn from, choose by and be judged on."""

    protocol: Protocol
    patches: int = 10_000
    validation_problems: int = 500
    test_problems: int = 1000
    teaching: DemonstrationConfig = field(default_factory=DemonstrationConfig)
    size: int = 16
    """Cells along each edge of a patch."""
    terrains: int = 12
    """Pieces of synthetic ground, where no folder of real ground is given."""
    synthetic: SyntheticConfig = field(default_factory=SyntheticConfig)


@dataclass(frozen=True)
class SecondStage:
    """After imitation: maximise the chance of arriving."""

    arrival: ReachConfig
    learning: ImitationConfig


@dataclass(frozen=True)
class MarsTraining:
    """All that settles a run."""

    network: MarsNetworkConfig
    data: MarsData
    learning: ImitationConfig
    second: SecondStage | None = None

    def to_plain(self, source: Path | None) -> dict[str, Any]:
        """The same as a manifest holds it, with the name of the folder that the ground came from."""
        return {
            "network": network_to_plain(self.network),
            "data": {**asdict(self.data), "source": source.name if source else "synthetic"},
            "learning": asdict(self.learning),
            "second": asdict(self.second) if self.second else None,
        }


@dataclass(frozen=True)
class MarsSets:
    """What to learn from, to choose by and to be judged on."""

    lessons: TerrainDemonstrations
    validation: TerrainDemonstrations
    test: MarsProblems
    report: dict[str, str]
    """For each split how many patches its ground holds, and why some make no task."""


def make_terrains(data: MarsData, source: Path | None) -> Sequence[Terrain]:
    """The ground of a folder, or ground of our own making."""
    if source is not None:
        return read_mars_folder(source)
    return synthetic_terrains(data.terrains, rng=np.random.default_rng(GROUND_SEED), config=data.synthetic)


def make_sets(data: MarsData, source: Path | None, *, seed: int) -> MarsSets:
    """All sets of patches; those for choosing and judging do not depend on the seed of training."""
    splits = split_problems(
        make_terrains(data, source),
        protocol=data.protocol,
        counts=(data.patches, data.validation_problems, data.test_problems),
        rng=np.random.default_rng(GROUND_SEED),
    )
    choosing = DemonstrationConfig(mirror=False)
    return MarsSets(
        demonstrate(splits.train, data.teaching, rng=np.random.default_rng([TEACHING_SEED, seed])),
        demonstrate(splits.validation, choosing, rng=np.random.default_rng(TEACHING_SEED)),
        splits.test,
        {name: str(census) for name, census in splits.report.items()},
    )


def train(config: MarsTraining, request: TrainingRequest, *, progress: Progress) -> FinishedRun:
    """Learn from an expert that knows the slopes, choose weights on validation ground, judge on test ground."""
    if distributed.world_size() > 1 or request.device != "cpu":
        raise InputError("the Mars experiment runs in one process on the CPU.")
    sets = make_sets(config.data, request.data, seed=request.seed)
    manifest = request.describe(
        config.to_plain(request.data),
        data_hash(sets.lessons.images, sets.lessons.goals, sets.test.images, sets.test.goals),
    )
    network = seeded(request.seed, config.network.build)
    assert isinstance(network, TerrainPolicy)

    def learn(record: RunLogger) -> Best:
        if isinstance(network, ClassifierPlanner):
            return classify(
                network,
                sets.lessons,
                config.learning,
                validation=sets.validation,
                seed=request.seed,
                record=record,
                progress=progress,
            )
        return learn_moves(network, sets, config, seed=request.seed, record=record, progress=progress)

    def result(best: Best, seconds: float) -> dict[str, Any]:
        return {
            "scores": evaluate_policy(network, sets.test).to_plain(),
            **compare(network, sets),
            "steps": evaluate_policy(StraightLine(), sets.test).steps.tolist(),
            "blocks": sets.test.block_ids.tolist(),
            "best_epoch": best.epoch + 1,
            "training_seconds": round(seconds, 1),
            "training_patches": len(sets.lessons),
            "training_cells": int(sets.lessons.weights.sum()),
            "ground": sets.report,
            "parameters": sum(weight.numel() for weight in network.parameters()),
        }

    return record_run(manifest, request, network, learn, result)


def learn_moves(
    network: TerrainPolicy,
    sets: MarsSets,
    config: MarsTraining,
    *,
    seed: int,
    record: RunLogger,
    progress: Progress,
) -> Best:
    """Imitate the expert, and then, where that is asked for, learn to arrive."""
    fit = partial(imitate, network, sets.lessons, seed=seed, validate=validator(sets.validation))
    if config.second is None:
        return fit(config.learning, loss=DenseLoss, record=record, progress=progress)
    second, chapter = config.second, StageLogger(record, "arrival")
    if not chapter.started:
        fit(config.learning, loss=DenseLoss, record=StageLogger(record, "imitation"), progress=progress)
    arrive = partial(ReachLoss, config=second.arrival)
    return fit(second.learning, loss=arrive, record=chapter, progress=progress)


def compare(network: TerrainPolicy, sets: MarsSets) -> dict[str, Any]:
    """Rows of the table that a classifier gives beside its own: the same map with walls, and no map at all."""
    if not isinstance(network, ClassifierPlanner):
        return {}
    hard = tune_cost(network.classifier, "hard", sets.validation)
    return {
        "hard": evaluate_policy(hard, sets.test).to_plain(),
        "straight": evaluate_policy(StraightLine(), sets.test).to_plain(),
        "caution": {"hard": float(hard.caution.setting), "soft": float(network.caution.setting)},
    }
