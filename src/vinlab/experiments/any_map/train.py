"""Training one network on maps of many kinds: problems in, a recorded run out."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from vinlab.domains.gridworld.expert import demonstrate_everywhere
from vinlab.domains.gridworld.problem import content_hash
from vinlab.experiments.any_map.evaluate import MapKind, judge_kind
from vinlab.experiments.base import TrainingRequest, seeded
from vinlab.experiments.gridworld.train import (
    TEST_STREAM,
    TRAINING_STREAM,
    VALIDATION_STREAM,
    record_run,
)
from vinlab.learners.callbacks import Progress, Record, Validation
from vinlab.learners.datasets import Course, MixedLessons, MixtureLoss
from vinlab.learners.imitation import Best, ImitationConfig, imitate
from vinlab.models import Model
from vinlab.networks.configs import NetworkConfig, network_to_plain
from vinlab.recording.finished_run import RecordedRun
from vinlab.types import GridProblems, InputError


@dataclass(frozen=True)
class Lesson:
    """Maps of one kind to learn from."""

    kind: MapKind
    maps: int
    iterations: int
    """K on these maps: enough for nearly all their ways."""


@dataclass(frozen=True)
class Examination:
    """Maps of one kind to be judged on."""

    kind: MapKind
    maps: int


@dataclass(frozen=True)
class AnyMapData:
    """Which maps to learn from, choose by and be judged on."""

    lessons: tuple[Lesson, ...]
    validation: tuple[Examination, ...]
    test: tuple[Examination, ...]
    size: int = 32
    """The side of the maps for which the network's own K is meant; on others it is scaled."""
    corner_cutting: bool = True
    """Whether a diagonal move may pass an obstacle's corner."""


@dataclass(frozen=True)
class AnyMapTraining:
    """All that settles a run."""

    network: NetworkConfig
    data: AnyMapData
    learning: ImitationConfig

    def to_plain(self) -> dict[str, Any]:
        """The same as a manifest holds it."""
        return {
            "network": network_to_plain(self.network),
            "data": asdict(self.data),
            "learning": asdict(self.learning),
        }


Sets = dict[str, GridProblems]
"""Problems by the name of their kind."""


def make_test_sets(examinations: Sequence[Examination], *, corner_cutting: bool = True) -> Sets:
    """The problems on which every network is judged."""
    return {
        one.kind.name: one.kind.sample(one.maps, stream=TEST_STREAM, corner_cutting=corner_cutting)
        for one in examinations
    }


def make_validation_sets(data: AnyMapData, test: Sets) -> Sets:
    """The problems by which weights are chosen, none of them a test problem."""
    return {
        one.kind.name: one.kind.sample(
            one.maps,
            stream=VALIDATION_STREAM,
            apart_from=test.values(),
            corner_cutting=data.corner_cutting,
        )
        for one in data.validation
    }


def make_lessons(
    data: AnyMapData, *, seed: int, apart_from: Sequence[GridProblems]
) -> tuple[MixedLessons, str]:
    """What to learn from, without any map and goal of the other sets, and a hash of it."""
    courses, hashes = [], []
    for lesson in data.lessons:
        problems = lesson.kind.sample(
            lesson.maps,
            stream=TRAINING_STREAM + seed * SEEDS_APART,
            apart_from=apart_from,
            corner_cutting=data.corner_cutting,
        )
        shown = demonstrate_everywhere(problems, corner_cutting=data.corner_cutting)
        courses.append(Course(shown, lesson.iterations))
        hashes.append(content_hash(problems))
    return MixedLessons(courses), hashlib.sha256("".join(hashes).encode()).hexdigest()


SEEDS_APART = 10_000
"""Between the streams of two seeds, so that none is that of another set."""


def train(config: AnyMapTraining, request: TrainingRequest, *, progress: Progress) -> RecordedRun:
    """Learn from all kinds at once, keep the weights that do best on validation maps, judge them on test ones."""
    if request.data is not None:
        raise InputError("--data is not read here: the maps of all kinds are generated.")
    data = config.data
    test = make_test_sets(data.test, corner_cutting=data.corner_cutting)
    validation = make_validation_sets(data, test)
    apart_from = [*test.values(), *validation.values()]
    lessons, data_hash = make_lessons(data, seed=request.seed, apart_from=apart_from)
    manifest = request.describe(config.to_plain(), data_hash)
    network = seeded(request.seed, config.network.build).to(request.device)
    model = Model(request.id, network, data.size, {})

    def learn(record: Record) -> Best:
        return imitate(
            network,
            lessons,
            config.learning,
            seed=request.seed,
            loss=MixtureLoss,
            validate=validator(model, validation, data.corner_cutting),
            record=record,
            progress=progress,
        )

    def result(best: Best, seconds: float) -> dict[str, Any]:
        return {
            "scores": judge_sets(model, test, data.corner_cutting),
            "best_epoch": best.epoch + 1,
            "training_seconds": round(seconds, 1),
            "training_maps": len(lessons),
            "training_states": int(lessons.weights.sum()),
            "parameters": sum(weight.numel() for weight in network.parameters()),
        }

    return record_run(manifest, request, network, learn, result)


def judge_sets(
    model: Model, sets: Sets, corner_cutting: bool = True, iterations: int | None = None
) -> dict[str, dict[str, Any]]:
    """The scores of a model on several kinds of maps, by the name of the kind."""
    model.network.eval()
    return {
        name: judge_kind(model, problems, corner_cutting=corner_cutting, iterations=iterations)
        for name, problems in sets.items()
    }


def validator(model: Model, sets: Sets, corner_cutting: bool) -> Callable[[Any], Validation]:
    """A look at the validation maps; all kinds count alike, and so do coming to the goal and coming optimally."""

    def validate(_: Any) -> Validation:
        scores = judge_sets(model, sets, corner_cutting)
        means = {
            measure: float(np.mean([one[measure] for one in scores.values()]))
            for measure in ("success_rate", "reached_share", "optimally_reached_share")
        }
        worst = min(scores, key=lambda name: scores[name]["reached_share"])
        return Validation(
            score=means["reached_share"] + means["optimally_reached_share"],
            metrics={
                "validation_success": means["success_rate"],
                "validation_reached": means["reached_share"],
                "validation_optimal": means["optimally_reached_share"],
                "validation_worst_reached": scores[worst]["reached_share"],
            },
        )

    return validate
