"""The time of the control experiment: both networks and both teachers for one seed, a process for each teacher.

Prints one JSON object: the rate of each kind of work (one thread), the seconds of every stage, and the minutes of the
whole. Usage: python benchmarks/control.py [--budget paper]
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch

from vinlab.domains.control.environment import ParticleWorlds
from vinlab.domains.control.expert import RouteController
from vinlab.domains.control.problem import observe
from vinlab.experiments.base import BUDGETS, RECIPES, Budget, Recipe, TrainingRequest
from vinlab.experiments.control import EXPERIMENT
from vinlab.experiments.control.data import TRAINING_STREAM, make_problems
from vinlab.experiments.control.evaluate import NetworkController, final_distances
from vinlab.experiments.control.settings import configure
from vinlab.experiments.runner import seeded, train
from vinlab.learners.callbacks import Progress

DOMAINS = 40


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--budget", choices=BUDGETS, default="paper")
    budget = parser.parse_args().budget
    rates = measure_rates()
    started = time.perf_counter()
    with (
        tempfile.TemporaryDirectory() as folder,
        ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool,
    ):
        work = {recipe: pool.submit(run_teacher, recipe, budget, Path(folder)) for recipe in RECIPES}
        stages = {recipe: done.result() for recipe, done in work.items()}
    minutes = (time.perf_counter() - started) / 60
    found = {
        "budget": budget,
        "rates": rates,
        "stages": stages,
        "whole_experiment_minutes": round(minutes, 2),
    }
    print(json.dumps(found))


def run_teacher(recipe: Recipe, budget: Budget, folder: Path) -> dict[str, Any]:
    """Train both networks with the demonstrations of one teacher; the seconds of each stage."""
    torch.set_num_threads(1)
    own = folder / f"vin-{recipe}"
    runs = {
        "vin": TrainingRequest(id="control/vin", out=own, budget=budget, recipe=recipe),
        "cnn": TrainingRequest(
            id="control/cnn", out=folder / f"cnn-{recipe}", budget=budget, recipe=recipe, data=own
        ),
    }
    found = {
        name: train(EXPERIMENT, run, progress=reporter(f"{recipe} {name}")).result
        for name, run in runs.items()
    }
    teacher = found["vin"]["seconds"]
    return {
        "teacher_seconds": teacher["teacher_seconds"],
        "teacher_simulated_steps": teacher["simulated_steps"],
        "teacher_steps_per_second": teacher["steps_per_second"],
        **{f"{name}_fit_seconds": one["seconds"]["fit_seconds"] for name, one in found.items()},
        **{f"{name}_evaluation_seconds": one["seconds"]["evaluation_seconds"] for name, one in found.items()},
    }


def reporter(name: str) -> Progress:
    """Prints a line after every tenth of the work."""

    def report(done: int, total: int, note: str) -> None:
        if done % max(1, total // 10) == 0:
            print(f"{name}: {done} of {total}, {note}", file=sys.stderr, flush=True)

    return report


def measure_rates() -> dict[str, int]:
    """The rate of each kind of work, on one thread."""
    torch.set_num_threads(1)
    config = configure("control/vin", "paper", "paper")
    problems = make_problems(config.data, TRAINING_STREAM, DOMAINS)
    compiling, worlds = seconds(lambda: ParticleWorlds(problems, config.physics))
    route = RouteController(problems)
    simulating, _ = seconds(lambda: worlds.rollout(route, horizon=100, samples=20))
    steps = worlds.steps_simulated
    network = seeded(0, config.network.build)
    planning, _ = seconds(lambda: network.plan(observe(problems)))
    controller = NetworkController(network, problems)
    acting, _ = seconds(lambda: final_distances(worlds, controller, 100))
    return {
        "domains_compiled_per_second": round(DOMAINS / compiling),
        "simulated_steps_per_second": round(steps / simulating),
        "plans_per_second": round(DOMAINS / planning),
        "closed_loop_pushes_per_second": round(100 * DOMAINS / acting),
    }


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """The seconds that the work takes, and its result."""
    started = time.perf_counter()
    found = work()
    return time.perf_counter() - started, found


if __name__ == "__main__":
    main()
