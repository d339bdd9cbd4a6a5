"""Grids of rasters: where their pixels lie, and the true distances between them on the sphere."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float64

from vinlab.domains.mars.rasters.reader import Raster, import_rasterio, system_of
from vinlab.types import InputError

EARTH = 6378137.0
"""Radius in metres where a reference system names a figure of the Earth instead of a radius."""
SPAN = 32
"""Distances are measured over this number of posts to each side."""


@dataclass(frozen=True)
class Spacing:
    """Metres between neighbouring posts, for each row: down the rows, and along them."""

    down: Float64[np.ndarray, " h"]
    along: Float64[np.ndarray, " h"]

    def __str__(self) -> str:
        middle = len(self.down) // 2
        return f"{self.down[middle]:.3g} m north-south and {self.along[middle]:.3g} m east-west"


def even_spacing(rows: int, down: float, along: float) -> Spacing:
    """The same distances in each row."""
    if not (0 < down < np.inf and 0 < along < np.inf):
        raise InputError(f"expected a positive post spacing in metres, got {down:g}, {along:g}.")
    return Spacing(np.full(rows, float(down)), np.full(rows, float(along)))


@dataclass(frozen=True)
class Grid:
    """Rows and columns of pixels with north up, and where they lie."""

    transform: Any
    crs: Any
    """None where only the place relative to another raster is known."""
    height: int
    width: int

    def spacing(self, rows: np.ndarray, unit: tuple[float, float] | None) -> Spacing:
        """Metres between pixels in some rows: by the reference system, or by the metres of a map unit."""
        if unit is None:
            return true_spacing(self.transform, self.crs, rows, self.width)
        return even_spacing(len(rows), unit[0] * abs(self.transform.e), unit[1] * abs(self.transform.a))


def grid_of(raster: Raster) -> Grid:
    """The grid of a raster."""
    return Grid(raster.transform, raster.crs, *raster.shape)


def make_window(left: int | float, top: int | float, width: int | float, height: int | float) -> Any:
    """A window of a raster."""
    return import_rasterio().windows.Window(left, top, width, height)


def bounds_in(own: Grid, target: Grid, window: Any) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a window of the target grid, in pixels of ``own``."""
    rasterio = import_rasterio()
    west, south, east, north = rasterio.windows.bounds(window, target.transform)
    if own.crs != target.crs:
        systems = system_of(target.crs), system_of(own.crs)
        west, south, east, north = rasterio.warp.transform_bounds(*systems, west, south, east, north)
    there = own.transform
    cols = sorted(((west - there.c) / there.a, (east - there.c) / there.a))
    rows = sorted(((south - there.f) / there.e, (north - there.f) / there.e))
    return cols[0], rows[0], cols[1], rows[1]


def true_spacing(transform: Any, crs: Any, rows: np.ndarray, width: int) -> Spacing:
    """The distances between a raster's posts, measured on the sphere at the given rows.

    On an equirectangular map the posts of a row are closer than the map says, by the cosine of the latitude.
    """
    rasterio, system = import_rasterio(), crs.to_dict()
    radius = float(system.get("R", system.get("a", EARTH)))
    figure = {key: system[key] for key in ("R", "a", "b", "rf", "ellps", "datum") if key in system}
    sphere = rasterio.crs.CRS.from_dict({"proj": "longlat", **figure, "no_defs": True})
    sampled = np.linspace(rows[0], rows[-1], min(len(rows), 65)) + 0.5
    middle = np.full(len(sampled), width / 2)

    def longitude_latitude(down: int, along: int) -> tuple[np.ndarray, np.ndarray]:
        """Where the posts that lie so far from the sampled ones are on the sphere, in radians."""
        x, y = transform.c + transform.a * (middle + along), transform.f + transform.e * (sampled + down)
        lon, lat = rasterio.warp.transform(crs, sphere, x, y)[:2]
        return np.radians(lon), np.radians(lat)

    def distance(down: int, along: int) -> np.ndarray:
        """Metres for one post in this direction."""
        (lon_1, lat_1), (lon_2, lat_2) = longitude_latitude(-down, -along), longitude_latitude(down, along)
        half = np.sin((lat_2 - lat_1) / 2) ** 2
        half = half + np.cos(lat_1) * np.cos(lat_2) * np.sin((lon_2 - lon_1) / 2) ** 2
        return 2 * radius * np.arcsin(np.sqrt(half)) / (2 * SPAN)

    centres = rows + 0.5
    ends = distance(SPAN, 0), distance(0, SPAN)
    return Spacing(*(np.interp(centres, sampled, metres) for metres in ends))
