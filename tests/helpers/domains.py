"""The domains as the contract describes a domain; one that lacks a part is skipped with the reason."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from helpers.small_site import ten_pages
from vinlab.domains.contract import Domain


@dataclass(frozen=True)
class World:
    """An environment of the contract from a domain's own functions."""

    starts: np.ndarray
    step: Callable[[np.ndarray, np.ndarray], np.ndarray]
    reached: Callable[[np.ndarray], np.ndarray]


def parts(domain: str, **names: str) -> SimpleNamespace:
    """The names that a domain's modules must have."""
    return SimpleNamespace(
        **{
            name: getattr(import_module(f"vinlab.domains.{domain}.{module}"), name)
            for module, wanted in names.items()
            for name in wanted.split()
        }
    )


def cell_expert(solve: Any) -> Callable:
    """The expert of a domain of cells: a table of its moves."""

    def expert(problems: Any) -> Callable[[np.ndarray], np.ndarray]:
        moves, index = solve(problems).moves, np.arange(len(problems))
        return lambda states: moves[index, states[:, 0], states[:, 1]]

    return expert


def at_goals(problems: Any) -> Callable[[np.ndarray], np.ndarray]:
    return lambda states: (states == problems.goals).all(axis=1)


def gridworld() -> Domain:
    ours = parts("gridworld", problem="GridworldConfig sample_problems", expert="solve", environment="step")
    return Domain(
        sample=lambda count, *, rng: ours.sample_problems(ours.GridworldConfig(8), count, rng=rng),
        expert=cell_expert(ours.solve),
        environment=lambda problems: World(
            problems.starts, lambda s, a: ours.step(problems.obstacles, s, a), at_goals(problems)
        ),
        horizon=64,
    )


def holeworld() -> Domain:
    ours = parts("holeworld", problem="GridworldConfig sample_problems", expert="solve", environment="step")
    return Domain(
        sample=lambda count, *, rng: ours.sample_problems(ours.GridworldConfig(8), count, rng=rng),
        expert=cell_expert(ours.solve),
        environment=lambda problems: World(
            problems.starts,
            lambda s, a: ours.step(problems.obstacles, problems.goals, s, a).states,
            at_goals(problems),
        ),
        horizon=64,
    )


def mars() -> Domain:
    ours = parts("mars", problem="PatchConfig sample_problems", expert="solve", environment="step")
    return Domain(
        sample=lambda count, *, rng: ours.sample_problems(ours.PatchConfig(), count, rng=rng),
        expert=cell_expert(ours.solve),
        environment=lambda problems: World(
            problems.starts, lambda s, a: ours.step(problems.obstacles, s, a), at_goals(problems)
        ),
        horizon=256,
    )


def terrain_costs() -> Domain:
    ours = parts(
        "terrain_costs", problem="TerrainCostsConfig sample_problems", expert="solve", environment="step"
    )
    config = ours.TerrainCostsConfig(size=12)
    return Domain(
        sample=lambda count, *, rng: ours.sample_problems(config, count, rng=rng),
        expert=cell_expert(ours.solve),
        environment=lambda problems: World(
            problems.starts, lambda s, a: ours.step(config.shape, s, a), at_goals(problems)
        ),
        horizon=144,
    )


def control() -> Domain:
    pytest.importorskip("mujoco", reason="MuJoCo is an extra")
    ours = parts(
        "control",
        problem="ControlConfig sample_problems",
        expert="RouteController demonstrate",
        environment="ParticleWorlds",
    )

    def expert(problems: Any) -> Callable[[np.ndarray], np.ndarray]:
        controller = ours.RouteController(problems)
        return lambda states: controller(0, states[:, None])[:, 0]

    def environment(problems: Any) -> World:
        worlds = ours.ParticleWorlds(problems)
        return World(
            worlds.initial_states,
            lambda s, a: worlds.step(s[:, None], a[:, None])[0][:, 0],
            lambda s: np.linalg.norm(s[:, :2] - problems.goals, axis=1) < 0.1,
        )

    return Domain(
        sample=lambda count, *, rng: ours.sample_problems(ours.ControlConfig(), count, rng=rng),
        expert=expert,
        environment=environment,
        horizon=300,
    )


def web() -> Domain:
    ours = parts(
        "web",
        problem="draw start_anywhere",
        expert="distances_to optimal_links",
        environment="follow_links",
    )
    site = ten_pages()

    def expert(problems: Any) -> Callable[[np.ndarray], np.ndarray]:
        distances = ours.distances_to(site.full, problems.targets)

        def choose(pages: np.ndarray) -> np.ndarray:
            candidates = site.full.padded(pages)
            optimal = ours.optimal_links(distances, pages, problems.targets, candidates)
            return candidates[np.arange(len(pages)), optimal.argmax(axis=1)]

        return choose

    def environment(problems: Any) -> World:
        def step(pages: np.ndarray, clicks: np.ndarray) -> np.ndarray:
            here = replace(problems, starts=pages)
            rollouts = ours.follow_links(lambda active, _: clicks[active], site.full, here, max_clicks=1)
            return np.where(rollouts.pages[:, 1] < 0, pages, rollouts.pages[:, 1])

        return World(problems.starts, step, lambda pages: pages == problems.targets)

    return Domain(
        sample=lambda count, *, rng: ours.start_anywhere(
            site, ours.draw(np.arange(len(site.queries.pages)), count, rng=rng), rng=rng
        ),
        expert=expert,
        environment=environment,
        horizon=10,
    )


def motion() -> Domain:
    ours = parts(
        "motion",
        problem="MotionConfig sample_problems",
        expert="solve",
        environment="step possible_moves at_goal",
    )
    table = import_module("vinlab.planning.moves").motion_named("differential")

    def expert(problems: Any) -> Callable[[np.ndarray], np.ndarray]:
        moves, index = ours.solve(problems, table).moves, np.arange(len(problems))
        return lambda states: moves[index, states[:, 2], states[:, 0], states[:, 1]]

    def environment(problems: Any) -> World:
        possible = ours.possible_moves(problems.obstacles, table)
        return World(
            problems.starts,
            lambda s, a: ours.step(possible, table, s, a),
            lambda s: ours.at_goal(s, problems.goals),
        )

    return Domain(
        sample=lambda count, *, rng: ours.sample_problems(ours.MotionConfig(9), count, rng=rng),
        expert=expert,
        environment=environment,
        horizon=200,
    )


DOMAINS: dict[str, Callable[[], Domain]] = {
    "gridworld": gridworld,
    "holeworld": holeworld,
    "mars": mars,
    "terrain_costs": terrain_costs,
    "control": control,
    "web": web,
    "motion": motion,
}
"""The registry: every package below ``vinlab.domains``."""
