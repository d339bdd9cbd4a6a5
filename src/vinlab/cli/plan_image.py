"""``vinlab plan`` with a model that sees an image of terrain."""

import time
from pathlib import Path
from typing import TYPE_CHECKING

from vinlab.cli.output import NOT_REACHED, REACHED, planned_with, print_json, steps_of, write_path
from vinlab.domains.mars.rasters.image import TerrainImage, read_terrain_image
from vinlab.figures.ground import GroundView, colours_of, ground_figure
from vinlab.figures.save import save_figure
from vinlab.figures.terrain import TerrainView, terrain_figure
from vinlab.maps import MapOptions
from vinlab.maps.pictures import Picture, read_picture, with_channels
from vinlab.maps.transform import CELLS, Frame
from vinlab.models import Model
from vinlab.navigation.images import ImageRoute, cells_of, navigate_image, sees_ground
from vinlab.navigation.map_files import parse_cell
from vinlab.planning.cell_costs import path_cost
from vinlab.types import CELL, InputError

if TYPE_CHECKING:
    from vinlab.cli.plan import PlanOptions


def plan_on_image(file: Path, model: Model, options: "PlanOptions") -> int:
    """Plan a route on an image, describe it and write the files; options of maps are refused."""
    others = [options.corner_cutting, options.robot_radius]
    others += [] if sees_ground(model) else [options.world_coordinates, options.json]
    if options.map_options() != MapOptions() or others not in (["auto", 0.0], ["auto", 0.0, False, False]):
        more = "" if sees_ground(model) else ", --world-coordinates, --json"
        raise InputError(
            f"{model.id} plans on the image itself: expected no --robot-radius, --index, --obstacles, --threshold, "
            f"--unknown{more} or --corner-cutting."
        )
    if len(options.goal) > 1:
        raise InputError(f"{model.id} plans to one goal: expected one --goal, got {len(options.goal)}.")
    if sees_ground(model):
        return plan_on_ground(file, model, options)
    image = read_terrain_image(file)
    rows, cols = (side // CELL for side in image.image.shape)
    print(f"Read {rows} x {cols} cells of {CELL} x {CELL} pixels.", *image.notes)
    start, goal = _end(options.start, "start"), _end(*(options.goal or (None,)), "goal")
    route = navigate_image(model, image.image, start, goal, iterations=options.iterations)
    print(_describe(route, "; traversability is unknown"), planned_with(model, route.iterations))
    summary = {"reached": route.reached, "cost": route.cost}
    if words := write_path(options, route.path, _frame(image), summary):
        print(words)
    view = TerrainView(image.image, route.start, route.goal, route.path, reward=route.reward)
    save_figure(terrain_figure([view]), options.out)
    print(f"Drawn in {options.out}.")
    return REACHED if route.reached else NOT_REACHED


def plan_on_ground(file: Path, model: Model, options: "PlanOptions") -> int:
    """Plan a route on an image of ground, whose costs the model has learned."""
    picture = with_channels(read_picture(file), model.network.channels, str(file))
    rows, cols = cells_of(model, picture)
    pixels = model.network.pixels
    ends = [_ground_end(options, name, picture, pixels) for name in ("start", "goal")]
    began = time.perf_counter()
    route = navigate_image(model, picture, *ends, iterations=options.iterations)
    seconds = time.perf_counter() - began
    frame = picture.frame.of_cells(pixels)
    learned = None if route.reward is None else -route.reward
    cost = None if learned is None else path_cost(learned, route.path)
    summary = {"reached": route.reached, "length": route.cost, "cost": cost}
    path_words = write_path(options, route.path, frame, summary)
    code = REACHED if route.reached else NOT_REACHED
    if options.json:
        print_json(summary | {"seconds": seconds})
        return code
    cells = "" if pixels == 1 else f" of {pixels} x {pixels} pixels"
    print(f"Read {rows} x {cols} cells{cells} with {model.network.channels} channels.")
    learned_cost = "" if summary["cost"] is None else f" and learned cost {summary['cost']:.1f}"
    print(_describe(route, learned_cost), planned_with(model, None))
    if path_words:
        print(path_words)
    shown = picture.values[:, : rows * pixels, : cols * pixels]
    view = GroundView(colours_of(shown), route.path, learned=learned, goal=route.goal, pixels=pixels)
    save_figure(ground_figure([view]), options.out)
    print(f"Drawn in {options.out}.")
    return code


def _ground_end(options: "PlanOptions", name: str, picture: Picture, pixels: int) -> tuple[int, int]:
    text = options.start if name == "start" else next(iter(options.goal), None)
    if text is None:
        raise InputError(f"expected --{name} {'X,Y' if options.world_coordinates else 'ROW,COL'}, got none.")
    if not options.world_coordinates:
        return parse_cell(text, name)
    if picture.frame.unit == "cells":
        raise InputError(
            "--world-coordinates: expected a GeoTIFF with a transform, got an image without one."
        )
    try:
        x, y = (float(part) for part in text.split(","))
    except ValueError:
        raise InputError(f"--{name}: expected X,Y, got '{text}'.") from None
    row, col = picture.frame.to_cell(x, y)
    return row // pixels, col // pixels


def _end(text: str | None, name: str) -> tuple[int, int]:
    if text is None:
        raise InputError(f"expected --{name} ROW,COL, in cells of {CELL} x {CELL} pixels, got none.")
    return parse_cell(text, name)


def _describe(route: ImageRoute, more: str) -> str:
    """One sentence, which says more about a route that arrives."""
    steps = steps_of(route.path)
    if not route.reached:
        return f"Goal not reached: the path ends after {steps}."
    return f"Reached in {steps} of length {route.cost:.2f}{more}."


def _frame(image: TerrainImage) -> Frame:
    """The centres of cells in the coordinates of the image's map."""
    there = image.transform
    if there is None:
        return CELLS
    down, along = CELL * there.e, CELL * there.a
    unit = "degrees" if image.crs.is_geographic else "m"
    west, north = there.c + along / 2, there.f + down / 2
    return Frame(along, 0.0, west, 0.0, down, north, unit=unit, crs=image.crs.to_string())
