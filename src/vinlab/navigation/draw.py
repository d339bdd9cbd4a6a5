"""Figures of a route on a map."""

import numpy as np
from matplotlib.figure import Figure

from vinlab.figures.paths import paths_figure
from vinlab.figures.plans import plan_figure
from vinlab.navigation.display import display_range
from vinlab.navigation.routes import Route
from vinlab.types import GridProblems


def route_figure(obstacles: np.ndarray, route: Route) -> Figure:
    """The map with the network's path and the shortest one, the learned reward, and the value."""
    plan = route.plan
    if plan is None:
        return _map_figure(obstacles, route)
    reward = plan.reward[0, 0].numpy()
    return plan_figure(
        obstacles,
        np.clip(reward, *display_range(reward, obstacles)),
        plan.value[0, 0].numpy(),
        predicted=route.path,
        shortest=route.optimal_path if route.exists else None,
        start=route.start,
        goal=route.goal,
        title=f"K = {route.iterations} backups",
    )


def _map_figure(obstacles: np.ndarray, route: Route) -> Figure:
    """The map with the shortest path alone."""
    problem = GridProblems(obstacles[None], np.array([route.start]), np.array([route.goal]))
    shortest = route.optimal_path if route.exists else None
    return paths_figure(problem, [route.path], [shortest], title="shortest path")
