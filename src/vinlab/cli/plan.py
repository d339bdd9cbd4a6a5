"""``vinlab plan``."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from rich.console import Console
from rich.table import Table
from tyro.conf import Positional, arg

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


@dataclass(frozen=True)
class PlanOptions:
    """The options of ``vinlab plan``."""

    start: str | None = None
    """ROW,COL of the start; that of the file if not given."""
    goal: str | None = None
    """ROW,COL of the goal; that of the file if not given."""
    model: str | None = None
    """Shipped model or folder of a run; grid/any if not given, or grid/strict where corner cutting is forbidden."""
    exact: bool = False
    """Plan the shortest route, without a network."""
    out: Path = Path("plan.png")
    """Figure of the plan to write (.png, .pdf or .svg)."""
    path_out: Path | None = None
    """File of the path in the map's coordinates to write (.csv, .json or .geojson)."""
    world_coordinates: bool = False
    """Take start and goal as X,Y in the map's coordinates (metres, degrees …)."""
    iterations: int | None = None
    """Number of backups K; if not given, as many as the start needs to reach the goal."""
    corner_cutting: CornerCutting = "auto"
    """Whether a diagonal move may pass an obstacle's corner; auto is allow (MovingAI files: forbid)."""
    obstacles: Literal["dark", "bright"] | None = None
    """Which values are blocked: dark (0) or bright (1); dark in images, bright in arrays."""
    threshold: float | None = None
    """Where bright begins: a brightness from 0 to 1 in images (0.5), a value in arrays and rasters."""
    unknown: Literal["blocked", "free"] = "blocked"
    """Whether unknown cells count as blocked or free."""
    robot_radius: float = 0.0
    """Radius of the robot in the map's unit, by which obstacles are inflated."""
    index: int = 0
    """Which map of a file that holds several."""

    def map_options(self) -> MapOptions:
        """How the file is read."""
        return MapOptions(self.obstacles, self.threshold, self.unknown, self.index)


def plan(map: Positional[Path], /, options: Annotated[PlanOptions, arg(name="")]) -> None:
    """Plan a route on a map of your own and draw it with the network's reward and value.

    Args:
        map: A map: PNG, PGM, a ROS .yaml, MovingAI .map, GeoTIFF, .npy or .npz; or a MovingAI .scen, all of whose
            scenarios are run; or, for a model such as mars/vin, an image of terrain.
        options: How to plan.
    """
    chosen = models.load(options.model) if options.model and not options.exact else None
    if chosen is not None:
        from vinlab.cli.plan_image import plan_on_image
        from vinlab.navigation.images import takes_images

        if takes_images(chosen):
            plan_on_image(map, chosen, options)
            return
    content = read_map_or_scenarios(map, options.map_options())
    rule = (content.map if isinstance(content, Scenarios) else content).corner_cutting
    asked = corner_rule(options.corner_cutting)
    cutting = rule if asked is None else asked
    planner = None if options.exact else chosen or models.load(models.default_id(corner_cutting=cutting))
    if isinstance(content, Scenarios):
        plan_scenarios(map.name, content, planner, options, corner_cutting=cutting)
    else:
        plan_one_map(content, planner, options, corner_cutting=cutting)


def plan_one_map(map: GridMap, model: Model | None, options: PlanOptions, *, corner_cutting: bool) -> None:
    """Plan on one map, describe the route and write the files."""
    map = inflate_obstacles(map, options.robot_radius)
    print(f"Read {map.size}. {map.assumptions}")
    start, goal = (
        None if text is None else parse_position(text, name, map, world=options.world_coordinates)
        for text, name in ((options.start, "start"), (options.goal, "goal"))
    )
    route = plan_on_map(
        map, start, goal, model=model, iterations=options.iterations, corner_cutting=corner_cutting
    )
    print(_corner_words(corner_cutting, model))
    print_route(map, route, model)
    if options.path_out is not None:
        write_route(options.path_out, route.path, map.frame, route_summary(map, route))
        print(f"The path is in {options.path_out}.")
    save_figure(route_figure(map.obstacles, route), options.out)
    print(f"Drawn in {options.out}.")


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
    if model is None and route.exists:
        print(f"The shortest route has {len(route.path) - 1} steps and length {route.optimal_cost:.2f}.")
    else:
        print(describe(route))
    if model is not None:
        print(f"Planned with {model.id}, {format_iterations(map.obstacles.shape, route.iterations, model)}.")
    if route.exists and map.frame.unit != "cells":
        length = route_summary(map, route)["world_length"]
        print(f"In world coordinates the path is {length:.3f} {map.frame.unit} long.")


def plan_scenarios(
    name: str, scenarios: Scenarios, model: Model | None, options: PlanOptions, *, corner_cutting: bool
) -> None:
    """Run all scenarios of a file and print a summary, shorter paths first."""
    if options.start or options.goal or options.path_out or options.world_coordinates or options.robot_radius:
        raise InputError(
            "A .scen file has its own starts and goals: expected no --start, --goal, --path-out, "
            "--world-coordinates or --robot-radius."
        )
    print(f"Read {len(scenarios)} scenarios on {scenarios.map.size}. {scenarios.map.assumptions}")
    print(_corner_words(corner_cutting, model))
    results = run_scenarios(
        scenarios, model=model, iterations=options.iterations, corner_cutting=corner_cutting
    )
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
