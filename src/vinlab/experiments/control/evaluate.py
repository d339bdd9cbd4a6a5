"""The scores of the control experiment: the final distances to the goals, of networks and of known controllers."""

import time
from typing import Any

import numpy as np
import torch
from jaxtyping import Float64

from vinlab.domains.control.environment import Controller, ParticleWorlds, Physics
from vinlab.domains.control.expert import RouteController, StraightController
from vinlab.domains.control.problem import ControlProblems, is_blocked, observe
from vinlab.experiments.base import EvaluateRequest, Evaluation
from vinlab.experiments.control.data import ControlData, ControlSets, make_test_problems
from vinlab.experiments.control.settings import ControlTraining
from vinlab.experiments.results import RunResult
from vinlab.learners.callbacks import Validation
from vinlab.models import Model
from vinlab.networks.control import ControlPolicy
from vinlab.types import InputError

FAIL_DISTANCE = 0.2
"""A rollout that ends further from the goal than this has failed."""

PAPER_TEST_DOMAINS = 40
"""The first test domains, as many as the paper has, are also scored by themselves."""


class NetworkController:
    """A network as a controller: it plans once for each domain and reads all forces from these plans."""

    def __init__(self, policy: ControlPolicy, problems: ControlProblems) -> None:
        self._policy = policy.eval()
        with torch.no_grad():
            self.plan = policy.plan(observe(problems))

    @torch.no_grad()
    def __call__(self, time: int, states: Float64[np.ndarray, "B N 4"]) -> Float64[np.ndarray, "B N 2"]:
        """The forces in N states of each square, the same at all times."""
        forces = self._policy.act(self.plan, torch.from_numpy(states.astype(np.float32)))
        return forces.numpy().astype(np.float64)


def final_distances(
    worlds: ParticleWorlds, controller: Controller, horizon: int
) -> Float64[np.ndarray, " B"]:
    """The distance to the goal at the end of one rollout in each domain."""
    return worlds.distances(worlds.rollout(controller, horizon=horizon).final)[:, 0]


def distance_scores(distances: np.ndarray) -> dict[str, float]:
    """The mean distance to the goal, and the share of rollouts that failed."""
    return {"distance": float(distances.mean()), "failed": float((distances > FAIL_DISTANCE).mean())}


def validate(worlds: ParticleWorlds, horizon: int, policy: Any) -> Validation:
    """The scores in validation domains; a smaller mean distance is better."""
    scores = distance_scores(final_distances(worlds, NetworkController(policy, worlds.problems), horizon))
    return Validation(-scores["distance"], {f"validation_{name}": score for name, score in scores.items()})


def score(config: ControlTraining, data: ControlSets, network: Any, seed: int) -> RunResult:
    """The scores on training and test domains, with those of the controllers that know the map."""
    assert data.teacher is not None
    started, horizon = time.perf_counter(), config.data.horizon
    test = ParticleWorlds(data.test, config.physics)
    controller = NetworkController(network, data.training.problems)
    train_distance = float(final_distances(data.training, controller, horizon).mean())
    scores, distances = score_test_domains(network, test, horizon)
    known = {
        name: {
            kind: distance_scores(final_distances(worlds, make(worlds.problems), horizon))
            for kind, worlds in (("train", data.training), ("test", test))
        }
        for name, make in (("straight", StraightController), ("route", RouteController))
    }
    seconds = {
        **data.teacher.seconds,
        "fit_seconds": round(data.fit_seconds, 1),
        "evaluation_seconds": round(time.perf_counter() - started, 1),
    }
    return RunResult(
        scores={"train_distance": train_distance, **scores},
        extra={
            **known,
            "teacher": {"history": data.teacher.history, **data.teacher.history[-1]},
            "test_distances": [round(float(distance), 4) for distance in distances],
            "seconds": seconds,
        },
    )


def score_test_domains(
    policy: ControlPolicy, test: ParticleWorlds, horizon: int
) -> tuple[dict[str, Any], Float64[np.ndarray, " B"]]:
    """The scores on the test domains, and the final distance in each."""
    distances = final_distances(test, NetworkController(policy, test.problems), horizon)
    scores = {
        "num_problems": len(test),
        "num_unsolvable": int(is_blocked(test.problems).sum()),
        "test_distance": float(distances.mean()),
        "test_distance_first_40": float(distances[:PAPER_TEST_DOMAINS].mean()),
        "test_failed": distance_scores(distances)["failed"],
    }
    return scores, distances


def evaluate(model: Model, request: EvaluateRequest) -> Evaluation:
    """The scores of a model on the test domains of the paper's budget."""
    options = ("problems", "iterations", "corner_cutting", "data")
    request.refuse(model.id, **dict.fromkeys(options, "it is evaluated on its test domains"))
    data = ControlData()
    test = ParticleWorlds(make_test_problems(data), Physics())
    scores, _ = score_test_domains(control_policy(model), test, data.horizon)
    return Evaluation(scores, {"iterations": model.network.iterations, "horizon": data.horizon})


def control_policy(model: Model) -> ControlPolicy:
    """The network of a model of this experiment."""
    if not isinstance(model.network, ControlPolicy):
        raise InputError(f"expected a model for continuous control such as control/vin, got {model.id}.")
    return model.network
