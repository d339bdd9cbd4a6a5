"""``vinlab plan`` with a model that sees an image of terrain."""

import json

import numpy as np
import pytest
from PIL import Image

from vinlab.cli import main
from vinlab.models import Model
from vinlab.networks.terrain.classifier import StraightLine


@pytest.fixture
def walker():
    """A policy whose paths are known: straight to the goal, whatever it sees."""
    return Model("mars/straight", StraightLine().eval(), 16, {})


def image(height=128, width=128):
    return np.random.default_rng(0).integers(0, 256, (height, width), dtype=np.uint8)


def test_the_command_draws_a_path_on_an_image(tmp_path, monkeypatch, capsys, walker):
    monkeypatch.setattr("vinlab.cli.plan.load_model", lambda name, device: walker)
    Image.fromarray(image()).save(tmp_path / "i.png")
    out, path = tmp_path / "plan.png", tmp_path / "path.json"
    where = ["--start", "15,0", "--goal", "0,15", "--out", str(out), "--path-out", str(path)]
    main(["plan", str(tmp_path / "i.png"), "--model", "mars/straight", *where])
    said = capsys.readouterr().out
    assert "Read 16 x 16 cells of 8 x 8 pixels." in said
    assert "Reached in 15 steps" in said
    assert json.loads(path.read_text(encoding="utf-8"))["cells"][-1] == [0, 15]
    assert Image.open(out).size[0] > 300


def test_options_of_maps_do_not_go_with_images(tmp_path, monkeypatch, capsys, walker):
    monkeypatch.setattr("vinlab.cli.plan.load_model", lambda name, device: walker)
    Image.fromarray(image()).save(tmp_path / "i.png")
    for words in (["--threshold", "0.5"], ["--robot-radius", "1"], ["--corner-cutting", "allow"]):
        with pytest.raises(SystemExit):
            main(["plan", str(tmp_path / "i.png"), "--model", "mars/straight", *words])
        assert "plans on the image itself" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["plan", str(tmp_path / "i.png"), "--model", "mars/straight", "--start", "1,1"])
    assert "expected --goal ROW,COL, in cells of 8 x 8 pixels, got none" in capsys.readouterr().err


def test_a_path_is_written_in_the_coordinates_of_the_map(tmp_path, monkeypatch, walker):
    rasterio = pytest.importorskip("rasterio")
    from rasterio.transform import from_origin

    monkeypatch.setattr("vinlab.cli.plan.load_model", lambda name, device: walker)
    monkeypatch.chdir(tmp_path)
    profile = {"driver": "GTiff", "height": 64, "width": 64, "count": 1, "dtype": "uint8"}
    there = {
        "crs": "+proj=eqc +R=3396190 +units=m +no_defs",
        "transform": from_origin(1000.0, 2000.0, 2.0, 2.0),
    }
    with rasterio.open(tmp_path / "i.tif", "w", **profile, **there) as file:
        file.write(image(64, 64)[None])
    main(["plan", "i.tif", "--model", "x", "--start", "0,0", "--goal", "0,7", "--path-out", "path.json"])
    world = json.loads((tmp_path / "path.json").read_text(encoding="utf-8"))["world"]
    assert world[0] == [1008.0, 1992.0]
    assert world[-1] == [1120.0, 1992.0]
