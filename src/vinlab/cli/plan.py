"""``vinlab plan``."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from tyro.conf import Positional, arg

from vinlab import models
from vinlab.cli.output import CornerCutting, corner_rule, describe, format_iterations, print_json
from vinlab.cli.plan_scenarios import plan_file, plan_folder
from vinlab.figures.save import save_figure
from vinlab.maps import GridMap, MapOptions, inflate_obstacles, read_map_or_scenarios, write_route
from vinlab.models import Model
from vinlab.navigation.draw import route_figure
from vinlab.navigation.map_files import parse_position, plan_on_map, route_summary
from vinlab.navigation.routes import Route
from vinlab.types import InputError


@dataclass(frozen=True)
class PlanOptions:
    """The options of ``vinlab plan``."""

    start: str | None = None
    """ROW,COL of the start, or with --motion ROW,COL,HEADING; that of the file if not given."""
    goal: str | None = None
    """ROW,COL of the goal, or with --motion ROW,COL,HEADING; that of the file if not given."""
    motion: Literal["four", "eight", "differential", "differential-8", "differential-16"] | None = None
    """Moves of a robot: four, eight, or forward, left and right with 4, 8 or 16 headings (N, NNE, NE … or numbers)."""
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
    json: bool = False
    """Print one JSON object in place of text and figure: reached, cost, optimal_cost and seconds of a map; scenarios,
    reached, at_stated_length and seconds_per_plan of scenarios."""

    def map_options(self) -> MapOptions:
        """How the file is read."""
        return MapOptions(self.obstacles, self.threshold, self.unknown, self.index)


def plan(map: Positional[Path], /, options: Annotated[PlanOptions, arg(name="")]) -> None:
    """Plan a route on a map of your own and draw it with the network's reward and value.

    Args:
        map: A map: PNG, PGM, a ROS .yaml, MovingAI .map, GeoTIFF, .npy or .npz; or a MovingAI .scen, or a folder
            of them and their maps, all of whose scenarios are run; or, for a model such as mars/vin, an image of
            terrain.
        options: How to plan.
    """
    if options.motion is not None:
        _plan_motion(map, options)
        return
    chosen = models.load(options.model) if options.model and not options.exact else None
    if chosen is not None:
        from vinlab.cli.plan_image import plan_on_image
        from vinlab.navigation.images import takes_images

        if takes_images(chosen):
            plan_on_image(map, chosen, options)
            return
    content = None if map.is_dir() else read_map_or_scenarios(map, options.map_options())
    rule = False  # that of MovingAI maps, of which a folder has scenarios
    if content is not None:
        rule = (content if isinstance(content, GridMap) else content.map).corner_cutting
    asked = corner_rule(options.corner_cutting)
    cutting = rule if asked is None else asked
    planner = None if options.exact else chosen or models.load(models.default_id(corner_cutting=cutting))
    if isinstance(content, GridMap):
        plan_one_map(content, planner, options, corner_cutting=cutting)
        return
    if not options.json:
        print(_corner_words(cutting, planner))
    if content is None:
        plan_folder(map, planner, options, corner_cutting=cutting)
    else:
        plan_file(map.name, content, planner, options, corner_cutting=cutting)


def _plan_motion(map: Path, options: PlanOptions) -> None:
    """Plan by the moves of a table; other options keep their meaning."""
    from vinlab.cli.plan_motion import plan_with_motion

    content = read_map_or_scenarios(map, options.map_options())
    if not isinstance(content, GridMap):
        raise InputError(f"--motion: expected a map, got the scenarios of {map}.")
    asked = corner_rule(options.corner_cutting)
    plan_with_motion(content, options, corner_cutting=content.corner_cutting if asked is None else asked)


def plan_one_map(map: GridMap, model: Model | None, options: PlanOptions, *, corner_cutting: bool) -> None:
    """Plan on one map, describe the route and write the files."""
    map = inflate_obstacles(map, options.robot_radius)
    start, goal = (
        None if text is None else parse_position(text, name, map, world=options.world_coordinates)
        for text, name in ((options.start, "start"), (options.goal, "goal"))
    )
    if options.json:
        # What is loaded with the first plan is no part of the seconds of this one.
        plan_on_map(GridMap(np.zeros((3, 3), np.uint8), ""), (0, 0), (2, 2), model=model)
    else:
        print(f"Read {map.size}. {map.assumptions}")
    route = plan_on_map(
        map, start, goal, model=model, iterations=options.iterations, corner_cutting=corner_cutting
    )
    if options.path_out is not None:
        write_route(options.path_out, route.path, map.frame, route_summary(map, route))
    if options.json:
        summary = route_summary(map, route)
        print_json(
            {name: summary[name] for name in ("reached", "cost", "optimal_cost")} | {"seconds": route.seconds}
        )
        return
    print(_corner_words(corner_cutting, model))
    print_route(map, route, model)
    if options.path_out is not None:
        print(f"The path is in {options.path_out}.")
    save_figure(route_figure(map.obstacles_for(route.goal), route), options.out)
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
