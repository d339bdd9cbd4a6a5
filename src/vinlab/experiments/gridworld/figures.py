"""Figures of the grid-world: one plan and several routes."""

from pathlib import Path

from matplotlib.figure import Figure

from vinlab.domains.gridworld.expert import solve
from vinlab.experiments.gridworld.data import make_test_problems
from vinlab.figures.paths import paths_figure
from vinlab.figures.save import save_figure
from vinlab.models import Model
from vinlab.navigation.draw import route_figure
from vinlab.navigation.routes import Route, navigate
from vinlab.types import GridProblems, InputError

ROUTES = 8
"""How many routes the picture of routes shows."""


def draw_plans(model: Model, out: Path, problem: int | None, data: Path | None) -> list[Path]:
    """Draw one plan, and routes on several maps, of the test problems.

    Without ``problem`` the plan is drawn for the one with the longest path, as there is most to see. The figures of
    a shipped model carry its id.
    """
    out.mkdir(parents=True, exist_ok=True)
    prefix = "" if model.folder else f"{model.id.replace('/', '_')}_"
    figures = _plan_figures(model, problem)
    return [save_figure(figure, out / f"{prefix}{name}") for name, figure in figures.items()]


def _plan_figures(model: Model, problem: int | None) -> dict[str, Figure]:
    problems = make_test_problems(model.size)
    if problem is None:
        problem = int(solve(problems).lengths.argmax())
    if not 0 <= problem < len(problems):
        raise InputError(f"--problem: expected 0 to {len(problems) - 1}, got {problem}.")
    return {
        "plan.png": route_figure(problems.obstacles[problem], _route(model, problems, problem)),
        "routes.png": routes_figure(model, problems[:ROUTES]),
    }


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
