"""The demonstrations of the two teachers, and their file in the folder of a run."""

import hashlib
import json
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from vinlab.domains.control.environment import ParticleWorlds
from vinlab.domains.control.expert import RouteController, demonstrate, to_demonstrations
from vinlab.domains.control.problem import ControlProblems, content_hash
from vinlab.experiments.control.data import TRAINING_STREAM, TeacherRecord
from vinlab.experiments.control.evaluate import distance_scores
from vinlab.experiments.control.settings import RouteTeacher, SearchTeacher, Teacher
from vinlab.learners.callbacks import Progress
from vinlab.learners.gps.linear_gaussian import with_noise
from vinlab.learners.gps.search import QuadraticCost, sample, search_controllers
from vinlab.recording.serialization import to_plain
from vinlab.recording.weights import load_tensors_and_metadata, save_tensors
from vinlab.types import ContinuousDemonstrations, ContinuousRollouts, InputError

FILE = "demonstrations.safetensors"
"""Where a run keeps the demonstrations of its teacher."""

Demonstrated = tuple[ContinuousDemonstrations, TeacherRecord]


def make_demonstrations(
    teacher: Teacher, worlds: ParticleWorlds, *, seed: int, progress: Progress
) -> Demonstrated:
    """The states that the teacher reached, with its forces in them, and a record of how it did."""
    rng = np.random.default_rng([TRAINING_STREAM, seed, 1])
    started, before = time.perf_counter(), worlds.steps_simulated
    if isinstance(teacher, RouteTeacher):
        demonstrations, history = _demonstrate_routes(teacher, worlds, rng, progress)
    else:
        demonstrations, history = _demonstrate_by_search(teacher, worlds, rng, progress)
    seconds, steps = time.perf_counter() - started, worlds.steps_simulated - before
    cost = {
        "teacher_seconds": round(seconds, 1),
        "simulated_steps": steps,
        "steps_per_second": round(steps / seconds),
    }
    return demonstrations, TeacherRecord(history, cost)


def _demonstrate_routes(
    teacher: RouteTeacher, worlds: ParticleWorlds, rng: np.random.Generator, progress: Progress
) -> tuple[ContinuousDemonstrations, list[dict[str, Any]]]:
    own = worlds.rollout(RouteController(worlds.problems, teacher.gains), horizon=teacher.horizon)
    progress(1, 2, "routes")
    shown = demonstrate(
        worlds,
        rng=rng,
        gains=teacher.gains,
        samples=teacher.samples,
        noise=teacher.noise,
        horizon=teacher.horizon,
    )
    progress(2, 2, "routes with noise")
    scores = distance_scores(worlds.distances(own.final))
    return shown, [{"iteration": 0, **scores, "diverged_rollouts": int((~own.valid).sum())}]


def _demonstrate_by_search(
    teacher: SearchTeacher, worlds: ParticleWorlds, rng: np.random.Generator, progress: Progress
) -> tuple[ContinuousDemonstrations, list[dict[str, Any]]]:
    goals = worlds.problems.goals
    targets = np.concatenate([goals, np.zeros_like(goals)], axis=1)

    cost = QuadraticCost(targets, np.array([1.0, 1.0, 0.0, 0.0]))

    def measure(samples: ContinuousRollouts) -> dict[str, float]:
        return distance_scores(worlds.distances(samples.final))

    found = search_controllers(
        worlds, cost, teacher.search, actions=2, rng=rng, measure=measure, progress=progress
    )
    controllers = found.controllers
    noisy, unsmoothed = with_noise(controllers, teacher.noise), replace(teacher.search, smoothing=0.0)
    samples = sample(worlds, noisy, unsmoothed, rng=rng)
    means = np.einsum("btux,bntx->bntu", controllers.gains, samples.states) + controllers.offsets[:, None]
    limit = worlds.physics.max_force
    precisions = clip_precisions(np.linalg.inv(controllers.covariances), teacher.precision_floor)
    counted = samples.valid[:, :, None, None, None] * precisions[:, None]
    forces = np.clip(means, -limit, limit)
    return to_demonstrations(worlds.problems, samples.states, forces, counted), list(found.history)


def clip_precisions(precisions: np.ndarray, floor: float) -> np.ndarray:
    """Precisions divided by their mean, with eigenvalues between the floor and its inverse."""
    scaled = precisions / np.trace(precisions, axis1=-2, axis2=-1).mean() * precisions.shape[-1]
    values, vectors = np.linalg.eigh(scaled)
    return (vectors * np.clip(values, floor, 1 / floor)[..., None, :]) @ vectors.swapaxes(-1, -2)


def demonstrations_key(teacher: Teacher, problems: ControlProblems, seed: int) -> str:
    """A hash of all that the demonstrations depend on."""
    settings = json.dumps([to_plain(teacher), seed], sort_keys=True)
    return hashlib.sha256((settings + content_hash(problems)).encode()).hexdigest()


def save_demonstrations(path: Path, demonstrated: Demonstrated, key: str) -> None:
    """Write a file, so that a resumed run or another network need not ask the teacher again."""
    shown, record = demonstrated
    tensors = {name: getattr(shown, name) for name in ContinuousDemonstrations.__dataclass_fields__}
    save_tensors(path, tensors, {"key": key, "teacher": json.dumps(asdict(record))})


def load_demonstrations(path: Path, key: str) -> Demonstrated:
    """Read such a file, if it holds what the key says."""
    tensors, texts = load_tensors_and_metadata(path)
    if texts.get("key") != key:
        raise InputError(
            f"{path}: expected the demonstrations of this teacher, seed and set of domains, got others."
        )
    return ContinuousDemonstrations(**tensors), TeacherRecord(**json.loads(texts["teacher"]))
