"""Figures of a route on a map."""

import numpy as np
from matplotlib.figure import Figure

from vinlab.figures.paths import paths_figure
from vinlab.figures.plans import plan_figure
from vinlab.maps import GridMap
from vinlab.navigation.display import display_range
from vinlab.navigation.routes import Route
from vinlab.planning.exact import cost_to_go
from vinlab.types import GridProblems


def route_figure(obstacles: np.ndarray, route: Route) -> Figure:
    """The map with the network's path and the shortest one, the learned reward, and the value."""
    plan, shortest = route.plan, route.optimal_path if route.exists else None
    if plan is None:
        problem = GridProblems(obstacles[None], np.array([route.start]), np.array([route.goal]))
        return paths_figure(problem, [route.path], [shortest], title="shortest path")
    # Where a reward belongs to a move, a cell shows the mean of its moves, as on the page.
    reward, value = plan.reward[0].mean(dim=0).cpu().numpy(), plan.value[0, 0].cpu().numpy()
    # A cell without a route, from which walls were crossed, would span the scale: straight moves join the others.
    blocked = np.asarray(obstacles != 0, np.uint8)
    region = np.isfinite(cost_to_go(blocked[None], np.array([route.goal]), num_moves=4)[0])
    settled = route.iterations is None
    return plan_figure(
        obstacles,
        reward,
        np.maximum(value, value[region].min()),
        predicted=route.path,
        shortest=shortest,
        start=route.start,
        goal=route.goal,
        reward_range=display_range(reward, obstacles),
        title="value iteration to its fixed point (K = ∞)" if settled else f"K = {route.iterations} backups",
    )


def graded_figure(map: GridMap, route: Route) -> Figure:
    """The costs or heights of a map, the route over them, and the cheapest one where it is another."""
    from vinlab.figures.cost_map import CostView, cost_figure

    shown = map.costs if map.relief is None else map.relief.elevation
    assert shown is not None
    paths = {"cheapest route": route.optimal_path} if route.exists else {}
    if not np.array_equal(route.path, route.optimal_path):
        paths["predicted route"] = route.path
    caption = "cost of a cell" if map.relief is None else "height"
    view = CostView(shown, map.obstacles != 0, caption, route.start, [route.goal], paths)
    return cost_figure([view])
