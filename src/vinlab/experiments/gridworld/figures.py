"""Figures of the grid-world: one plan and several routes."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from vinlab.domains.gridworld.expert import solve
from vinlab.experiments.base import require_problem
from vinlab.experiments.gridworld.data import make_test_problems
from vinlab.experiments.gridworld.settings import ITERATIONS
from vinlab.experiments.gridworld.table import on_generated
from vinlab.figures.paths import paths_figure
from vinlab.figures.save import save_figure
from vinlab.models import Model, load, stem_of
from vinlab.navigation.draw import route_figure
from vinlab.navigation.routes import Route, navigate
from vinlab.recording.finished_run import WEIGHTS, FinishedRun
from vinlab.types import GridProblems

ROUTES = 8
"""How many routes the figure of routes shows."""


def draw_plans(model: Model, out: Path, problem: int | None, data: Path | None) -> list[Path]:
    """Draw one plan, and routes on several maps, of the test problems.

    Without ``problem`` the plan is drawn for the one with the longest path, as there is most to see. The figures of
    a shipped model carry its id.
    """
    return _draw(model, out, model.prefix, problem)


def draw_runs(runs: Sequence[FinishedRun], out: Path) -> list[Path]:
    """Draw what the largest VIN plans, for the first seed of each recipe whose weights were kept."""
    largest = f"gridworld/{max(ITERATIONS)}/vin"
    kept = [
        run for run in on_generated(runs) if run.manifest.id == largest and (run.folder / WEIGHTS).exists()
    ]
    first = {
        run.manifest.recipe: run for run in sorted(kept, key=lambda run: run.manifest.seed, reverse=True)
    }
    # The figures of the recipe ``default`` are named as those of the shipped model, which comes from it.
    prefix = {recipe: "" if recipe == "default" else f"{recipe}_" for recipe in first}
    return [
        path
        for recipe, run in sorted(first.items())
        for path in _draw(load(run.folder), out, f"{stem_of(largest)}_{prefix[recipe]}", None)
    ]


def _draw(model: Model, out: Path, prefix: str, problem: int | None) -> list[Path]:
    problems = make_test_problems(model.size)
    longest = int(solve(problems).lengths.argmax()) if problem is None else problem
    index = require_problem(longest, len(problems))
    plan = route_figure(problems.obstacles[index], _route(model, problems, index))
    return [
        save_figure(plan, out / f"{prefix}plan.png"),
        save_figure(routes_figure(model, problems[:ROUTES]), out / f"{prefix}routes.png"),
    ]


def _route(model: Model, problems: GridProblems, index: int) -> Route:
    return navigate(model, problems.obstacles[index], problems.starts[index], problems.goals[index])


def routes_figure(model: Model, problems: GridProblems) -> Figure:
    """The network's routes on several maps, beside the shortest ones."""
    routes = [_route(model, problems, index) for index in range(len(problems))]
    return paths_figure(
        problems,
        [route.path for route in routes],
        [route.optimal_path if route.exists else None for route in routes],
        title=f"{model.id} on unseen maps",
    )
