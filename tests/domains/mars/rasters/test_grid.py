"""Posts are as far apart as on the sphere, at any latitude."""

import numpy as np
import pytest

from vinlab.domains.mars.rasters.grid import even_spacing, true_spacing
from vinlab.types import InputError


@pytest.mark.parametrize(("latitude", "standard"), [(0.0, 0.0), (18.5, 0.0), (50.0, 45.0), (-60.0, 0.0)])
def test_posts_of_an_equirectangular_map_are_closer_by_the_cosine_of_the_latitude(latitude, standard):
    pytest.importorskip("rasterio")
    from rasterio.crs import CRS
    from rasterio.transform import from_origin

    radius = 3396190.0
    crs = CRS.from_proj4(f"+proj=eqc +lat_ts={standard} +R={radius:.0f} +units=m +no_defs")
    north = radius * np.radians(latitude)
    spacing = true_spacing(from_origin(1e6, north, 2.0, 2.0), crs, np.arange(100), 80)
    shrunk = np.cos(np.radians(latitude)) / np.cos(np.radians(standard))
    assert np.allclose(spacing.down, 2.0, rtol=1e-6)
    assert np.allclose(spacing.along, 2.0 * shrunk, rtol=2e-4)


def test_posts_of_a_map_in_degrees_are_measured_in_metres():
    pytest.importorskip("rasterio")
    from rasterio.crs import CRS
    from rasterio.transform import from_origin

    crs = CRS.from_proj4("+proj=longlat +R=3396190 +no_defs")
    spacing = true_spacing(from_origin(77.0, 60.0, 0.001, 0.001), crs, np.arange(10), 10)
    degree = 3396190.0 * np.pi / 180
    assert np.allclose(spacing.down, 0.001 * degree, rtol=1e-6)
    assert np.allclose(spacing.along, 0.0005 * degree, rtol=1e-3)


def test_a_spacing_must_be_a_length():
    with pytest.raises(InputError, match="expected a positive post spacing in metres, got 0, 1"):
        even_spacing(3, 0.0, 1.0)
