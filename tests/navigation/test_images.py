"""A way over an image of ground: the network sees the grey values alone, in cells of 8 x 8 pixels."""

import json

import numpy as np
import pytest
import torch
from PIL import Image

from vinlab.cli import main
from vinlab.domains.mars.rasters.image import read_terrain_image
from vinlab.models import Model
from vinlab.navigation.images import navigate_image, takes_images
from vinlab.networks.grid.configs import VinConfig
from vinlab.networks.terrain.configs import TerrainVinConfig
from vinlab.networks.terrain.policies import StraightLine
from vinlab.types import InputError


@pytest.fixture
def vin():
    torch.manual_seed(0)
    return Model("mars/vin", TerrainVinConfig().build().eval(), 16, {})


@pytest.fixture
def walker():
    """A policy whose ways are known: straight to the goal, whatever it sees."""
    return Model("mars/straight", StraightLine().eval(), 16, {})


def image(height=128, width=128):
    return np.random.default_rng(0).integers(0, 256, (height, width), dtype=np.uint8)


def test_a_way_goes_over_cells_of_eight_pixels(walker):
    found = navigate_image(walker, image(64, 96), (0, 0), (7, 11))
    assert found.reached
    assert found.path[[0, -1]].tolist() == [[0, 0], [7, 11]]
    assert len(found.path) == 12
    assert found.cost == pytest.approx(7 * 2**0.5 + 4)


@pytest.mark.parametrize("shape", [(128, 128), (64, 200)])
def test_a_vin_plans_on_images_of_any_size_and_its_reward_has_a_number_for_each_cell(vin, shape):
    found = navigate_image(vin, image(*shape), (1, 2), (6, 10))
    assert found.reward is not None
    assert found.reward.shape == (shape[0] // 8, shape[1] // 8)
    assert found.iterations == vin.iterations_for(found.reward.shape)


def test_models_of_maps_do_not_see_ground(vin):
    mapper = Model("gridworld/8/vin", VinConfig(iterations=4).build(), 8, {})
    assert takes_images(vin)
    assert not takes_images(mapper)
    with pytest.raises(InputError, match="gridworld/8/vin plans on maps; a model that sees ground"):
        navigate_image(mapper, image(), (0, 0), (1, 1))


def test_ends_outside_the_image_and_broken_cells_are_refused(walker):
    with pytest.raises(InputError, match=r"goal \(16, 0\) lies outside the image of 16 x 16 cells"):
        navigate_image(walker, image(), (0, 0), (16, 0))
    with pytest.raises(InputError, match="multiples of 8 pixels"):
        navigate_image(walker, image(100, 128), (0, 0), (1, 1))


def test_a_picture_is_cut_to_whole_cells_and_it_is_said(tmp_path):
    grey = image(130, 101)
    Image.fromarray(grey).save(tmp_path / "i.png")
    picture = read_terrain_image(tmp_path / "i.png")
    assert np.array_equal(picture.image, grey[:128, :96])
    assert picture.notes == ("The last 2 rows and 5 columns of pixels fill no cell.",)


def test_pictures_that_cannot_be_used_are_refused(tmp_path):
    Image.fromarray(image(5, 50)).save(tmp_path / "small.png")
    with pytest.raises(InputError, match="less than one cell of 8 x 8"):
        read_terrain_image(tmp_path / "small.png")
    Image.fromarray(image()).save(tmp_path / "cut.png")
    (tmp_path / "cut.png").write_bytes((tmp_path / "cut.png").read_bytes()[:3000])
    with pytest.raises(InputError, match=r"cut\.png cannot be read; it is damaged, cut off"):
        read_terrain_image(tmp_path / "cut.png")
    with pytest.raises(InputError, match="there is no such file"):
        read_terrain_image(tmp_path / "none.png")


def test_the_command_draws_a_way_on_an_image(tmp_path, monkeypatch, capsys, walker):
    monkeypatch.setattr("vinlab.models.load", lambda name: walker)
    Image.fromarray(image()).save(tmp_path / "i.png")
    out, path = tmp_path / "plan.png", tmp_path / "way.json"
    where = ["--start", "15,0", "--goal", "0,15", "--out", str(out), "--path", str(path)]
    main(["plan", str(tmp_path / "i.png"), "--model", "mars/straight", *where])
    said = capsys.readouterr().out
    assert "Read 16 x 16 cells of 8 x 8 pixels." in said
    assert "A way of 15 steps" in said
    assert json.loads(path.read_text())["cells"][-1] == [0, 15]
    assert Image.open(out).size[0] > 300


def test_options_of_maps_do_not_go_with_images(tmp_path, monkeypatch, capsys, walker):
    monkeypatch.setattr("vinlab.models.load", lambda name: walker)
    Image.fromarray(image()).save(tmp_path / "i.png")
    for words in (["--threshold", "0.5"], ["--radius", "1"], ["--corners", "cut"]):
        with pytest.raises(SystemExit):
            main(["plan", str(tmp_path / "i.png"), "--model", "mars/straight", *words])
        assert "looks at the image itself" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["plan", str(tmp_path / "i.png"), "--model", "mars/straight", "--start", "1,1"])
    assert "An image names no goal; give one with --goal ROW,COL" in capsys.readouterr().err


def test_a_path_is_written_in_the_coordinates_of_the_images_map(tmp_path, monkeypatch, walker):
    rasterio = pytest.importorskip("rasterio")
    from rasterio.transform import from_origin

    monkeypatch.setattr("vinlab.models.load", lambda name: walker)
    monkeypatch.chdir(tmp_path)
    profile = {"driver": "GTiff", "height": 64, "width": 64, "count": 1, "dtype": "uint8"}
    there = {
        "crs": "+proj=eqc +R=3396190 +units=m +no_defs",
        "transform": from_origin(1000.0, 2000.0, 2.0, 2.0),
    }
    with rasterio.open(tmp_path / "i.tif", "w", **profile, **there) as file:
        file.write(image(64, 64)[None])
    main(["plan", "i.tif", "--model", "x", "--start", "0,0", "--goal", "0,7", "--path", "way.json"])
    world = json.loads((tmp_path / "way.json").read_text())["world"]
    assert world[0] == [1008.0, 1992.0]
    assert world[-1] == [1120.0, 1992.0]
