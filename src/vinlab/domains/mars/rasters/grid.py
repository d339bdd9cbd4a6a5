"""How steep the ground is: elevation, and how far apart its posts truly are."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Float32, Float64

from vinlab.types import InputError

EARTH = 6378137.0
"""Radius in metres where a reference system names a figure of the Earth instead of a radius."""
SPAN = 32
"""Distances are measured over so many posts to each side."""
NO_ELEVATION = 1e30
"""Larger numbers are marks of missing data, whatever the file says about them."""


@dataclass(frozen=True)
class Spacing:
    """Metres on the ground between neighbouring posts, for each row: down the rows, and along them."""

    down: Float64[np.ndarray, " h"]
    along: Float64[np.ndarray, " h"]

    def __str__(self) -> str:
        middle = len(self.down) // 2
        return f"{self.down[middle]:.3g} m north-south and {self.along[middle]:.3g} m east-west"


def even_spacing(rows: int, down: float, along: float) -> Spacing:
    """The same distances in each row."""
    if not (0 < down < np.inf and 0 < along < np.inf):
        raise InputError(f"The scale must be a positive number of metres, but {down:g}, {along:g} came.")
    return Spacing(np.full(rows, float(down)), np.full(rows, float(along)))


def slope_degrees(elevation: Float[np.ndarray, "h w"], spacing: Spacing) -> Float32[np.ndarray, "h w"]:
    """The slope at each post by central differences, at the border by one-sided ones.

    Posts without data, and those whose difference would need one, have no slope.
    """
    heights = np.where(np.abs(elevation) < NO_ELEVATION, elevation, np.nan).astype(np.float64)
    if min(heights.shape) < 2:
        raise InputError(
            f"A slope needs at least 2 x 2 posts, but {heights.shape[0]} x {heights.shape[1]} came."
        )
    down, along = np.gradient(heights)
    steepness = np.hypot(down / spacing.down[:, None], along / spacing.along[:, None])
    # A central difference does not look at the post itself.
    steepness[np.isnan(heights)] = np.nan
    return np.degrees(np.arctan(steepness)).astype(np.float32)


def true_spacing(transform: Any, crs: Any, rows: np.ndarray, width: int) -> Spacing:
    """The distances on the ground of a raster's posts, measured on the sphere at the given rows.

    On an equirectangular map the posts of a row are closer than the map says, by the cosine of the latitude.
    """
    system = crs.to_dict()
    radius = float(system.get("R", system.get("a", EARTH)))
    sampled = np.linspace(rows[0], rows[-1], min(len(rows), 65)) + 0.5
    middle = np.full(len(sampled), width / 2)
    down, along = (
        _distance(transform, crs, system, radius, (sampled, middle), step) for step in ((SPAN, 0), (0, SPAN))
    )
    centres = rows + 0.5
    return Spacing(np.interp(centres, sampled, down), np.interp(centres, sampled, along))


def _distance(
    transform: Any, crs: Any, system: dict[str, Any], radius: float, at: Any, step: tuple[int, int]
) -> np.ndarray:
    """Metres for one post in the direction of the step."""
    ends = [
        _longitude_latitude(transform, crs, system, at[0] + sign * step[0], at[1] + sign * step[1])
        for sign in (-1, 1)
    ]
    (lon_1, lat_1), (lon_2, lat_2) = ends
    half = np.sin((lat_2 - lat_1) / 2) ** 2
    half = half + np.cos(lat_1) * np.cos(lat_2) * np.sin((lon_2 - lon_1) / 2) ** 2
    return 2 * radius * np.arcsin(np.sqrt(half)) / (2 * SPAN)


def _longitude_latitude(
    transform: Any, crs: Any, system: dict[str, Any], rows: np.ndarray, cols: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Where pixels lie on the sphere, in radians."""
    from rasterio.crs import CRS
    from rasterio.warp import transform as reproject_points

    figure = {key: system[key] for key in ("R", "a", "b", "rf", "ellps", "datum") if key in system}
    x, y = transform.c + transform.a * cols, transform.f + transform.e * rows
    sphere = CRS.from_dict({"proj": "longlat", **figure, "no_defs": True})
    lon, lat = reproject_points(crs, sphere, x, y)[:2]
    return np.radians(lon), np.radians(lat)
