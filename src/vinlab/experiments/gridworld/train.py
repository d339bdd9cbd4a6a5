"""Training on grid-worlds by imitation: problems in, a recorded run out."""

import statistics
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from torch import nn

from vinlab.domains.gridworld.author_data import read_authors_file
from vinlab.domains.gridworld.expert import demonstrate_everywhere, demonstrate_trajectories
from vinlab.domains.gridworld.problem import (
    GridworldConfig,
    attempt_problems,
    content_hash,
    content_keys,
    sample_problems,
)
from vinlab.experiments.base import TrainingRequest, seeded
from vinlab.learners import distributed
from vinlab.learners.callbacks import Progress, Record, Validation
from vinlab.learners.imitation import Best, ImitationConfig, ImitationLoss, imitate
from vinlab.navigation import routes as navigation
from vinlab.networks.configs import NetworkConfig, network_to_plain
from vinlab.recording.finished_run import METRICS, RecordedRun, open_run
from vinlab.recording.follower import Follower
from vinlab.recording.manifest import Manifest
from vinlab.recording.metrics import read_metrics
from vinlab.recording.run import Run
from vinlab.types import Demonstrations, GridProblems, InputError

TEST_STREAM, VALIDATION_STREAM, TRAINING_STREAM = 2016, 2017, 2018
"""Seeds of the three sets. Test and validation problems are the same for every seed of training."""


@dataclass(frozen=True)
class GridworldData:
    """Which problems to learn from, choose by and be judged on."""

    size: int
    attempts: int
    """Maps that are tried; some attempts give none, as with the authors."""
    targets: Literal["trajectories", "everywhere"]
    """The expert's one label along seven paths per map (the paper), or all optimal moves in every cell."""
    trajectories: int = 7
    validation_problems: int = 500
    test_problems: int = 1000


@dataclass(frozen=True)
class GridworldTraining:
    """All that settles a run."""

    network: NetworkConfig
    data: GridworldData
    learning: ImitationConfig
    lesson_iterations: tuple[int, ...] | None = None
    """K of each level while the network learns, where it is not the K it acts with."""

    def to_plain(self, source: Path | None) -> dict[str, Any]:
        """The same as a manifest holds it, with the name of the file that the maps came from."""
        return {
            "network": network_to_plain(self.network),
            "data": {**asdict(self.data), "source": source.name if source else "generated"},
            "learning": {**asdict(self.learning), "lesson_iterations": self.lesson_iterations},
        }


def make_test_problems(size: int, count: int = GridworldData.test_problems) -> GridProblems:
    """The problems on which every network of this size is judged."""
    return sample_problems(GridworldConfig(size=size), count, rng=np.random.default_rng([TEST_STREAM, size]))


def make_validation_problems(data: GridworldData, test: GridProblems) -> GridProblems:
    """The problems by which weights are chosen, none of them a test problem."""
    rng = np.random.default_rng([VALIDATION_STREAM, data.size])
    return sample_problems(
        GridworldConfig(size=data.size), data.validation_problems, rng=rng, apart_from=[test]
    )


def make_demonstrations(
    data: GridworldData, *, seed: int, apart_from: tuple[GridProblems, ...], source: Path | None = None
) -> tuple[Demonstrations, str]:
    """What to learn from, without any map and goal of the other sets, and a hash of it."""
    if source is not None:
        problems, demonstrations = _read_demonstrations(data, source)
    else:
        rng = np.random.default_rng([TRAINING_STREAM, data.size, seed])
        problems = attempt_problems(GridworldConfig(size=data.size), data.attempts, rng=rng)
        demonstrations = _demonstrate(data, problems, rng)
    taken = {key for others in apart_from for key in content_keys(others)}
    kept = np.array([key not in taken for key in content_keys(problems)])
    return demonstrations[torch.from_numpy(kept)], content_hash(problems[kept])


def _demonstrate(data: GridworldData, problems: GridProblems, rng: np.random.Generator) -> Demonstrations:
    if data.targets == "everywhere":
        return demonstrate_everywhere(problems)
    return demonstrate_trajectories(problems, rng=rng, trajectories=data.trajectories)


def _read_demonstrations(data: GridworldData, source: Path) -> tuple[GridProblems, Demonstrations]:
    """The maps of an authors' file, or the first of them, with the authors' own labels or with ours in every cell."""
    labelled = read_authors_file(source / f"gridworld_{data.size}.mat" if source.is_dir() else source)
    if labelled.obstacles.shape[1] != data.size:
        raise InputError(
            f"{source} holds maps of side {labelled.obstacles.shape[1]}, but {data.size} is wanted."
        )
    labelled = labelled.share(data.attempts)
    first = np.unique(labelled.index, return_index=True)[1]
    problems = GridProblems(labelled.obstacles, labelled.states[first], labelled.goals)
    if data.targets == "everywhere":
        return problems, demonstrate_everywhere(problems)
    return problems, labelled.demonstrations()


def train(config: GridworldTraining, request: TrainingRequest, *, progress: Progress) -> RecordedRun:
    """Learn from demonstrations, keep the weights that do best on validation problems, judge them on test ones."""
    test = make_test_problems(config.data.size, config.data.test_problems)
    validation = make_validation_problems(config.data, test)
    demonstrations, data_hash = make_demonstrations(
        config.data, seed=request.seed, apart_from=(test, validation), source=request.data
    )
    manifest = request.describe(config.to_plain(request.data), data_hash)
    network = seeded(request.seed, config.network.build).to(request.device)

    def learn(record: Record) -> Best:
        return imitate(
            network,
            demonstrations,
            config.learning,
            seed=request.seed,
            loss=partial(ImitationLoss, iterations=config.lesson_iterations),
            validate=validator(validation),
            record=record,
            progress=progress,
        )

    def result(best: Best, seconds: float) -> dict[str, Any]:
        return {
            "scores": asdict(navigation.evaluate(network, test)),
            "best_epoch": best.epoch + 1,
            "training_seconds": round(seconds, 1),
            "epoch_cpu_seconds": round(epoch_cpu_seconds(request.out), 2),
            "training_maps": len(demonstrations),
            "training_states": int(demonstrations.weights.sum()),
            "parameters": sum(weight.numel() for weight in network.parameters()),
        }

    return record_run(manifest, request, network, learn, result)


def epoch_cpu_seconds(folder: Path) -> float:
    """What an epoch of a run cost its processor: unlike the time of a clock hardly disturbed by other work."""
    return statistics.median(line["cpu_seconds"] for line in read_metrics(folder / METRICS))


def record_run(
    manifest: Manifest,
    request: TrainingRequest,
    network: nn.Module,
    learn: Callable[[Record], Best],
    result: Callable[[Best, float], dict[str, Any]],
) -> RecordedRun:
    """Do the learning inside a run's folder; of several processes the first one writes, the others follow."""
    if distributed.rank() > 0:
        distributed.wait_for_all()
        learn(Follower(request.out))
        distributed.wait_for_all()
        return open_run(request.out)
    with Run.create(request.out, manifest, resume=request.resume, overwrite=request.overwrite) as run:
        distributed.wait_for_all()
        record: Record = run
        if request.tensorboard:
            from vinlab.recording.tensorboard import WithTensorBoard

            record = WithTensorBoard(run, request.out)
        best = learn(record)
        finished = run.finish(network.state_dict(), result(best, run.seconds))
        distributed.wait_for_all()
        return finished


def validator(problems: GridProblems) -> Callable[[Any], Validation]:
    """A look at the validation problems; success counts most, then optimal moves."""

    def validate(policy: Any) -> Validation:
        scores = navigation.evaluate(policy, problems)
        return Validation(
            score=scores.success_rate + scores.optimal_action_accuracy,
            metrics={
                "validation_success": scores.success_rate,
                "validation_optimal": scores.optimal_action_accuracy,
            },
        )

    return validate
