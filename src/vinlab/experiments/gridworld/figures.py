"""Pictures of the grid-world: one plan and several routes."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from vinlab.experiments.gridworld.train import make_test_problems
from vinlab.figures.paths import paths_figure
from vinlab.figures.plans import plan_figure
from vinlab.figures.save import save_figure
from vinlab.models import Model, load
from vinlab.navigation.display import shown_range
from vinlab.navigation.routes import Route, consult, navigate
from vinlab.recording.finished_run import RecordedRun
from vinlab.types import GridProblems, InputError

ROUTES = 8
"""How many routes the picture of routes shows."""


def draw_plans(run: RecordedRun, out: Path, problem: int | None = None) -> list[Path]:
    """Draw one plan, and routes on several maps, of the test problems.

    Without ``problem`` the plan is drawn for the one with the longest way, as there is most to see.
    """
    return _save(_plan_figures(load(run.folder), problem), out)


def draw_shipped(id: str, out: Path, problem: int | None = None) -> list[Path]:
    """The same of a model that comes with the package, under the model's own name."""
    pictures = _plan_figures(load(id), problem)
    return _save({f"{id.replace('/', '_')}_{name}": figure for name, figure in pictures.items()}, out)


def _save(pictures: dict[str, Figure], out: Path) -> list[Path]:
    out.mkdir(parents=True, exist_ok=True)
    return [save_figure(figure, out / name) for name, figure in pictures.items()]


def _plan_figures(model: Model, problem: int | None) -> dict[str, Figure]:
    problems = make_test_problems(model.size)
    if problem is None:
        problem = int(consult(problems).lengths.argmax())
    if not 0 <= problem < len(problems):
        raise InputError(f"--problem must lie in 0..{len(problems) - 1}, but {problem} came.")
    return {
        "plan.png": route_figure(problems.obstacles[problem], _route(model, problems, problem)),
        "routes.png": routes_figure(model, problems[:ROUTES]),
    }


def _route(model: Model, problems: GridProblems, index: int) -> Route:
    return navigate(model, problems.obstacles[index], problems.starts[index], problems.goals[index])


def route_figure(obstacles: np.ndarray, route: Route) -> Figure:
    """The map with the network's route and the shortest one, the learned reward, and the value."""
    plan = route.plan
    if plan is None:
        return _map_figure(obstacles, route)
    reward = plan.reward[0, 0].numpy()
    return plan_figure(
        obstacles,
        np.clip(reward, *shown_range(reward, obstacles)),
        plan.value[0, 0].numpy(),
        predicted=route.path,
        shortest=route.optimal_path if route.exists else None,
        start=route.start,
        goal=route.goal,
        title=f"K = {route.iterations} backups",
    )


def _map_figure(obstacles: np.ndarray, route: Route) -> Figure:
    """The map with the shortest route alone."""
    problem = GridProblems(obstacles[None], np.array([route.start]), np.array([route.goal]))
    shortest = route.optimal_path if route.exists else None
    return paths_figure(problem, [route.path], [shortest], title="shortest route")


def routes_figure(model: Model, problems: GridProblems) -> Figure:
    """The network's routes on several maps, beside the shortest ones."""
    routes = [_route(model, problems, index) for index in range(len(problems))]
    return paths_figure(
        problems,
        [route.path for route in routes],
        [route.optimal_path if route.exists else None for route in routes],
        title=f"{model.id} on unseen maps",
    )
