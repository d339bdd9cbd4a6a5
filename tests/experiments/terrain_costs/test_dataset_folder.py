"""Datasets as a folder: images of several kinds, tables of paths, and a sentence for each problem."""

import json

import numpy as np
import pytest

from helpers.path_datasets import csv_of, folder
from vinlab.experiments.terrain_costs.dataset.read import read_dataset
from vinlab.experiments.terrain_costs.dataset.record import ReadingOptions
from vinlab.maps import path_files
from vinlab.types import InputError

COLOUR = np.random.default_rng(0).integers(0, 255, (8, 9, 3), dtype=np.uint8)
WAY = [(0, 0), (1, 1), (2, 2)]


def test_images_of_other_kinds_and_a_broken_one_are_named_and_nothing_else_is_lost(tmp_path):
    clear = np.dstack([COLOUR, np.full((8, 9), 255, np.uint8)])
    clear[7, 8, 3] = 0
    deep = np.full((12, 10), 30_000, np.uint16)
    images = {"a.png": COLOUR, "b.png": COLOUR, "clear.png": clear, "deep.png": deep}
    names = [*images, "broken.png", "gone.png"]
    table = csv_of({(name, str(number)): WAY for name in names for number in range(2)})
    data = folder(tmp_path / "data", images, table)
    (data / "broken.png").write_bytes((data / "a.png").read_bytes()[:120])
    dataset = read_dataset(data)
    assert (len(dataset.images), len(dataset), dataset.channels) == (4, 8, 3)
    assert sorted(dataset.shapes) == [(8, 9), (8, 9), (8, 9), (12, 10)]
    notes = "\n".join(dataset.notes)
    assert "Left out: " in notes
    assert "broken.png: expected a complete PNG image, got one with a damaged or missing part." in notes
    assert "gone.png" in notes
    assert "deep.png is grey and was taken as colour, as most are." in notes
    assert "clear.png: 1.4% of its cells are transparent or without data and count as blocked." in notes
    assert "4 of 12 paths lie on images that cannot be used and were left out." in notes
    assert dataset.images[3].max() == pytest.approx(30_000 / 65_535)


def test_json_names_cells_too(tmp_path):
    table = json.dumps([{"image": "a.png", "cells": WAY}, {"image": "b.png", "cells": [[0, 0], [0, 3]]}])
    dataset = read_dataset(folder(tmp_path / "data", {"a.png": COLOUR, "b.png": COLOUR}, table, "paths.json"))
    assert [len(path) for path in dataset.paths] == [3, 4]


def test_world_coordinates_need_a_transform(tmp_path):
    table = csv_of({("a.png", "0"): [(1.0, 2.0), (2.0, 2.0)]}, columns="x,y")
    data = folder(tmp_path / "data", {"a.png": COLOUR}, table)
    with pytest.raises(InputError, match=r"path 0 on a\.png: expected a GeoTIFF with a transform"):
        read_dataset(data)


def test_world_coordinates_become_cells_of_a_geotiff(tmp_path):
    rasterio = pytest.importorskip("rasterio", reason="GeoTIFF is an extra")
    (tmp_path / "data").mkdir()
    transform = rasterio.transform.from_origin(1000.0, 500.0, 2.0, 2.0)
    kind = {"driver": "GTiff", "height": 6, "width": 8, "count": 4, "dtype": "uint8", "crs": "EPSG:32633"}
    for name in ("a.tif", "b.tif"):
        with rasterio.open(tmp_path / "data" / name, "w", transform=transform, **kind) as raster:
            raster.write(np.random.default_rng(0).integers(0, 255, (4, 6, 8), dtype=np.uint8))
    points = {
        ("a.tif", "0"): [(1001.0, 499.0), (1005.0, 495.0)],
        ("b.tif", "1"): [(1001.0, 499.0), (1003.0, 499.0)],
    }
    (tmp_path / "data" / "paths.csv").write_text(csv_of(points, columns="x,y"))
    dataset = read_dataset(tmp_path / "data")
    assert dataset.channels == 4
    assert dataset.paths[0].tolist() == [[0, 0], [1, 1], [2, 2]]


BAD_TABLES = {
    "missing columns": ("image,row\na.png,1\n", "got a table without path, col"),
    "not a number": ("image,path,row,col\na.png,0,x,1\n", "line 2: expected a number as row, got 'x'"),
    "half a cell": (
        "image,path,row,col\na.png,0,0.5,1\na.png,0,1,1\n",
        "expected whole numbers as row and col",
    ),
    "too far": (
        "image,path,row,col\na.png,0,1e300,1\na.png,0,1,1\n",
        r"expected whole numbers as row and col, got \[1e\+300, 1",
    ),
    "outside": (csv_of({("a.png", "7"): [(0, 0), (8, 0)]}), r"path 7 on a\.png: expected cells of the 8 x 9"),
    "no lines": ("image,path,row,col\n", "expected at least one path, got none"),
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_a_table_that_cannot_be_used_is_one_sentence(case, tmp_path):
    table, sentence = BAD_TABLES[case]
    with pytest.raises(InputError, match=sentence) as error:
        read_dataset(folder(tmp_path / "data", {"a.png": COLOUR}, table))
    assert "paths.csv" in str(error.value)


def test_a_folder_needs_one_table_and_an_image_that_can_be_read(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"expected one table of paths, paths\.csv or paths\.json, got none"):
        read_dataset(tmp_path / "empty")
    with pytest.raises(InputError, match="expected an image that can be read, got none"):
        read_dataset(folder(tmp_path / "data", {}, csv_of({("a.png", "0"): WAY})))


def test_an_image_with_other_channels_is_left_out_by_name(tmp_path):
    rasterio = pytest.importorskip("rasterio", reason="GeoTIFF is an extra")
    table = csv_of({(name, "0"): WAY for name in ("a.png", "b.png", "c.tif")})
    data = folder(tmp_path / "data", {"a.png": COLOUR, "b.png": COLOUR}, table)
    kind = {"driver": "GTiff", "height": 6, "width": 8, "count": 5, "dtype": "uint8"}
    with rasterio.open(data / "c.tif", "w", **kind) as raster:
        raster.write(np.zeros((5, 6, 8), np.uint8))
    dataset = read_dataset(data)
    assert len(dataset.images) == 2
    assert "Left out: c.tif: expected 3 channels, got 5." in dataset.notes


def test_a_column_names_the_split(tmp_path):
    lines = [
        f"{name},0,{part},{row},{col}" for name, part in (("a.png", "x"), ("b.png", "y")) for row, col in WAY
    ]
    table = "image,path,site,row,col\n" + "\n".join(lines)
    data = folder(tmp_path / "data", {"a.png": COLOUR, "b.png": COLOUR}, table)
    assert read_dataset(data, ReadingOptions(split_by="site")).groups == ("x", "y")
    with pytest.raises(InputError, match="expected a column place to split by, got none"):
        read_dataset(data, ReadingOptions(split_by="place"))


def test_cells_of_several_pixels(tmp_path):
    data = folder(tmp_path / "data", {"a.png": COLOUR}, csv_of({("a.png", "0"): [(0, 0), (3, 3)]}))
    dataset = read_dataset(data, ReadingOptions(pixels=2))
    assert dataset.shapes == [(4, 4)]
    assert dataset.images[0].shape == (3, 8, 8)
    with pytest.raises(InputError, match="expected at least 2 x 2 cells of 5 x 5 pixels, got 8 x 9 pixels"):
        read_dataset(data, ReadingOptions(pixels=5))


def test_a_png_with_one_changed_byte_of_its_pixels_is_left_out(tmp_path):
    images = dict.fromkeys(("a.png", "b.png", "c.png"), COLOUR)
    data = folder(tmp_path / "data", images, csv_of({(name, "0"): WAY for name in images}))
    content = bytearray((data / "b.png").read_bytes())
    place = content.index(b"IDAT") + 4 + 8 * (len(content) - content.index(b"IDAT")) // 10
    content[place] ^= 1
    (data / "b.png").write_bytes(content)
    assert read_dataset(data).files == ("a.png", "c.png")


TABLES = {
    "endless field": ("paths.csv", "image,path,row,col\na.png,0,0," + "9" * 200_000, "line 2: expected a line"),
    "endless digits": ("paths.json", '[{"image": "a.png", "cells": [[0, 1' + "0" * 400 + "]]}]", "at most 300 digits"),
    "deep": ("paths.json", "[" * 100_000, "nested levels"),
    "no number": ("paths.json", '[{"image": "a.png", "cells": [[NaN, 1], [1, 1]]}]', "expected standard JSON, got NaN"),
    "commas for points": ("paths.csv", "image,path,row,col\na.png,0,0,0\na.png,0,1,0,1,0", "expected 4 fields, got 6"),
    "an underscore": ("paths.csv", "image,path,row,col\na.png,0,0,0\na.png,0,1_0,1", "as row, got '1_0'"),
    "texts": ("paths.json", '[{"image": "a.png", "cells": [["0", "0"], ["1", "1"]]}]', "expected cells as"),
    "truths": ("paths.json", '[{"image": "a.png", "cells": [[false, false], [true, true]]}]', "expected cells as"),
    "a field twice": ("paths.json", '[{"image": "a.png", "image": "b.png"}]', "each field once"),
}  # fmt: skip


@pytest.mark.parametrize("case", TABLES)
def test_hostile_tables_are_one_sentence(case, tmp_path):
    name, table, sentence = TABLES[case]
    with pytest.raises(InputError, match=sentence):
        read_dataset(folder(tmp_path / "data", {"a.png": COLOUR}, table, name))


@pytest.mark.parametrize(
    ("head", "sentence"),
    [
        ("image,path,row,col,row", "expected each column once, got 'row' twice"),
        ("image,path,row,col" + ",x" * 97, "expected at most 100 columns, got 101"),
    ],
)
def test_columns_are_few_and_each_stands_once(tmp_path, head, sentence):
    data = folder(tmp_path / "data", {"a.png": COLOUR}, f"{head}\na.png,0,0,0\na.png,0,1,1\n")
    with pytest.raises(InputError, match=sentence):
        read_dataset(data)


@pytest.mark.parametrize("name", ["paths.csv", "paths.json"])
def test_tables_of_too_many_paths_are_refused(tmp_path, monkeypatch, name):
    table = csv_of({("a.png", str(number)): WAY for number in range(3)})
    if name == "paths.json":
        table = json.dumps([{"image": "a.png", "cells": WAY}] * 3)
    data = folder(tmp_path / "data", {"a.png": COLOUR}, table, name)
    monkeypatch.setattr(path_files, "MOST_PATHS", 3)
    assert len(read_dataset(data)) == 3
    monkeypatch.setattr(path_files, "MOST_PATHS", 2)
    with pytest.raises(InputError, match="expected at most 2 paths, got more"):
        read_dataset(data)


def test_short_lines_lack_their_last_columns(tmp_path):
    table = "image,path,row,col,place\na.png,0,0,0\na.png,0,1,1,north\n"
    dataset = read_dataset(folder(tmp_path / "data", {"a.png": COLOUR}, table))
    assert dataset.paths[0].tolist() == [[0, 0], [1, 1]]


def test_a_comma_behind_the_last_field_is_no_field(tmp_path):
    table = "image,path,row,col\na.png,0,0,0,\na.png,0,1,1, ,\n"
    dataset = read_dataset(folder(tmp_path / "data", {"a.png": COLOUR}, table))
    assert dataset.paths[0].tolist() == [[0, 0], [1, 1]]
