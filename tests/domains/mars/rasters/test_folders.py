"""Folders of terrain are recognised, and the real ones hold what is known of them."""

import csv

import numpy as np
import pytest
from PIL import Image

from vinlab.domains.mars.patches import PatchConfig, Region, blocked_cells, find_patches
from vinlab.domains.mars.rasters.folders import read_mars_folder
from vinlab.domains.mars.splits import disjoint_regions
from vinlab.types import InputError


def write_ctx(folder, height=16, width=24):
    numbers = np.arange(height * width, dtype=np.uint64).reshape(height, width) % 200
    valid = np.ones((height, width), bool)
    valid[0] = False
    for name, array in (
        ("image", numbers.astype(np.uint8)),
        ("slope_dn", numbers.astype(np.uint8)),
        ("valid", valid),
    ):
        Image.fromarray(array).save(folder / f"{name}.png")
    return numbers, valid


def test_a_ctx_folder_has_slopes_where_its_mask_is_true(tmp_path):
    numbers, valid = write_ctx(tmp_path)
    (terrain,) = read_mars_folder(tmp_path)
    assert np.array_equal(terrain.known, valid)
    assert np.allclose(terrain.slope[valid], 0.2 * numbers[valid])


def test_a_truncated_image_is_refused(tmp_path):
    write_ctx(tmp_path, 100, 100)
    path = tmp_path / "slope_dn.png"
    path.write_bytes(path.read_bytes()[:80])
    with pytest.raises(InputError, match=r"slope_dn\.png cannot be read; it is damaged, cut off"):
        read_mars_folder(tmp_path)


def test_other_folders_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"expected image\.png, slope_dn\.png, valid\.png, or pairs such as"):
        read_mars_folder(tmp_path)
    with pytest.raises(InputError, match=r"expected a folder of terrain, got .*nowhere"):
        read_mars_folder(tmp_path / "nowhere")


def test_elevations_without_coordinates_have_the_posts_of_their_neighbours(tmp_path):
    pytest.importorskip("rasterio")
    from helpers.raster_files import write_raster

    heights = np.tile(np.arange(20, dtype=np.float32), (20, 1))
    for name, crs in (("a", False), ("b", True)):
        write_raster(tmp_path / f"{name}_image.png", np.ones((20, 20), np.uint8), crs=None, driver="PNG")
        place = {} if crs else {"crs": None}
        write_raster(tmp_path / f"{name}_dtm.tif", heights, pixel=3.0, **place)
    first, second = read_mars_folder(tmp_path)
    assert np.allclose(first.slope, second.slope, atol=1e-3)
    assert any("3 m x 3 m apart, as given" in note for note in first.notes)


def test_the_ctx_strip_is_as_its_readme_says(real_data):
    (terrain,) = read_mars_folder(real_data / "mars" / "jezero_ctx")
    assert terrain.known.sum() == 1_716_193
    percentiles = np.percentile(terrain.slope[terrain.known], [10, 25, 50, 75, 90, 95, 99])
    assert np.allclose(percentiles, [1.2, 2.0, 3.8, 6.8, 11.6, 15.6, 23.4], atol=0.051)
    height, width = (side // 8 * 8 for side in terrain.slope.shape)
    slope = terrain.slope[:height, :width]
    known = np.isfinite(slope).reshape(height // 8, 8, width // 8, 8).all(axis=(1, 3))
    blocked = blocked_cells(slope[None], cell=8, threshold=10.0)[0]
    assert known.sum() == 26_418
    assert round(100 * blocked[known].mean(), 1) == 37.7
    counts = find_patches(terrain, Region(0, 0, 0, *terrain.image.shape), PatchConfig(), 8)[1]
    assert counts.positions - counts.unknown == 20_040
    regions = disjoint_regions([terrain], PatchConfig())
    rows = {name: [(one.top, one.bottom) for one in own] for name, own in regions.items()}
    assert rows == {"train": [(0, 1472)], "validation": [(1472, 1728)], "test": [(1856, 2561)]}


def test_the_hirise_scenes_are_as_steep_as_their_table_says(real_data):
    pytest.importorskip("rasterio")
    folder = real_data / "mars" / "jezero_hirise"
    with (folder / "sites.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    terrains = read_mars_folder(folder)
    assert len(terrains) == len(rows) == 21
    for terrain, row in zip(terrains, rows, strict=True):
        assert terrain.known.all()
        assert abs((terrain.slope >= 10).mean() - float(row["frac_ge10"])) < 0.001
        blocked = blocked_cells(terrain.slope[None], cell=8, threshold=10.0)
        assert abs(blocked.mean() - float(row["obst_cell2m"])) < 0.001
