"""Every format gives the cells and the world coordinates that were written into it."""

import json
import math

import numpy as np
import pytest
from PIL import Image

import vinlab
from vinlab.maps import (
    Frame,
    GridMap,
    MapOptions,
    inflate_obstacles,
    map_from_bytes,
    read_map,
    read_scenarios,
    write_route,
)
from vinlab.maps.image import read_image
from vinlab.maps.read import FORMATS
from vinlab.maps.ros import RosMap, parse_yaml
from vinlab.maps.scenarios import _tolerances
from vinlab.types import InputError

BLOCKED = np.array([[0, 0, 1, 0], [0, 1, 1, 0], [0, 0, 0, 0]], dtype=np.uint8)
SHADES = np.where(BLOCKED, 0, 255).astype(np.uint8)


def pgm(shades: np.ndarray) -> bytes:
    height, width = shades.shape
    return b"P5\n# made by a robot\n%d %d\n255\n" % (width, height) + shades.tobytes()


def read(tmp_path, data: bytes, options: MapOptions | None = None, name: str = "file.bin") -> GridMap:
    (tmp_path / name).write_bytes(data)
    return read_map(tmp_path / name, options)


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA", "P", "1", "I;16"])
def test_a_png_is_blocked_where_it_is_dark_in_every_mode(tmp_path, mode):
    deep = Image.fromarray(SHADES.astype(np.uint16) * 257)
    picture = deep if mode == "I;16" else Image.fromarray(SHADES).convert(mode)
    picture.save(tmp_path / "map.png")
    assert np.array_equal(read_map(tmp_path / "map.png").obstacles, BLOCKED)


def test_transparent_pixels_show_white_paper(tmp_path):
    pixels = np.zeros((1, 2, 4), np.uint8)
    pixels[0, 1, 3] = 255
    Image.fromarray(pixels).save(tmp_path / "map.png")
    assert read_map(tmp_path / "map.png").obstacles.tolist() == [[0, 1]]


@pytest.mark.parametrize(
    "data",
    [
        pgm(SHADES),
        b"P2 4 3 255\n" + b" ".join(b"%d" % shade for shade in SHADES.flat),
        b"P5 4 3 65535\n" + (SHADES.astype(">u2") * 257).astype(">u2").tobytes(),
    ],
)
def test_a_pgm_is_read_in_all_its_writings(tmp_path, data):
    assert np.array_equal(read(tmp_path, data).obstacles, BLOCKED)


def test_polarity_and_threshold_are_options_and_are_told(tmp_path):
    shades = np.array([[0, 100, 200]], np.uint8)
    assert read(tmp_path, pgm(shades)).obstacles.tolist() == [[1, 1, 0]]
    assert read(tmp_path, pgm(shades), MapOptions(threshold=0.3)).obstacles.tolist() == [[1, 0, 0]]
    bright = read(tmp_path, pgm(shades), MapOptions(obstacles="bright"))
    assert bright.obstacles.tolist() == [[0, 0, 1]]
    assert "darker than 0.5 is free" in bright.assumptions


def test_the_content_says_what_a_file_is_not_its_name(tmp_path):
    assert np.array_equal(read(tmp_path, pgm(SHADES), name="map.png").obstacles, BLOCKED)


YAML = "image: map.pgm\nresolution: 0.05\norigin: [-3.0, 1.5, {heading}]\nnegate: 0\n"
YAML += "occupied_thresh: 0.65\nfree_thresh: 0.196\n"


def robot_map(tmp_path, shades, heading=0.0, more="", options=None) -> GridMap:
    (tmp_path / "map.pgm").write_bytes(pgm(shades))
    (tmp_path / "map.yaml").write_text(YAML.format(heading=heading) + more)
    return read_map(tmp_path / "map.yaml", options)


def test_a_robots_map_returns_world_coordinates_to_the_millimetre(tmp_path):
    map = robot_map(tmp_path, SHADES)
    assert np.array_equal(map.obstacles, BLOCKED)
    # The origin is the lower left corner of the lower left cell, and y grows upwards.
    lower_left, upper_right = map.frame.to_world(np.array([[2, 0], [0, 3]]))
    assert lower_left == pytest.approx([-2.975, 1.525], abs=1e-9)
    assert upper_right == pytest.approx([-2.825, 1.625], abs=1e-9)


@pytest.mark.parametrize("heading", [0.0, 0.3, math.pi / 2, -2.0])
def test_world_coordinates_and_cells_are_inverse_also_on_turned_maps(tmp_path, heading):
    map = robot_map(tmp_path, SHADES, heading)
    cells = np.argwhere(np.ones((3, 4)))
    for cell, (x, y) in zip(cells.tolist(), map.frame.to_world(cells).tolist(), strict=True):
        assert map.frame.to_cell(x + 0.015, y - 0.015) == tuple(cell)
    corner = np.array([[2.5, -0.5]])
    assert map.frame.to_world(corner)[0] == pytest.approx([-3.0, 1.5], abs=1e-9)


def test_a_quarter_turn_puts_the_rows_of_a_robots_map_along_x(tmp_path):
    frame = robot_map(tmp_path, SHADES, math.pi / 2).frame
    lower, upper = frame.to_world(np.array([[2, 0], [1, 0]]))
    assert upper - lower == pytest.approx([-0.05, 0.0], abs=1e-9)


def test_unknown_cells_of_a_robots_map_are_blocked_unless_told_otherwise(tmp_path):
    shades = np.array([[0, 205, 254]], np.uint8)
    assert robot_map(tmp_path, np.where(shades == 205, 128, shades).astype(np.uint8)).obstacles.tolist() == [
        [1, 1, 0]
    ]
    free = robot_map(tmp_path, np.array([[0, 128, 254]], np.uint8), options=MapOptions(unknown="free"))
    assert free.obstacles.tolist() == [[1, 0, 0]]
    assert "1 unknown cells count as free" in free.assumptions


def test_negate_turns_a_robots_map_around(tmp_path):
    (tmp_path / "map.pgm").write_bytes(pgm(255 - SHADES))
    (tmp_path / "map.yaml").write_text(YAML.format(heading=0).replace("negate: 0", "negate: 1"))
    assert np.array_equal(read_map(tmp_path / "map.yaml").obstacles, BLOCKED)


MOVINGAI = "type octile\nheight 3\nwidth 4\nmap\n..T.\n.@W.\nGS..\n"


def test_a_movingai_map_blocks_trees_water_and_the_outside(tmp_path):
    map = read(tmp_path, MOVINGAI.encode())
    assert np.array_equal(map.obstacles, BLOCKED)
    assert not map.corner_cutting


def test_scenarios_name_the_column_first(tmp_path):
    (tmp_path / "a.map").write_text(MOVINGAI)
    (tmp_path / "a.scen").write_text("version 1\n0\tmaps/far/a.map\t4\t3\t0\t1\t3\t0\t5.41421356\n")
    scenarios = read_scenarios(tmp_path / "a.scen")
    assert scenarios.starts.tolist() == [[1, 0]]
    assert scenarios.goals.tolist() == [[0, 3]]


def test_scenarios_are_separated_by_tabs_or_spaces(tmp_path):
    (tmp_path / "a b.map").write_text(MOVINGAI)
    line = "0\ta b.map\t4\t3\t0\t1\t3\t0\t5.41421"
    (tmp_path / "a.scen").write_text(f"version 1.0\n{line}\n{line.expandtabs(3)} \n")
    scenarios = read_scenarios(tmp_path / "a.scen")
    assert scenarios.goals.tolist() == [[0, 3], [0, 3]]
    assert scenarios.lengths.tolist() == [5.41421, 5.41421]


@pytest.mark.parametrize(
    ("stated", "decimals"),
    [
        (("2.82843", "19.8995", "1005.74", "5"), (5, 4, 2, 5)),  # six significant digits
        (("2.83", "1244.95", "12.10", "5"), (2, 2, 2, 2)),  # two decimals
        (("2.00000000", "369.44574280"), (8, 8)),
        (("4", "4787"), (5, 2)),  # six significant digits of whole numbers
    ],
)
def test_lengths_are_compared_at_the_precision_of_the_file(tmp_path, stated, decimals):
    (tmp_path / "a.map").write_text(MOVINGAI)
    lines = "".join(f"0\ta.map\t4\t3\t0\t1\t3\t0\t{length}\n" for length in stated)
    (tmp_path / "a.scen").write_text(f"version 1\n{lines}")
    scenarios = read_scenarios(tmp_path / "a.scen")
    rounding = scenarios.tolerances - 2e-8 * scenarios.lengths
    assert rounding == pytest.approx([0.5 * 10.0**-places for places in decimals])


def test_a_scenario_without_a_route_may_end_anywhere_on_the_map(tmp_path):
    (tmp_path / "a.map").write_text(MOVINGAI)
    line = "0\ta.map\t4\t3\t0\t1\t2\t1\t"
    (tmp_path / "a.scen").write_text(f"version 1\n{line}0\n0\ta.map\t4\t3\t0\t1\t0\t1\t0\n")
    assert read_scenarios(tmp_path / "a.scen").has_route.tolist() == [False, True]
    (tmp_path / "a.scen").write_text(f"version 1\n{line}1\n")
    with pytest.raises(InputError, match=r"expected a free cell as the start of scenario 0, got \(1, 0\)"):
        read_scenarios(tmp_path / "a.scen")


def geotiff(path, band, *, crs="EPSG:32633", **options):
    rasterio = pytest.importorskip("rasterio")
    transform = rasterio.transform.from_origin(500_000, 5_000_000, 10, 10)
    height, width = band.shape
    with rasterio.open(
        path, "w", "GTiff", width, height, 1, crs, transform, dtype=band.dtype, **options
    ) as file:
        file.write(band, 1)
    return path


def test_a_geotiff_keeps_its_coordinates(tmp_path):
    map = read_map(geotiff(tmp_path / "map.tif", BLOCKED))
    assert np.array_equal(map.obstacles, BLOCKED)
    assert map.frame.crs == "EPSG:32633"
    assert map.frame.to_world(np.array([[1, 2]]))[0] == pytest.approx([500_025, 4_999_985])
    assert map.frame.to_cell(500_025.0, 4_999_985.0) == (1, 2)


def test_a_geotiff_of_slopes_takes_a_threshold_and_knows_where_nothing_is_known(tmp_path):
    slopes = np.array([[3.0, 25.0, -9999.0]], np.float32)
    path = geotiff(tmp_path / "slope.tif", slopes, nodata=-9999.0)
    with pytest.raises(InputError, match="or a --threshold"):
        read_map(path)
    assert read_map(path, MapOptions(threshold=20.0)).obstacles.tolist() == [[0, 1, 1]]
    free = read_map(path, MapOptions(threshold=20.0, unknown="free"))
    assert free.obstacles.tolist() == [[0, 1, 0]]


def test_arrays_are_blocked_at_one_and_may_be_turned_around(tmp_path):
    np.save(tmp_path / "map.npy", BLOCKED)
    assert np.array_equal(read_map(tmp_path / "map.npy").obstacles, BLOCKED)
    assert np.array_equal(read_map(tmp_path / "map.npy", MapOptions(obstacles="dark")).obstacles, 1 - BLOCKED)
    np.save(tmp_path / "fortran.npy", np.asfortranarray(BLOCKED.astype(np.float64)))
    assert np.array_equal(read_map(tmp_path / "fortran.npy").obstacles, BLOCKED)
    np.save(tmp_path / "height.npy", np.array([[0.1, 0.9, np.nan]]))
    assert read_map(tmp_path / "height.npy", MapOptions(threshold=0.5)).obstacles.tolist() == [[0, 1, 1]]


def test_files_of_problems_bring_their_own_ends(tmp_path):
    np.savez(
        tmp_path / "p.npz", obstacles=np.stack([BLOCKED] * 2), starts=[[0, 0], [0, 1]], goals=[[2, 2]] * 2
    )
    map = read_map(tmp_path / "p.npz", MapOptions(index=1))
    assert (map.start, map.goal) == ((0, 1), (2, 2))
    route = vinlab.plan_on_map(map, model=None)
    assert route.reached
    assert route.path[0].tolist() == [0, 1]


def test_neural_astars_ones_are_free(tmp_path):
    splits = []
    for _ in range(3):
        goals = np.zeros((2, 1, 3, 4))
        goals[:, 0, 2, 3] = 1
        splits += [np.stack([1 - BLOCKED] * 2), goals, np.zeros(1), np.zeros(1)]
    np.savez_compressed(tmp_path / "mazes.npz", *splits)
    map = read_map(tmp_path / "mazes.npz", MapOptions(index=5))
    assert np.array_equal(map.obstacles, BLOCKED)
    assert map.goal == (2, 3)
    with pytest.raises(InputError, match="index"):
        read_map(tmp_path / "mazes.npz", MapOptions(index=6))


def test_the_real_neural_astar_files_are_read(real_data):
    map = read_map(real_data / "maps" / "neural_astar" / "mazes_032_moore_c8.npz", MapOptions(index=900))
    assert map.obstacles.shape == (32, 32)
    assert map.goal is not None
    assert map.obstacles[map.goal] == 0


def test_obstacles_grow_by_the_radius_in_the_maps_own_unit(tmp_path):
    shades = np.full((7, 7), 255, np.uint8)
    shades[3, 3] = 0
    map = robot_map(tmp_path, shades)
    assert inflate_obstacles(map, 0.0).obstacles.sum() == 1
    assert inflate_obstacles(map, 0.051).obstacles.sum() == 5
    assert inflate_obstacles(map, 0.1001).obstacles.sum() == 13
    with pytest.raises(InputError, match="radius"):
        inflate_obstacles(map, -1.0)


CELLS = np.array([[0, 0], [1, 1], [1, 2]])


def test_paths_are_written_in_the_maps_coordinates(tmp_path):
    frame = Frame(a=10.0, c=500_005.0, e=-10.0, f=4_999_995.0, unit="m", crs="EPSG:32633")
    for ending in ("csv", "json", "geojson"):
        write_route(tmp_path / f"path.{ending}", CELLS, frame, {"cost": 2.414})
    rows = (tmp_path / "path.csv").read_text(encoding="utf-8").splitlines()
    assert rows[0] == "row,col,x,y,reached"
    assert rows[2] == "1,1,500015.0,4999985.0,true"
    record = json.loads((tmp_path / "path.json").read_text(encoding="utf-8"))
    assert record["cells"] == CELLS.tolist()
    assert record["world"][2] == [500025.0, 4999985.0]
    feature = json.loads((tmp_path / "path.geojson").read_text(encoding="utf-8"))
    assert feature["geometry"]["type"] == "LineString"
    assert feature["geometry"]["coordinates"][1] == [500015.0, 4999985.0]
    assert feature["properties"]["cost"] == 2.414
    assert feature["crs"]["properties"]["name"] == "EPSG:32633"
    with pytest.raises(InputError, match="expected a path file of type"):
        write_route(tmp_path / "path.txt", CELLS, frame, {})


def test_bytes_alone_are_a_map_too():
    assert np.array_equal(map_from_bytes(pgm(SHADES), "dropped").obstacles, BLOCKED)
    with pytest.raises(InputError, match=FORMATS[:10]):
        map_from_bytes(b"hello", "dropped")


def test_a_cell_whose_centre_is_exactly_the_radius_away_is_blocked():
    blocked = np.zeros((7, 7), np.uint8)
    blocked[3, 3] = 1
    map = GridMap(blocked, "made here.", frame=Frame(a=0.5, e=-0.5))
    reached = inflate_obstacles(map, 1.0).obstacles
    row, col = np.indices(blocked.shape) - 3
    assert np.array_equal(reached, (0.5 * np.hypot(row, col) <= 1.0).astype(np.uint8))
    assert reached[3, 1] == reached[1, 3] == 1  # exactly one metre away
    assert inflate_obstacles(map, 0.9999).obstacles[3, 1] == 0


@pytest.mark.parametrize(
    ("x", "y", "cell"),
    [
        (-0.2, 0.0, (0, 0)),
        (-0.6, 0.0, (0, -1)),
        (-1.4, -0.6, (-1, -1)),
        (-1.6, -2.6, (-3, -2)),
        (0.6, 1.4, (1, 1)),
    ],
)
def test_points_left_of_and_above_the_map_lie_in_cells_with_negative_numbers(x, y, cell):
    assert Frame().to_cell(x, y) == cell


@pytest.mark.parametrize(
    ("shade", "kind"),
    [(0, "blocked"), (88, "blocked"), (89, "blocked"), (90, "unknown"), (204, "unknown"), (205, "unknown"),
     (206, "free"), (255, "free")],
)  # fmt: skip
def test_ros_thresholds_are_those_of_the_map_server(tmp_path, shade, kind):
    # Occupied above 0.65 (shades below 89.25), free below 0.196 (shades above 205.02), else unknown.
    (tmp_path / "map.pgm").write_bytes(pgm(np.full((1, 2), shade, np.uint8)))
    (tmp_path / "map.yaml").write_text("image: map.pgm\nresolution: 0.1\norigin: [0, 0, 0]\n")
    maps = [
        read_map(tmp_path / "map.yaml", MapOptions(unknown=unknown)).obstacles[0, 0]
        for unknown in ("free", "blocked")
    ]
    assert {(0, 0): "free", (1, 1): "blocked", (0, 1): "unknown"}[tuple(maps)] == kind


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P"])
def test_transparent_parts_of_a_png_are_white_whatever_colour_they_hide(tmp_path, mode):
    image = Image.new("RGBA", (2, 1), (0, 0, 0, 255))
    image.putpixel((1, 0), (0, 0, 0, 0))  # black, but not seen
    path = tmp_path / "map.png"
    if mode == "P":
        palette = Image.new("P", (2, 1))
        palette.putpalette([0, 0, 0, 9, 9, 9])
        palette.putpixel((1, 0), 1)
        palette.save(path, transparency=1)
    else:
        image.convert(mode).save(path)
    assert read_map(path).obstacles.tolist() == [[1, 0]]


def test_where_nothing_is_blocked_a_radius_blocks_nothing():
    free = GridMap(np.zeros((2, 3), np.uint8), "made here.", water_obstacles=np.eye(2, 3, dtype=np.uint8))
    grown = inflate_obstacles(free, 1.0)
    assert grown.obstacles.tolist() == [[0, 0, 0], [0, 0, 0]]
    assert grown.water_obstacles.tolist() == [[1, 1, 0], [1, 1, 1]]


@pytest.mark.parametrize("kind", ["P2", "P5"])
@pytest.mark.parametrize("white", [1, 254, 255, 256, 1000, 65535])
def test_a_pgm_may_have_any_white_of_two_bytes(kind, white):
    shades = [0, white // 2, white - 1, white]
    width = 1 if white < 256 else 2
    pixels = b"".join(shade.to_bytes(width, "big") for shade in shades)
    body = pixels if kind == "P5" else " ".join(map(str, shades)).encode()
    found = read_image(f"{kind} 2 2 {white}\n".encode() + body, "a.pgm")
    assert found.white == white
    assert found.values.ravel().tolist() == shades


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"P5 2 2 0\n\0\0\0\0", "expected a largest value of 1 to 65535, got 0"),
        (b"P5 2 2 65536\n" + bytes(8), "expected a largest value of 1 to 65535, got 65536"),
        (b"P5 2 2 255\n" + bytes(3), "expected 4 bytes of pixels, got 3; the file is cut off"),
        (b"P5 2 2 256\n" + bytes(7), "expected 8 bytes of pixels, got 7; the file is cut off"),
        (b"P2 2 2 255\n1 2 3", "expected 4 pixels, got 3; the file is cut off"),
        (b"P2 2 2 255\n1 2 3 x", "expected pixels as whole numbers, got other characters"),
        (b"P2 2 2 255\n1 2 3 256", "expected pixels of at most 255, its largest value, got 256"),
        (b"P2 2 2\n", "expected the width, height and largest value of a PGM image, got a damaged header"),
        (b"P2 0 2 255\n", "expected at least one row and column, got 2 x 0"),
        (b"P2 4097 1 255\n", "expected at most 4096 cells a side, got 1 x 4097"),
    ],
)
def test_what_is_wrong_with_a_pgm_is_said(data, sentence):
    with pytest.raises(InputError, match=f"^a.pgm: {sentence}"):
        read_image(data, "a.pgm")


def test_an_image_is_dark_below_the_threshold_and_not_at_it(tmp_path):
    Image.fromarray(np.array([[0, 50, 51, 52, 255]], np.uint8)).save(tmp_path / "a.png")
    dark = read_map(tmp_path / "a.png", MapOptions(threshold=0.2))
    assert dark.obstacles.tolist() == [[1, 1, 0, 0, 0]]
    bright = read_map(tmp_path / "a.png", MapOptions(threshold=0.2, obstacles="bright"))
    assert bright.obstacles.tolist() == [[0, 0, 1, 1, 1]]
    for wrong in (0.0, 1.0, -0.1, 1.5):
        with pytest.raises(InputError, match="threshold: expected a brightness between 0"):
            read_map(tmp_path / "a.png", MapOptions(threshold=wrong))


def test_an_array_is_high_above_its_threshold_and_not_at_it(tmp_path):
    np.save(tmp_path / "a.npy", np.array([[0.5, 1.0, 1.5, np.nan]]))
    for obstacles, blocked in ((None, [0, 0, 1, 1]), ("bright", [0, 0, 1, 1]), ("dark", [1, 1, 0, 1])):
        map = read_map(tmp_path / "a.npy", MapOptions(threshold=1.0, obstacles=obstacles))
        assert map.obstacles.tolist() == [blocked]
        assert "; 1 unknown cells count as blocked" in map.assumptions
    free = read_map(tmp_path / "a.npy", MapOptions(threshold=1.0, unknown="free"))
    assert free.obstacles.tolist() == [[0, 0, 1, 0]]
    with pytest.raises(InputError, match="threshold: expected a finite number, got inf"):
        read_map(tmp_path / "a.npy", MapOptions(threshold=np.inf))


@pytest.mark.parametrize("file", ["a.npy", "a.npz"])
def test_the_number_of_a_map_lies_within_its_file(tmp_path, file):
    maps = np.zeros((3, 2, 2), np.uint8)
    maps[2, 0, 1] = 1
    if file == "a.npy":
        np.save(tmp_path / file, maps)
    else:
        np.savez(tmp_path / file, obstacles=maps, starts=[[0, 0], [1, 1], [1, 0]], goals=[[np.nan, 1.0]])
    assert read_map(tmp_path / file, MapOptions(index=2)).obstacles.tolist() == [[0, 1], [0, 0]]
    for wrong in (-1, 3):
        with pytest.raises(InputError, match=f"expected an index of 0 to 2, got {wrong}"):
            read_map(tmp_path / file, MapOptions(index=wrong))
    if file == "a.npz":
        first, last = (read_map(tmp_path / file, MapOptions(index=index)) for index in (0, 2))
        assert (first.start, first.goal, last.start, last.goal) == ((0, 0), None, (1, 0), None)


@pytest.mark.parametrize(
    ("lengths", "tolerances"),
    [
        (["1.41421356", "2"], [0.5e-8, 0.5e-8]),
        (["10", "1.5", "0"], [0.05, 0.05, 0.05]),
        (["123456", "7"], [0.5, 0.5e-5]),
        (["12.3456", "1234.56"], [0.5e-4, 0.5e-2]),
    ],
)
def test_a_length_is_known_to_half_a_unit_of_its_last_digit(lengths, tolerances):
    found = _tolerances(lengths)
    assert found == pytest.approx([t + 2e-8 * float(n) for t, n in zip(tolerances, lengths, strict=True)])


def test_a_point_lies_in_the_cell_whose_centre_is_nearest():
    frame = Frame(a=2.0, b=0.5, c=10.0, d=-0.5, e=-3.0, f=20.0)
    cells = np.array([[0, 0], [3, 4], [-2, 7]])
    for (row, col), (x, y) in zip(cells.tolist(), frame.to_world(cells).tolist(), strict=True):
        assert (x, y) == (2.0 * col + 0.5 * row + 10.0, -0.5 * col - 3.0 * row + 20.0)
        assert frame.to_cell(x, y) == (row, col)
    for aside in ((0.49, 0.49), (-0.49, 0.49), (-0.49, -0.49)):
        ((x, y),) = frame.to_world(np.array([[3, 4]]) + aside).tolist()
        assert frame.to_cell(x, y) == (3, 4)
    assert frame.cell_size == pytest.approx((np.hypot(0.5, 3.0), np.hypot(2.0, 0.5)))


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ("resolution: 0", "expected a resolution above 0, got 0"),
        ("resolution: 1\nnegate: 2", "expected 0 or 1 for negate, got 2"),
        ("resolution: 1\nnegate: -1", "expected 0 or 1 for negate, got -1"),
        ("resolution: 1\nfree_thresh: -0.1", "expected 0 <= free_thresh <= occupied_thresh <= 1, got -0.1"),
        (
            "resolution: 1\noccupied_thresh: 1.1",
            "expected 0 <= free_thresh <= occupied_thresh <= 1, got 0.196 and 1.1",
        ),
        ("resolution: 1\norigin: [1]", "expected an origin of .x, y, heading., got a list"),
        ("resolution: 1\norigin: [1, 2, 3, 4]", "expected an origin of .x, y, heading., got a list"),
        ("resolution: true", "expected a finite number for resolution, got a bool"),
        ("resolution: 1.1e+15", "expected a finite number for resolution, got a float"),
    ],
)
def test_what_is_wrong_with_a_ros_map_is_said(fields, sentence):
    with pytest.raises(InputError, match=f"^a.yaml: {sentence}"):
        parse_yaml(f"image: a.pgm\n{fields}\n".encode(), "a.yaml")


def test_the_fields_of_a_ros_map_may_lie_on_their_bounds():
    text = (
        "image: a.pgm\nresolution: 1.0e+15\norigin: [1, 2]\nnegate: true\noccupied_thresh: 1\nfree_thresh: 1"
    )
    assert parse_yaml(text.encode(), "a.yaml") == RosMap("a.pgm", 1e15, (1.0, 2.0, 0.0), True, 1.0, 1.0)
    zero = "image: a.pgm\nresolution: 1\nnegate: 0\noccupied_thresh: 0\nfree_thresh: 0\nmode: raw"
    assert parse_yaml(zero.encode(), "a.yaml") == RosMap(
        "a.pgm", 1.0, (0.0, 0.0, 0.0), False, 0.0, 0.0, "raw"
    )


def test_an_archive_without_a_map_says_what_it_holds(tmp_path):
    np.savez(tmp_path / "a.npz", **{f"array{number}": np.zeros(2) for number in range(9)})
    held = ", ".join(f"array{number}" for number in range(8))
    with pytest.raises(InputError, match=f"expected an array 'obstacles' or 'costs', got {held}.$"):
        read_map(tmp_path / "a.npz")
    np.savez(tmp_path / "none.npz")
    with pytest.raises(InputError, match="got none"):
        read_map(tmp_path / "none.npz")


def test_a_raster_of_bytes_is_an_image_unless_it_holds_ones_alone_or_has_a_threshold(tmp_path):
    path = geotiff(tmp_path / "a.tif", np.array([[0, 1, 2, 200]], np.uint8))
    assert read_map(path).obstacles.tolist() == [[1, 1, 1, 0]]
    assert read_map(path, MapOptions(threshold=0.005)).obstacles.tolist() == [[1, 1, 0, 0]]
    assert read_map(path, MapOptions(threshold=1.0)).obstacles.tolist() == [[0, 0, 1, 1]]
    path = geotiff(tmp_path / "b.tif", np.array([[0, 1, 1]], np.uint8))
    assert read_map(path).obstacles.tolist() == [[0, 1, 1]]
