"""How fast the control experiment's stages are: simulated steps, local search, fit, and one plan per domain.

Prints one JSON object; every figure is of one thread.
"""

import json
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from vinlab.domains.control.environment import ParticleWorlds
from vinlab.domains.control.expert import RouteController, roll_out
from vinlab.domains.control.problem import observe
from vinlab.experiments.control import configure
from vinlab.experiments.control_teachers import SearchTeacher, teach
from vinlab.experiments.control_training import (
    TRAINING_STREAM,
    NetworkController,
    build_seeded,
    final_distances,
    make_problems,
)
from vinlab.learners.contract import unwatched
from vinlab.learners.control_fit import fit_controls
from vinlab.learners.optimisers import Stage

DOMAINS = 40


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    started = time.perf_counter()
    found = work()
    return time.perf_counter() - started, found


def main() -> None:
    torch.set_num_threads(1)
    config = configure("control/vin", "paper", "paper")
    assert isinstance(config.teacher, SearchTeacher)
    compiling, worlds = seconds(
        lambda: ParticleWorlds(make_problems(config.data, TRAINING_STREAM, DOMAINS), config.physics)
    )
    network = build_seeded(config.network, 0)
    simulating, _ = seconds(
        lambda: roll_out(worlds, RouteController(worlds.problems), horizon=100, samples=10)
    )
    steps = worlds.steps_simulated
    once = SearchTeacher(replace(config.teacher.search, iterations=1))
    rng = np.random.default_rng(0)
    searching, (shown, _) = seconds(lambda: teach(once, worlds, rng=rng, progress=unwatched))
    epoch = replace(config.learning, stage=Stage(1, 1e-3))
    fitting, _ = seconds(lambda: fit_controls(network, shown, epoch, seed=0))
    controller = NetworkController(network, worlds.problems)
    acting, _ = seconds(lambda: final_distances(worlds, controller, 100))
    planning, _ = seconds(lambda: network.plan(observe(worlds.problems)))
    print(
        json.dumps(
            {
                "domains": DOMAINS,
                "compile_domains_per_second": round(DOMAINS / compiling),
                "simulated_steps_per_second": round(steps / simulating),
                "search_seconds_per_domain_and_iteration": round(searching / 2 / DOMAINS, 4),
                "fit_updates_per_second": round(DOMAINS / config.learning.batch_domains / fitting, 1),
                "closed_loop_pushes_per_second": round(100 * DOMAINS / acting),
                "plans_per_second": round(DOMAINS / planning),
                "pushes_per_plan": 100,
            }
        )
    )


if __name__ == "__main__":
    main()
