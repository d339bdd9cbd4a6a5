"""``vinlab plan`` with a model that sees an image of terrain."""

from pathlib import Path
from typing import TYPE_CHECKING

from vinlab.cli.output import format_iterations
from vinlab.domains.mars.rasters.image import TerrainImage, read_terrain_image
from vinlab.figures.save import save_figure
from vinlab.figures.terrain import TerrainView, terrain_figure
from vinlab.maps import MapOptions, write_route
from vinlab.maps.transform import CELLS, Frame
from vinlab.models import Model
from vinlab.navigation.images import ImageRoute, navigate_image
from vinlab.navigation.map_files import parse_cell
from vinlab.types import CELL, InputError

if TYPE_CHECKING:
    from vinlab.cli.plan import PlanOptions


def plan_on_image(file: Path, model: Model, options: "PlanOptions") -> None:
    """Plan a route on an image, describe it and write the files; options of maps are refused."""
    others = (options.corner_cutting, options.world_coordinates, options.robot_radius, options.json)
    if options.map_options() != MapOptions() or others != ("auto", False, 0.0, False):
        raise InputError(
            f"{model.id} plans on the image itself: expected no --world-coordinates, --robot-radius, --index, "
            "--obstacles, --threshold, --unknown, --corner-cutting or --json."
        )
    image = read_terrain_image(file)
    rows, cols = (side // CELL for side in image.image.shape)
    print(f"Read {rows} x {cols} cells of {CELL} x {CELL} pixels.", *image.notes)
    if len(options.goal) > 1:
        raise InputError(f"{model.id} plans to one goal: expected one --goal, got {len(options.goal)}.")
    start, goal = _end(options.start, "start"), _end(*(options.goal or (None,)), "goal")
    route = navigate_image(model, image.image, start, goal, iterations=options.iterations)
    depth = format_iterations((rows, cols), route.iterations, model)
    print(_describe(route), f"Planned with {model.id}, {depth}.")
    if options.path_out is not None:
        summary = {"reached": route.reached, "cost": route.cost}
        write_route(options.path_out, route.path, _frame(image), summary)
        print(f"The path is in {options.path_out}.")
    view = TerrainView(image.image, route.start, route.goal, route.path, reward=route.reward)
    save_figure(terrain_figure([view]), options.out)
    print(f"Drawn in {options.out}.")


def _end(text: str | None, name: str) -> tuple[int, int]:
    if text is None:
        raise InputError(f"expected --{name} ROW,COL, in cells of {CELL} x {CELL} pixels, got none.")
    return parse_cell(text, name)


def _describe(route: ImageRoute) -> str:
    steps = len(route.path) - 1
    if not route.reached:
        return f"Goal not reached: the path ends after {steps} steps."
    return f"Reached in {steps} steps of length {route.cost:.2f}; traversability is unknown."


def _frame(image: TerrainImage) -> Frame:
    """The centres of cells in the coordinates of the image's map."""
    there = image.transform
    if there is None:
        return CELLS
    down, along = CELL * there.e, CELL * there.a
    unit = "degrees" if image.crs.is_geographic else "m"
    west, north = there.c + along / 2, there.f + down / 2
    return Frame(along, 0.0, west, 0.0, down, north, unit=unit, crs=image.crs.to_string())
