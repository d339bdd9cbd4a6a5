"""``vinlab plan``."""

import math
from pathlib import Path
from typing import Literal

import numpy as np
from rich.console import Console
from rich.table import Table
from tyro.conf import Positional

from vinlab import models
from vinlab.cli.output import CornerCutting, corner_rule, describe, format_iterations
from vinlab.figures.save import save_figure
from vinlab.maps import GridMap, MapOptions, Scenarios, inflate_obstacles, read_map_or_scenarios, write_route
from vinlab.models import Model
from vinlab.navigation.draw import route_figure
from vinlab.navigation.map_files import parse_position, plan_on_map, route_summary
from vinlab.navigation.routes import Route
from vinlab.navigation.scenarios import ScenarioResults, run_scenarios
from vinlab.types import InputError

AGREE = 1e-6
"""Lengths in scenario files have eight digits; closer than this they are equal."""


def plan(
    map: Positional[Path],
    /,
    start: str | None = None,
    goal: str | None = None,
    model: str | None = None,
    exact: bool = False,
    out: Path = Path("plan.png"),
    path_out: Path | None = None,
    world_coordinates: bool = False,
    iterations: int | None = None,
    corner_cutting: CornerCutting = "auto",
    obstacles: Literal["dark", "bright"] | None = None,
    threshold: float | None = None,
    unknown: Literal["blocked", "free"] = "blocked",
    robot_radius: float = 0.0,
    index: int = 0,
) -> None:
    """Plan a route on a map of your own and draw it with the network's reward and value.

    Args:
        map: A map: PNG, PGM, a ROS .yaml, MovingAI .map, GeoTIFF, .npy or .npz; or a MovingAI .scen, all of whose
            scenarios are run; or, for a model such as mars/vin, an image of terrain.
        start: ROW,COL of the start; that of the file if not given.
        goal: ROW,COL of the goal; that of the file if not given.
        model: The id of a shipped model, or the folder of a run; grid/any if not given, or grid/strict where
            corner cutting is forbidden.
        exact: Plan the shortest route, without a network.
        out: Figure of the plan to write (.png, .pdf or .svg).
        path_out: File of the path in the map's coordinates to write (.csv, .json or .geojson).
        world_coordinates: Take start and goal as X,Y in the map's coordinates (metres, degrees …).
        iterations: Number of backups K; if not given, as many as the start needs to reach the goal.
        corner_cutting: Whether a diagonal move may pass an obstacle's corner; auto is allow (MovingAI files: forbid).
        obstacles: Which values are blocked: dark (0) or bright (1); dark in images, bright in arrays.
        threshold: Where bright begins: a brightness from 0 to 1 in images (0.5), a value in arrays and rasters.
        unknown: Whether unknown cells count as blocked or free.
        robot_radius: Radius of the robot in the map's unit, by which obstacles are inflated.
        index: Which map of a file that holds several.
    """
    chosen = models.load(model) if model and not exact else None
    rule = corner_rule(corner_cutting)
    options = MapOptions(obstacles, threshold, unknown, index)
    if chosen is not None and _takes_images(chosen):
        if options != MapOptions() or rule is not None or world_coordinates or robot_radius:
            raise InputError(
                f"{chosen.id} plans on the image itself: expected no --world-coordinates, --robot-radius, --index, "
                "--obstacles, --threshold, --unknown or --corner-cutting."
            )
        from vinlab.cli.plan_image import plan_image_file

        plan_image_file(map, (start, goal), chosen, iterations=iterations, out=out, path_file=path_out)
        return
    content = read_map_or_scenarios(map, options)
    grid = content.map if isinstance(content, Scenarios) else content
    cutting = grid.corner_cutting if rule is None else rule
    planner = None if exact else chosen or models.load(models.default_id(corner_cutting=cutting))
    if isinstance(content, Scenarios):
        if start or goal or path_out or world_coordinates or robot_radius:
            raise InputError(
                "A .scen file has its own starts and goals: expected no --start, --goal, --path-out, "
                "--world-coordinates or --robot-radius."
            )
        print_scenarios(map.name, content, planner, iterations, corner_cutting=cutting)
        return
    grid = inflate_obstacles(grid, robot_radius)
    print(f"Read {grid.size}. {grid.assumptions}")
    ends = [
        None if text is None else parse_position(text, name, grid, world=world_coordinates)
        for text, name in ((start, "start"), (goal, "goal"))
    ]
    route = plan_on_map(grid, *ends, model=planner, iterations=iterations, corner_cutting=cutting)
    print(_corner_words(cutting, planner))
    print_route(grid, route, planner)
    write_plan(grid, route, out, path_out)


def _takes_images(model: Model) -> bool:
    from vinlab.navigation.images import takes_images

    return takes_images(model)


def _corner_words(cutting: bool, model: Model | None) -> str:
    if cutting:
        return "Corner cutting is allowed."
    warning = (
        f"; {model.id} was trained with it and may get stuck at corners"
        if model and model.corner_cutting
        else ""
    )
    return f"Corner cutting is forbidden{warning}."


def print_route(map: GridMap, route: Route, model: Model | None) -> None:
    """How long the route is, in cells and in world units, and how it was planned."""
    if model is not None:
        print(describe(route))
        print(f"Planned with {model.id}, {format_iterations(map.obstacles.shape, route.iterations, model)}.")
    elif route.exists:
        print(f"The shortest route has {len(route.path) - 1} steps and length {route.optimal_cost:.2f}.")
    else:
        print(describe(route))
    if route.exists and map.frame.unit != "cells":
        length = route_summary(map, route)["world_length"]
        print(f"In world coordinates the path is {length:.3f} {map.frame.unit} long.")


def write_plan(map: GridMap, route: Route, out: Path, path_out: Path | None) -> None:
    """Write the path where a file is given, and the figure."""
    if path_out is not None:
        write_route(path_out, route.path, map.frame, route_summary(map, route))
        print(f"The path is in {path_out}.")
    save_figure(route_figure(map.obstacles, route), out)
    print(f"Drawn in {out}.")


def print_scenarios(
    name: str, scenarios: Scenarios, model: Model | None, iterations: int | None, *, corner_cutting: bool
) -> None:
    """Run all scenarios of a file and print a summary, shorter paths first."""
    print(f"Read {len(scenarios)} scenarios on {scenarios.map.size}. {scenarios.map.assumptions}")
    print(_corner_words(corner_cutting, model))
    results = run_scenarios(scenarios, model=model, iterations=iterations, corner_cutting=corner_cutting)
    planner = "the exact planner" if model is None else model.id
    Console().print(summary(results, title=f"{name}, {planner}"))
    agree = int((np.abs(results.optimal - results.stated) < AGREE).sum())
    print(f"{agree} of {len(scenarios)} optimal lengths are those of the file.")


def summary(results: ScenarioResults, *, title: str) -> Table:
    """A row for each quarter of the scenarios by length, and one for all."""
    table = Table(
        "optimal length", "scenarios", "success", "mean length", "mean optimal", "longer", title=title
    )
    order = np.argsort(results.stated, kind="stable")
    for part in [part for part in np.array_split(order, 4) if len(part)]:
        stated = results.stated[part]
        _add_row(table, f"{stated.min():.1f} – {stated.max():.1f}", results[part])
    table.add_section()
    _add_row(table, "all", results)
    return table


def _add_row(table: Table, name: str, results: ScenarioResults) -> None:
    reached = results.reached
    mean, optimal = (
        float(lengths[reached].mean()) if reached.any() else math.nan
        for lengths in (results.costs, results.optimal)
    )
    longer = "–" if not reached.any() or optimal == 0 else f"{mean / optimal - 1:.2%}"
    shown = [f"{number:.2f}" if math.isfinite(number) else "–" for number in (mean, optimal)]
    table.add_row(name, str(len(reached)), f"{reached.mean():.1%}", *shown, longer)
