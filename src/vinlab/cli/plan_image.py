"""What people see of ways over ground that only an image shows."""

from pathlib import Path

from vinlab.cli.output import format_iterations
from vinlab.domains.mars.rasters.image import TerrainImage, read_terrain_image
from vinlab.figures.save import save_figure
from vinlab.figures.terrain import TerrainView, terrain_figure
from vinlab.maps.transform import CELLS, Frame
from vinlab.maps.write_path import write_route
from vinlab.models import Model
from vinlab.navigation.images import ImageRoute, navigate_image
from vinlab.navigation.map_files import parse_cell
from vinlab.networks.terrain.policies import CELL
from vinlab.types import InputError


def plan_image_file(
    file: Path,
    ends: tuple[str | None, str | None],
    model: Model,
    *,
    iterations: int | None,
    out: Path,
    path_file: Path | None,
) -> None:
    """Read an image, find a way over its ground, say how it went, and draw it."""
    picture = read_terrain_image(file)
    rows, cols = (side // CELL for side in picture.image.shape)
    print(f"Read {rows} x {cols} cells of {CELL} x {CELL} pixels.", *picture.notes)
    start, goal = (_end(text, name) for text, name in zip(ends, ("start", "goal"), strict=True))
    found = navigate_image(model, picture.image, start, goal, iterations=iterations)
    print(
        _words(found),
        f"Planned with {model.id}, {format_iterations((rows, cols), found.iterations, model)}.",
    )
    if path_file is not None:
        write_route(path_file, found.path, _frame(picture), {"reached": found.reached, "cost": found.cost})
        print(f"The path is in {path_file}.")
    view = TerrainView(picture.image, found.start, found.goal, found.path, reward=found.reward)
    save_figure(terrain_figure([view], cell=CELL), out)
    print(f"Drawn in {out}.")


def _end(text: str | None, name: str) -> tuple[int, int]:
    if text is None:
        raise InputError(
            f"An image names no {name}; give one with --{name} ROW,COL, in cells of {CELL} x {CELL} pixels."
        )
    return parse_cell(text, name)


def _words(found: ImageRoute) -> str:
    steps = len(found.path) - 1
    if not found.reached:
        return f"The network's way does not come to the goal: it ends after {steps} steps."
    return (
        f"A way of {steps} steps and length {found.cost:.2f}; whether the ground bears it, no image can say."
    )


def _frame(picture: TerrainImage) -> Frame:
    """The middles of cells in the coordinates of the image's map."""
    there = picture.transform
    if there is None:
        return CELLS
    down, along = CELL * there.e, CELL * there.a
    unit = "degrees" if picture.crs.is_geographic else "m"
    west, north = there.c + along / 2, there.f + down / 2
    return Frame(along, 0.0, west, 0.0, down, north, unit=unit, crs=picture.crs.to_string())
