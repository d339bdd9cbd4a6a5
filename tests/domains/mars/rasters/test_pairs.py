"""Image and elevation are brought onto one grid, whatever their formats; faults are one sentence."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rasterio")

from helpers.raster_files import MARS, PDS_NULL, RADIUS, write_pds, write_raster
from vinlab.domains.mars.rasters import pairs
from vinlab.domains.mars.rasters.folders import read_mars_folder
from vinlab.domains.mars.rasters.pairs import TerrainFiles, read_terrain, terrain_tiles
from vinlab.types import InputError

LATITUDE = 18.5
NORTH = RADIUS * np.radians(LATITUDE)
WEST = 4.5e6


def noise(height, width, seed=0):
    return np.random.default_rng(seed).integers(1, 256, (height, width), dtype=np.uint8)


def plane(height, width, pixel, degrees=12.0):
    """Terrain that rises to the east by this angle at our latitude."""
    true = pixel * np.cos(np.radians(LATITUDE))
    return np.tile(np.tan(np.radians(degrees)) * true * np.arange(width, dtype=np.float32), (height, 1))


def placed(path, values, **more):
    return write_raster(path, values, **{"west": WEST, "north": NORTH, **more})


def test_true_distances_enter_the_slope(tmp_path):
    files = TerrainFiles(
        placed(tmp_path / "image.tif", noise(60, 60)), placed(tmp_path / "dtm.tif", plane(60, 60, 1.0))
    )
    terrain = read_terrain(files)
    assert np.abs(terrain.slope - 12.0).max() < 0.05
    assert np.array_equal(terrain.image, noise(60, 60))
    assert "1 m north-south and 0.948 m east-west" in " ".join(terrain.notes)


def test_a_pds_image_with_attached_label_is_read_with_its_missing_data(tmp_path):
    heights = plane(50, 70, 2.0)
    heights[10:13, 20:25] = PDS_NULL
    dtm = write_pds(
        tmp_path / "DTEED_017875_2305_018007_2305_A01.IMG", heights, west=WEST, north=NORTH, pixel=2.0
    )
    image = noise(40, 50)
    image[0, :3] = 0
    ortho = placed(
        tmp_path / "ESP_017875_2305_RED_D_01_ORTHO.JP2", image, west=WEST + 10, north=NORTH - 6, pixel=2.0,
        driver="JP2OpenJPEG", QUALITY=100, REVERSIBLE="YES",
    )  # fmt: skip
    terrain = read_mars_folder(tmp_path)[0]
    unknown = np.zeros((50, 70), bool)
    unknown[9:14, 20:25] = unknown[10:13, 19:26] = True
    unknown = unknown[3:43, 5:55]
    unknown[0, :3] = True
    assert ortho.is_file()
    assert dtm.is_file()
    assert np.array_equal(terrain.image, image)
    assert np.array_equal(~terrain.known, unknown)
    assert np.abs(terrain.slope[~unknown] - 12.0).max() < 0.05
    assert any("orthoimage of HiRISE: 0 is no data" in note for note in terrain.notes)


def test_a_finer_image_has_the_slopes_of_the_posts_below(tmp_path):
    heights = np.random.default_rng(1).normal(size=(20, 30)).astype(np.float32)
    dtm = placed(tmp_path / "dtm.tif", heights, pixel=4.0)
    coarse = read_terrain(TerrainFiles(placed(tmp_path / "same.tif", noise(20, 30), pixel=4.0), dtm))
    fine = read_terrain(TerrainFiles(placed(tmp_path / "fine.tif", noise(80, 120), pixel=1.0), dtm))
    assert np.array_equal(fine.slope, np.kron(coarse.slope, np.ones((4, 4), np.float32)))


def test_a_finer_elevation_is_averaged_before_the_slope_is_taken(tmp_path):
    heights = plane(80, 120, 1.0)
    heights[40:44, 80:84] = np.nan
    dtm = placed(tmp_path / "dtm.tif", heights, pixel=1.0, nodata=np.nan)
    terrain = read_terrain(TerrainFiles(placed(tmp_path / "image.tif", noise(20, 30), pixel=4.0), dtm))
    unknown = np.zeros((20, 30), bool)
    unknown[9:12, 20] = unknown[10, 19:22] = True
    assert np.array_equal(~terrain.known, unknown)
    assert np.abs(terrain.slope[~unknown] - 12.0).max() < 0.05


def test_finer_posts_of_unmarked_missing_data_do_not_bleed_either(tmp_path):
    heights = plane(80, 120, 1.0)
    heights[40, 80] = PDS_NULL
    dtm = placed(tmp_path / "dtm.tif", heights, pixel=1.0)
    terrain = read_terrain(TerrainFiles(placed(tmp_path / "image.tif", noise(20, 30), pixel=4.0), dtm))
    assert 3 <= (~terrain.known).sum() <= 5
    assert np.abs(terrain.slope[terrain.known] - 12.0).max() < 0.05


def test_only_the_terrain_that_both_show_is_read(tmp_path):
    image = noise(40, 40)
    files = TerrainFiles(
        placed(tmp_path / "image.tif", image),
        placed(tmp_path / "dtm.tif", plane(40, 40, 1.0), west=WEST + 10, north=NORTH + 5),
    )
    assert np.array_equal(read_terrain(files).image, image[:35, 10:])


def test_a_coarser_pixel_can_be_asked_for(tmp_path):
    image = noise(40, 60)
    files = TerrainFiles(
        placed(tmp_path / "image.tif", image),
        placed(tmp_path / "dtm.tif", plane(40, 60, 1.0)),
        pixel_size=2.0,
    )
    terrain = read_terrain(files)
    mean = image.reshape(20, 2, 30, 2).mean(axis=(1, 3))
    assert np.abs(terrain.image - mean).max() <= 1
    assert np.abs(terrain.slope - 12.0).max() < 0.05


@pytest.mark.parametrize("georeferenced", [True, False])
def test_pixels_without_data_do_not_darken_those_that_they_are_averaged_with(tmp_path, georeferenced):
    image = np.full((40, 60), 100, np.uint8)
    image[:5, :5] = 0
    place = {} if georeferenced else {"crs": None}
    files = TerrainFiles(
        placed(tmp_path / "image.tif", image, **place),
        placed(tmp_path / "dtm.tif", plane(40, 60, 1.0), **place),
        post_spacing=(1.0, 0.948),
        pixel_size=4.0,
        nodata=0.0,
    )
    terrain = read_terrain(files)
    assert np.argwhere(~terrain.known).tolist() == [[0, 0]]
    assert (terrain.image[terrain.known] == 100).all()


def test_rasters_on_different_maps_meet(tmp_path):
    from rasterio.crs import CRS

    shrunk = np.cos(np.radians(LATITUDE))
    scaled = CRS.from_proj4(f"+proj=eqc +lat_ts={LATITUDE} +R={RADIUS:.0f} +units=m +no_defs")
    dtm = write_raster(
        tmp_path / "dtm.tif", plane(60, 60, 1.0), crs=scaled, west=WEST * shrunk, north=NORTH, pixel=1.0
    )
    terrain = read_terrain(TerrainFiles(placed(tmp_path / "image.tif", noise(40, 40)), dtm))
    inner = terrain.slope[5:-5, 5:-5]
    true = np.degrees(np.arctan(np.tan(np.radians(12.0)) * shrunk))  # its posts are a true metre apart
    assert np.abs(inner - true).max() < 0.05


def test_images_without_coordinates_cover_the_same_terrain(tmp_path):
    image = write_raster(tmp_path / "a_image.png", noise(80, 120), crs=None, driver="PNG")
    dtm = write_raster(tmp_path / "a_dtm.tif", plane(20, 30, 1.0), crs=None)
    files = TerrainFiles(image, dtm, post_spacing=(1.0, float(np.cos(np.radians(LATITUDE)))))
    terrain = read_terrain(files)
    assert np.abs(terrain.slope - 12.0).max() < 0.05
    assert any("same terrain, corner to corner" in note for note in terrain.notes)


def test_a_slope_map_of_whole_numbers_has_a_step(tmp_path):
    numbers = np.arange(60, dtype=np.uint8).reshape(6, 10)
    image = write_raster(tmp_path / "image.png", noise(6, 10), crs=None, driver="PNG")
    slope = write_raster(tmp_path / "slope.png", numbers, crs=None, driver="PNG")
    assert np.allclose(read_terrain(TerrainFiles(image, slope=slope, slope_step=0.2)).slope, 0.2 * numbers)
    with pytest.raises(
        InputError,
        match=r"slope\.png: expected slopes in degrees, or the degrees of a step .* got whole numbers",
    ):
        read_terrain(TerrainFiles(image, slope=slope))
    with pytest.raises(InputError, match=r"expected slopes between 0 and 90 degrees, got 0 to 118 degrees"):
        read_terrain(TerrainFiles(image, slope=slope, slope_step=2.0))


def test_tiles_hold_the_same_as_the_whole(tmp_path):
    heights = np.random.default_rng(2).normal(size=(50, 70)).astype(np.float32)
    files = TerrainFiles(
        placed(tmp_path / "image.tif", noise(100, 140), pixel=1.0),
        placed(tmp_path / "dtm.tif", heights, pixel=2.0),
    )
    whole, tiles = read_terrain(files), list(terrain_tiles(files, side=64))
    assert [tile.image.shape for tile in tiles] == [
        (64, 64),
        (64, 64),
        (64, 12),
        (36, 64),
        (36, 64),
        (36, 12),
    ]
    assert np.array_equal(tiles[4].slope, whole.slope[64:, 64:128])
    assert np.array_equal(tiles[1].image, whole.image[:64, 64:128])


def test_sixteen_bits_become_eight_with_a_note(tmp_path):
    deep = np.linspace(100, 1100, 3600).reshape(60, 60).astype(np.uint16)
    files = TerrainFiles(
        placed(tmp_path / "image.tif", deep), placed(tmp_path / "dtm.tif", plane(60, 60, 1.0))
    )
    terrain = read_terrain(files)
    assert (terrain.image[0, 0], terrain.image[-1, -1]) == (0, 255)
    assert np.all(np.diff(terrain.image.ravel().astype(int)) >= 0)
    assert any("values of type uint16" in note for note in terrain.notes)


def test_a_colour_image_becomes_grey_with_a_note(tmp_path):
    colours = np.stack([np.full((20, 20), shade, np.uint8) for shade in (30, 60, 120)])
    files = TerrainFiles(
        placed(tmp_path / "image.tif", colours), placed(tmp_path / "dtm.tif", plane(20, 20, 1.0))
    )
    terrain = read_terrain(files)
    assert (terrain.image == 70).all()
    assert any("has 3 bands; the mean of the first three" in note for note in terrain.notes)


def test_a_palette_is_refused(tmp_path):
    path = tmp_path / "image.tif"
    import rasterio

    placed(path, noise(20, 20), photometric="palette")
    with rasterio.open(path, "r+") as file:
        file.write_colormap(1, {value: (value, 0, 0, 255) for value in range(256)})
    with pytest.raises(InputError, match="expected a grey image, got one with a palette of colours"):
        read_terrain(TerrainFiles(path, placed(tmp_path / "dtm.tif", plane(20, 20, 1.0))))


def test_rasters_that_do_not_overlap_are_refused(tmp_path):
    files = TerrainFiles(
        placed(tmp_path / "image.tif", noise(20, 20)),
        placed(tmp_path / "dtm.tif", plane(20, 20, 1.0), west=WEST + 500),
    )
    with pytest.raises(
        InputError,
        match=r"expected rasters that overlap, got image\.tif over x 4500000 to .* and dtm\.tif over",
    ):
        read_terrain(files)


def test_an_elevation_without_spacing_is_refused(tmp_path):
    image = write_raster(tmp_path / "image.png", noise(20, 30), crs=None, driver="PNG")
    dtm = write_raster(tmp_path / "dtm.tif", plane(20, 30, 1.0), crs=None)
    with pytest.raises(
        InputError, match=r"dtm\.tif: expected coordinates, or a post spacing in metres .* got neither"
    ):
        read_terrain(TerrainFiles(image, dtm))


def test_images_whose_sides_do_not_fit_are_refused(tmp_path):
    image = write_raster(tmp_path / "image.png", noise(20, 40), crs=None, driver="PNG")
    dtm = write_raster(tmp_path / "dtm.tif", plane(20, 30, 1.0), crs=None)
    with pytest.raises(
        InputError, match=r"expected rasters with coordinates or with the same proportions, got image\.png"
    ):
        read_terrain(TerrainFiles(image, dtm, post_spacing=(1.0,)))


def test_terrain_without_any_data_is_refused(tmp_path):
    empty = np.full((20, 20), PDS_NULL)
    files = TerrainFiles(placed(tmp_path / "image.tif", noise(20, 20)), placed(tmp_path / "dtm.tif", empty))
    for read in (read_terrain, lambda files: list(terrain_tiles(files))):
        with pytest.raises(
            InputError, match=r"image.*: expected pixels with both an image and a slope, got none"
        ):
            read(files)


def test_too_large_rasters_are_read_in_tiles_only(tmp_path, monkeypatch):
    monkeypatch.setattr(pairs, "MOST_PIXELS", 300)
    files = TerrainFiles(
        placed(tmp_path / "image.tif", noise(20, 20)), placed(tmp_path / "dtm.tif", plane(20, 20, 1.0))
    )
    with pytest.raises(InputError, match="expected at most 300 pixels to read at once, got 20 x 20"):
        read_terrain(files)
    assert len(list(terrain_tiles(files, side=10))) == 4


@pytest.mark.parametrize("kind", ["tif", "png", "img", "jp2"])
def test_a_truncated_file_is_refused_in_one_sentence(tmp_path, kind):
    values = plane(200, 200, 1.0)
    path: Path = tmp_path / f"dtm.{kind}"
    if kind == "img":
        write_pds(path, values, west=WEST, north=NORTH, pixel=1.0)
    elif kind == "tif":
        placed(path, values)
    else:
        driver = {"png": "PNG", "jp2": "JP2OpenJPEG"}[kind]
        placed(path, noise(200, 200), driver=driver, crs=MARS if kind == "jp2" else None)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    image = placed(tmp_path / "image.tif", noise(200, 200))
    with pytest.raises(InputError, match=rf"dtm\.{kind} cannot be read; it is damaged, cut off") as error:
        read_terrain(TerrainFiles(image, path, post_spacing=(1.0,)))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("content", [b"", b"hello, this is no raster", b"\x89PNG\r\n", b"II*\0"])
def test_strange_files_are_refused_in_one_sentence(tmp_path, content):
    (tmp_path / "image.tif").write_bytes(content)
    dtm = placed(tmp_path / "dtm.tif", plane(20, 20, 1.0))
    with pytest.raises(InputError, match=r"image\.tif( cannot be read|: expected GeoTIFF, PNG)"):
        read_terrain(TerrainFiles(tmp_path / "image.tif", dtm))


def test_either_an_elevation_or_a_slope_is_wanted(tmp_path):
    with pytest.raises(
        InputError, match="expected either an elevation or a slope beside the image, got neither"
    ):
        TerrainFiles(tmp_path / "image.tif")
    with pytest.raises(InputError, match="got both"):
        TerrainFiles(tmp_path / "image.tif", tmp_path / "dtm.tif", tmp_path / "slope.tif")


def test_spacing_goes_with_an_elevation_and_a_step_with_a_slope(tmp_path):
    image, other = tmp_path / "image.tif", tmp_path / "other.tif"
    with pytest.raises(InputError, match="expected a post spacing with an elevation only"):
        TerrainFiles(image, slope=other, post_spacing=(1.0,))
    with pytest.raises(InputError, match="expected a slope step with a slope only"):
        TerrainFiles(image, other, slope_step=0.2)
    with pytest.raises(InputError, match=r"expected a positive post spacing or slope step, got 0\.0"):
        TerrainFiles(image, slope=other, slope_step=0.0)
