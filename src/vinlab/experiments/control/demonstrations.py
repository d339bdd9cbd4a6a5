"""What the policies of the control experiment learn from: two teachers, and their samples on disk."""

import hashlib
import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from vinlab.domains.control.environment import ParticleWorlds
from vinlab.domains.control.expert import Gains, RouteController, roll_out
from vinlab.domains.control.problem import ControlProblems, content_hash, observe
from vinlab.learners.callbacks import Progress
from vinlab.learners.gps.linear_gaussian import with_noise
from vinlab.learners.gps.search import (
    LocalSearchConfig,
    QuadraticCost,
    Samples,
    sample,
    search_controllers,
)
from vinlab.learners.regression import ControlDemonstrations
from vinlab.recording.serialization import to_plain
from vinlab.recording.weights import load_tensors_and_metadata, save_tensors
from vinlab.types import InputError

FAIL_DISTANCE = 0.2
"""A particle that ends further from the goal than this has failed."""


@dataclass(frozen=True)
class SearchTeacher:
    """The paper's teacher: a local controller for each domain, by iLQG with fitted dynamics."""

    search: LocalSearchConfig = field(default_factory=LocalSearchConfig)
    noise: float = 0.5
    """Deviation of the noise on the pushes while the controllers show what they do, as much as with routes. Their own
    has shrunk until their samples keep to a narrow tube, in which nobody learns how to come back to it."""
    precision_floor: float = 0.1
    """Precisions are divided by their mean and held between this and its inverse."""


@dataclass(frozen=True)
class RouteTeacher:
    """A teacher of our own: it knows the map and tracks the shortest route, disturbed by noise."""

    gains: Gains = field(default_factory=Gains)
    samples: int = 16
    noise: float = 0.5
    horizon: int = 100


Teacher = SearchTeacher | RouteTeacher


@dataclass(frozen=True)
class TrainingSet:
    """What a teacher showed, and how well it did itself."""

    demonstrations: ControlDemonstrations
    history: list[dict[str, Any]]
    """The teacher's own progress; the last record is of what it showed."""
    notes: dict[str, Any]
    """Seconds and simulated steps."""


def make_demonstrations(
    teacher: Teacher, worlds: ParticleWorlds, *, rng: np.random.Generator, progress: Progress
) -> tuple[ControlDemonstrations, list[dict[str, Any]]]:
    """The states that the teacher saw, with what it would do in them, and how far from the goals it ended."""
    if isinstance(teacher, RouteTeacher):
        return _teach_routes(teacher, worlds, rng, progress)
    return _teach_by_search(teacher, worlds, rng, progress)


def _teach_routes(
    teacher: RouteTeacher, worlds: ParticleWorlds, rng: np.random.Generator, progress: Progress
) -> tuple[ControlDemonstrations, list[dict[str, Any]]]:
    controller = RouteController(worlds.problems, teacher.gains)
    own = roll_out(worlds, controller, horizon=teacher.horizon)
    progress(1, 2, "routes")
    noisy = roll_out(
        worlds,
        controller,
        horizon=teacher.horizon,
        samples=teacher.samples,
        noise=teacher.noise,
        rng=rng,
    )
    progress(2, 2, "noisy routes")
    goals = worlds.problems.goals
    history = [
        {
            "iteration": 0,
            **distance_scores(own.distances(goals)),
            "diverged_rollouts": int((~own.valid).sum()),
        }
    ]
    weights = np.broadcast_to(noisy.valid[:, :, None], noisy.states.shape[:3])
    precisions = weights[..., None, None] * np.eye(2)
    return _demonstrations(worlds.problems, noisy.states, noisy.forces, precisions), history


def _teach_by_search(
    teacher: SearchTeacher, worlds: ParticleWorlds, rng: np.random.Generator, progress: Progress
) -> tuple[ControlDemonstrations, list[dict[str, Any]]]:
    goals = worlds.problems.goals

    def measure(samples: Samples) -> dict[str, Any]:
        ends = samples.following[:, :, -1, :2]
        return distance_scores(np.linalg.norm(ends - goals[:, None], axis=-1))

    found = search_controllers(
        worlds,
        QuadraticCost(np.concatenate([goals, np.zeros_like(goals)], axis=1), np.array([1.0, 1.0, 0.0, 0.0])),
        teacher.search,
        controls=2,
        rng=rng,
        measure=measure,
        progress=progress,
    )
    controllers = found.controllers
    samples = sample(
        worlds, with_noise(controllers, teacher.noise), replace(teacher.search, smoothing=0.0), rng=rng
    )
    wanted = np.einsum("btux,bntx->bntu", controllers.gains, samples.states) + controllers.offsets[:, None]
    limit = worlds.physics.strongest_push
    precisions = _bounded(np.linalg.inv(controllers.covariances), teacher.precision_floor)
    counted = samples.valid[:, :, None, None, None] * precisions[:, None]
    forces = np.clip(wanted, -limit, limit)
    return _demonstrations(worlds.problems, samples.states, forces, counted), list(found.history)


def _bounded(precisions: np.ndarray, floor: float) -> np.ndarray:
    """Precisions by their mean, with eigenvalues between the floor and its inverse: no moment rules all others."""
    scaled = precisions / np.trace(precisions, axis1=-2, axis2=-1).mean() * precisions.shape[-1]
    values, vectors = np.linalg.eigh(scaled)
    return (vectors * np.clip(values, floor, 1 / floor)[..., None, :]) @ vectors.swapaxes(-1, -2)


def distance_scores(distances: np.ndarray) -> dict[str, Any]:
    """The mean distance to the goal, and the share that ends too far from it."""
    return {"distance": float(distances.mean()), "failed": float((distances > FAIL_DISTANCE).mean())}


def _demonstrations(
    problems: ControlProblems, states: np.ndarray, forces: np.ndarray, precisions: np.ndarray
) -> ControlDemonstrations:
    """All samples and times of a domain in one axis."""

    def flat(array: np.ndarray) -> Tensor:
        merged = array.reshape(len(array), -1, *array.shape[3:])
        return torch.from_numpy(np.ascontiguousarray(merged, dtype=np.float32))

    return ControlDemonstrations(observe(problems), flat(states), flat(forces), flat(precisions))


def lesson_key(teacher: Teacher, problems: ControlProblems, seed: int) -> str:
    """A text that changes with anything that changes what is taught."""
    settings = json.dumps([type(teacher).__name__, to_plain(teacher), seed], sort_keys=True)
    return hashlib.sha256((settings + content_hash(problems)).encode()).hexdigest()


def save_lesson(path: Path, lesson: TrainingSet, key: str) -> None:
    """Put the lesson on disk, so that the stages after it can be taken up again or shared by several networks."""
    shown = lesson.demonstrations
    tensors = {name: getattr(shown, name) for name in ("observations", "states", "controls", "precisions")}
    notes: dict[str, Any] = {"history": lesson.history, "notes": lesson.notes}
    save_tensors(path, tensors, {"key": key, "lesson": json.dumps(notes)})


def load_lesson(path: Path, key: str) -> TrainingSet:
    """The lesson of a file, if it is the one that is wanted."""
    tensors, texts = load_tensors_and_metadata(path)
    if texts.get("key") != key:
        raise InputError(f"{path} holds the lesson of another teacher, seed or set of domains.")
    notes = json.loads(texts["lesson"])
    return TrainingSet(ControlDemonstrations(**tensors), notes["history"], notes["notes"])
