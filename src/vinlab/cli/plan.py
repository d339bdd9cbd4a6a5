"""``vinlab plan``."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from tyro.conf import Positional, UseAppendAction, arg

from vinlab import models
from vinlab.cli import output
from vinlab.cli.checks import require_backups, require_file_name
from vinlab.cli.models import load_model, require_grid_model
from vinlab.cli.output import NO_ROUTE, NOT_REACHED, REACHED, CornerCutting, corner_rule, print_json, steps_of
from vinlab.maps import CostOptions, GridMap, MapOptions, Scenarios, inflate_obstacles, read_map_or_scenarios
from vinlab.models import Model
from vinlab.navigation.greedy import takes_costs
from vinlab.navigation.map_files import parse_position, plan_on_map, route_summary
from vinlab.navigation.routes import Route
from vinlab.types import InputError


@dataclass(frozen=True)
class PlanOptions:
    """The options of ``vinlab plan``."""

    start: str | None = None
    """ROW,COL of the start, or with --motion ROW,COL,HEADING; that of the file if not given."""
    goal: UseAppendAction[tuple[str, ...]] = ()
    """ROW,COL of the goal, as for --start. Of several, given one --goal each, the nearest by cost is chosen."""
    motion: Literal["four", "eight", "differential", "differential-8", "differential-16"] | None = None
    """Moves of a robot: four, eight, or forward, left and right with 4, 8 or 16 headings (N, NNE, NE … or numbers)."""
    model: str | None = None
    """Shipped model or folder of a run; if not given, grid/any, grid/strict (no corner cutting) or grid/costs."""
    exact: bool = False
    """Plan the shortest route, or the cheapest on maps with costs, without a network."""
    out: Path = Path("plan.png")
    """Figure of the plan to write (.png, .pdf or .svg)."""
    path_out: Path | None = None
    """File of the path in the map's coordinates to write (.csv, .json or .geojson), if it reaches the goal."""
    partial: bool = False
    """Write the path even if it does not reach the goal."""
    device: str = "cpu"
    """Device to plan on, such as cpu or cuda."""
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
    grading: Annotated[CostOptions, arg(name="")] = field(default_factory=CostOptions)
    """How values become costs."""
    json: bool = False
    """Print one JSON object in place of text and figure: reached, cost, optimal_cost, seconds; counts of scenarios."""

    def map_options(self) -> MapOptions:
        """How the file is read."""
        return MapOptions(self.obstacles, self.threshold, self.unknown, self.index, self.grading)


def plan(map: Positional[Path], /, options: Annotated[PlanOptions, arg(name="")]) -> int:
    """Plan a route on a map of your own and draw it with the network's reward and value.

    The exit code is 0 if the goal is reached, 3 if the network does not reach it (of scenarios: any that has a route),
    4 if no route exists, 1 for unusable input and 2 for unknown options.

    Args:
        map: A map (image, ROS .yaml, MovingAI .map, GeoTIFF, .npy, .npz), a MovingAI .scen or a folder of them.
        options: How to plan.
    """
    require_backups(options.iterations)
    require_file_name(options.out, reads=map)
    if options.path_out is not None:
        require_file_name(options.path_out, "--path-out", reads=map)
    if options.motion is not None:
        from vinlab.cli.plan_motion import plan_with_motion

        content = read_map_or_scenarios(map, options.map_options())
        if not isinstance(content, GridMap):
            raise InputError(f"--motion: expected a map, got the scenarios of {map}.")
        return plan_with_motion(content, options, corner_cutting=_cuts_corners(content, options))
    named = None if options.exact else options.model
    chosen = load_model(named, device=options.device) if named else None
    if chosen is not None:
        from vinlab.cli.plan_image import plan_on_image
        from vinlab.navigation.images import takes_images

        if takes_images(chosen):
            return plan_on_image(map, chosen, options)
        require_grid_model(chosen)
    content = None if map.is_dir() else read_map_or_scenarios(map, options.map_options())
    one_map = content.map if isinstance(content, Scenarios) else content
    cutting = _cuts_corners(one_map, options)
    if isinstance(content, GridMap):
        model = _planner(content, chosen, options, cutting)
        return plan_one_map(content, model, options, corner_cutting=cutting)
    default = models.default_id(corner_cutting=cutting)
    planner = None if options.exact else chosen or load_model(default, device=options.device)
    if not options.json:
        print(_corner_words(cutting, planner))
    from vinlab.cli.plan_scenarios import plan_file, plan_folder

    if content is None:
        return plan_folder(map, planner, options, corner_cutting=cutting)
    return plan_file(map.name, content, planner, options, corner_cutting=cutting)


def _planner(map: GridMap, chosen: Model | None, options: PlanOptions, cutting: bool) -> Model | None:
    """The model for a map: the one that was chosen, or the shipped one for its kind; None to plan exactly."""
    if options.exact or chosen is not None:
        return chosen
    if map.relief is not None:
        if not options.json:
            print("The costs depend on the direction of moves: planned exactly, without a network.")
        return None
    serves = models.COST_MAPS if map.is_graded else models.ANY_MAP
    default = models.default_id(corner_cutting=cutting, serves=serves)
    return load_model(default, device=options.device)


def _cuts_corners(map: GridMap | None, options: PlanOptions) -> bool:
    """The rule that is asked for, or that of the map; a folder has scenarios on MovingAI maps, which forbid it."""
    asked = corner_rule(options.corner_cutting)
    return asked if asked is not None else map is not None and map.corner_cutting


def plan_one_map(map: GridMap, model: Model | None, options: PlanOptions, *, corner_cutting: bool) -> int:
    """Plan on one map, describe the route and write the files."""
    map = inflate_obstacles(map, options.robot_radius)
    world = options.world_coordinates
    start = None if options.start is None else parse_position(options.start, "start", map, world=world)
    goals = [parse_position(text, "goal", map, world=world) for text in options.goal]
    if options.json:
        # What is loaded with the first plan is no part of the seconds of this one.
        plan_on_map(GridMap(np.zeros((3, 3), np.uint8), ""), (0, 0), (2, 2), model=model)
    else:
        print(f"Read {map.size}. {map.assumptions}")
    route = plan_on_map(
        map, start, goals or None, model=model, iterations=options.iterations, corner_cutting=corner_cutting
    )
    code = REACHED if route.reached else NOT_REACHED if route.exists else NO_ROUTE
    summary = route_summary(map, route)
    path_words = output.write_path(options, route.path, map.frame, summary)
    if options.json:
        names = ("reached", "cost", "optimal_cost", *(("length",) if map.is_graded else ()))
        cost = {} if route.reached else {"cost": None}  # that of half a path would mislead
        goal = {"goal": list(route.goal)} if len(goals) > 1 else {}
        print_json({name: summary[name] for name in names} | cost | goal | {"seconds": route.seconds})
        return code
    # Matplotlib is imported here, as --json draws nothing.
    from vinlab.figures.save import save_figure
    from vinlab.navigation.draw import graded_figure, route_figure

    print(_corner_words(corner_cutting, model))
    print_route(map, route, model)
    if len(goals) > 1 and route.reached:
        print(f"Of the {len(goals)} goals the nearest is {route.goal}.")
    if path_words:
        print(path_words)
    drawn = graded_figure(map, route) if map.is_graded else route_figure(map.obstacles_for(route.goal), route)
    save_figure(drawn, options.out)
    print(f"Drawn in {options.out}.")
    return code


def _corner_words(cutting: bool, model: Model | None) -> str:
    if cutting:
        return "Corner cutting is allowed."
    stuck = f"; {model.id} was trained with it and may get stuck at corners" if model else ""
    return f"Corner cutting is forbidden{stuck if model and model.corner_cutting else ''}."


def _describe(route: Route, model: Model | None, *, graded: bool) -> str:
    """One sentence about a route, on a map with costs about its cost too."""
    if not route.exists:
        return "No route exists: the goal cannot be reached from the start."
    steps, length = steps_of(route.path), f"length {route.length if graded else route.cost:.2f}"
    if model is None and graded:
        return f"The cheapest route costs {route.cost:.2f}: {steps} of {length}."
    if model is None:
        return f"The shortest route has {steps} and length {route.optimal_cost:.2f}."
    best = f"costs {route.optimal_cost:.2f}" if graded else f"has length {route.optimal_cost:.2f}"
    kind = "cheapest" if graded else "shortest"
    if not route.reached:
        return f"Goal not reached: the network's path ends after {steps}; the {kind} one {best}."
    gap = route.cost / route.optimal_cost - 1 if route.optimal_cost else 0.0
    more = f"the route costs {gap:.2%} more" if graded else f"the route is {gap:.1%} longer"
    cost = f" at a cost of {route.cost:.2f}" if graded else ""
    same = "the same" if gap < 1e-9 else more
    return f"Goal reached in {steps} of {length}{cost}; the {kind} path {best} ({same})."


def print_route(map: GridMap, route: Route, model: Model | None) -> None:
    """How long the route is, in cells and in world units, and how it was planned."""
    print(_describe(route, model, graded=map.is_graded))
    if model is not None and map.is_graded and not takes_costs(model.network):
        print(f"{model.id} does not see the costs of the map: it plans by free and blocked cells alone.")
    if model is not None:
        print(output.planned_with(model, route.iterations))
    if route.exists and map.frame.unit != "cells":
        length = route_summary(map, route)["world_length"]
        print(f"In world coordinates the path is {length:.3f} {map.frame.unit} long.")
