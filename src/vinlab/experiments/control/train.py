"""Training for continuous control: a teacher's lesson, one fit of a network, and how far from the goals it ends."""

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float64

from vinlab.domains.control.environment import ParticleWorlds, Physics, require_mujoco
from vinlab.domains.control.expert import Controller, RouteController, StraightController, roll_out
from vinlab.domains.control.problem import (
    ControlConfig,
    ControlProblems,
    content_hash,
    is_blocked,
    observe,
    sample_problems,
)
from vinlab.experiments.base import TrainingRequest, seeded
from vinlab.experiments.control.augmentation import mirror_at_random
from vinlab.experiments.control.demonstrations import (
    Teacher,
    TrainingSet,
    distance_scores,
    lesson_key,
    load_lesson,
    make_demonstrations,
    save_lesson,
)
from vinlab.learners.callbacks import Progress, RunLogger, Validation, Validator
from vinlab.learners.regression import ControlFitConfig, fit_controls
from vinlab.models import load
from vinlab.networks.configs import network_to_plain
from vinlab.networks.control import ControlNetworkConfig, ControlPolicy
from vinlab.recording.finished_run import FinishedRun
from vinlab.recording.run import Run
from vinlab.types import InputError

TEST_STREAM, VALIDATION_STREAM, TRAINING_STREAM = 4020, 4017, 4018
"""Seeds of the three sets. Test and validation domains are the same for every seed of training."""

PAPER_TEST_DOMAINS = 40
"""The first of the test domains are reported by themselves, as many as the paper had."""

LESSON = "lesson.safetensors"
"""Where a run keeps what its teacher showed."""


@dataclass(frozen=True)
class ControlData:
    """Which domains to learn from, choose by and be judged on."""

    domains: ControlConfig
    size: int = 16
    """Cells along a side of the picture."""
    training_domains: int = 200
    validation_domains: int = 60
    test_domains: int = 240
    horizon: int = 100
    """Pushes in a rollout."""


@dataclass(frozen=True)
class ControlTraining:
    """All that settles a run."""

    network: ControlNetworkConfig
    data: ControlData
    physics: Physics
    teacher: Teacher
    learning: ControlFitConfig

    def to_plain(self) -> dict[str, Any]:
        """The same as a manifest holds it."""
        return {
            "network": network_to_plain(self.network),
            "data": asdict(self.data),
            "physics": asdict(self.physics),
            "teacher": {"kind": type(self.teacher).__name__, **asdict(self.teacher)},
            "learning": asdict(self.learning),
        }


class NetworkController:
    """A network at the controls: it plans once for each domain, and then only reads its plans."""

    def __init__(self, policy: ControlPolicy, problems: ControlProblems) -> None:
        self._policy = policy.eval()
        with torch.no_grad():
            self.plan = policy.plan(observe(problems))

    @torch.no_grad()
    def __call__(self, states: Float64[np.ndarray, "B N 4"]) -> Float64[np.ndarray, "B N 2"]:
        """The pushes in N states of each square."""
        forces = self._policy.act(self.plan, torch.from_numpy(states.astype(np.float32)))
        return forces.numpy().astype(np.float64)


def make_problems(data: ControlData, stream: int, count: int, seed: int = 0) -> ControlProblems:
    """The domains of one of the three sets."""
    return sample_problems(data.domains, count, rng=np.random.default_rng([stream, seed]))


def final_distances(
    worlds: ParticleWorlds, controller: Controller, horizon: int
) -> Float64[np.ndarray, " B"]:
    """How far from its goal the particle ends in each domain."""
    return roll_out(worlds, controller, horizon=horizon).distances(worlds.problems.goals)[:, 0]


def train(config: ControlTraining, request: TrainingRequest, *, progress: Progress) -> FinishedRun:
    """Let the teacher show, fit the network, keep the weights best in validation, judge them on test domains."""
    require_mujoco()
    problems = make_problems(config.data, TRAINING_STREAM, config.data.training_domains, request.seed)
    manifest = request.describe(config.to_plain(), content_hash(problems))
    network = seeded(request.seed, config.network.build).to(request.device)
    with Run.create(request.out, manifest, resume=request.resume, overwrite=request.overwrite) as run:
        worlds = ParticleWorlds(problems, config.physics)
        lesson = _lesson(config, request, worlds, progress)
        if run.load_checkpoint() is None:
            for entry in lesson.history:
                run.log(entry)
        started = time.perf_counter()
        best = _fit(config, request, network, lesson, run, progress)
        seconds = {**lesson.notes, "fit_seconds": round(time.perf_counter() - started, 1)}
        return run.finish(network.state_dict(), _result(config, network, worlds, lesson, best, seconds))


def _lesson(
    config: ControlTraining, request: TrainingRequest, worlds: ParticleWorlds, progress: Progress
) -> TrainingSet:
    """What the teacher shows: of this run if it was interrupted, of another one by ``--data``, or anew."""
    key = lesson_key(config.teacher, worlds.problems, request.seed)
    own = request.out / LESSON
    if request.resume and own.exists():
        return load_lesson(own, key)
    if request.data is not None:
        return load_lesson(request.data / LESSON if request.data.is_dir() else request.data, key)
    started, before = time.perf_counter(), worlds.steps_simulated
    rng = np.random.default_rng([TRAINING_STREAM, request.seed, 1])
    shown, history = make_demonstrations(config.teacher, worlds, rng=rng, progress=progress)
    seconds = time.perf_counter() - started
    steps = worlds.steps_simulated - before
    notes = {
        "teacher_seconds": round(seconds, 1),
        "simulated_steps": steps,
        "steps_per_second": round(steps / seconds),
    }
    lesson = TrainingSet(shown, history, notes)
    save_lesson(own, lesson, key)
    return lesson


def _fit(
    config: ControlTraining,
    request: TrainingRequest,
    network: ControlPolicy,
    lesson: TrainingSet,
    record: RunLogger,
    progress: Progress,
) -> int:
    """Fit the network; the epoch whose weights did best comes back."""
    validation = make_problems(config.data, VALIDATION_STREAM, config.data.validation_domains)
    best = fit_controls(
        network,
        lesson.demonstrations,
        config.learning,
        seed=request.seed,
        augment=mirror_at_random,
        validate=validator(ParticleWorlds(validation, config.physics), config.data.horizon),
        record=record,
        progress=progress,
    )
    return best.epoch


def validator(worlds: ParticleWorlds, horizon: int) -> Validator:
    """A look at the validation domains: the nearer to the goals, the better."""

    def validate(policy: Any) -> Validation:
        scores = distance_scores(final_distances(worlds, NetworkController(policy, worlds.problems), horizon))
        return Validation(
            -scores["distance"], {f"validation_{name}": score for name, score in scores.items()}
        )

    return validate


def _result(
    config: ControlTraining,
    network: ControlPolicy,
    training: ParticleWorlds,
    lesson: TrainingSet,
    best_epoch: int,
    seconds: dict[str, Any],
) -> dict[str, Any]:
    test = ParticleWorlds(make_problems(config.data, TEST_STREAM, config.data.test_domains), config.physics)
    started = time.perf_counter()
    rows = {
        "network": NetworkController,
        "straight": lambda _, problems: StraightController(problems),
        "route": lambda _, problems: RouteController(problems),
    }
    found = {
        name: {
            "train": final_distances(training, make(network, training.problems), config.data.horizon),
            "test": final_distances(test, make(network, test.problems), config.data.horizon),
        }
        for name, make in rows.items()
    }
    seconds["evaluation_seconds"] = round(time.perf_counter() - started, 1)
    distances = found["network"]
    return {
        "scores": {
            "num_problems": len(test),
            "num_unsolvable": int(is_blocked(test.problems).sum()),
            "train_distance": float(distances["train"].mean()),
            "test_distance": float(distances["test"].mean()),
            "test_distance_first_40": float(distances["test"][:PAPER_TEST_DOMAINS].mean()),
            "test_failed": distance_scores(distances["test"])["failed"],
        },
        "straight": {kind: distance_scores(found["straight"][kind]) for kind in ("train", "test")},
        "route": {kind: distance_scores(found["route"][kind]) for kind in ("train", "test")},
        "teacher": {"history": lesson.history, **lesson.history[-1]},
        "test_distances": [round(float(one), 4) for one in distances["test"]],
        "best_epoch": best_epoch,
        "seconds": seconds,
        "training_seconds": round(seconds["teacher_seconds"] + seconds["fit_seconds"], 1),
        "parameters": sum(weight.numel() for weight in network.parameters()),
    }


def score_on_test_domains(network: ControlPolicy, config: ControlTraining) -> dict[str, Any]:
    """How a network does in the test domains."""
    test = ParticleWorlds(make_problems(config.data, TEST_STREAM, config.data.test_domains), config.physics)
    distances = final_distances(test, NetworkController(network, test.problems), config.data.horizon)
    return {
        "num_problems": len(test),
        "num_unsolvable": int(is_blocked(test.problems).sum()),
        "test_distance": float(distances.mean()),
        "test_distance_first_40": float(distances[:PAPER_TEST_DOMAINS].mean()),
        "test_failed": distance_scores(distances)["failed"],
    }


def load_policy(name: str | Path) -> ControlPolicy:
    """A trained network by its id, such as ``control/vin``, or from the folder of a finished run."""
    network = load(name).network
    if not isinstance(network, ControlPolicy):
        raise InputError(f"'{name}' is no policy for continuous control; control/vin is one.")
    return network
