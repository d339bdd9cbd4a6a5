"""``vinlab data mars`` makes problems of any raster pair, and says in one sentence what it cannot use."""

import numpy as np
import pytest

from vinlab.cli import main
from vinlab.cli.data import parse_scale
from vinlab.domains.mars.files import read_any_problems
from vinlab.domains.mars.patches import MarsProblems
from vinlab.types import InputError

rasterio = pytest.importorskip("rasterio")


def write(path, values):
    """A raster without coordinates."""
    import warnings

    values = values if values.ndim == 3 else values[None]
    driver = "PNG" if path.suffix == ".png" else "GTiff"
    with (
        warnings.catch_warnings(action="ignore"),
        rasterio.open(
            path,
            "w",
            driver=driver,
            count=len(values),
            height=values.shape[1],
            width=values.shape[2],
            dtype=values.dtype,
        ) as file,
    ):
        file.write(values)
    return str(path)


@pytest.fixture
def ground(tmp_path):
    """Hills, and an image of them."""
    rows, cols = np.mgrid[:160, :200]
    heights = (5.5 * np.sin(rows / 17) * np.sin(cols / 13)).astype(np.float32)
    image = np.clip(128 + 60 * np.gradient(heights, axis=1), 1, 255).astype(np.uint8)
    return write(tmp_path / "image.png", image), write(tmp_path / "dtm.tif", heights)


def run(*words):
    main(["data", "mars", *map(str, words)])


def fails(capsys, *words):
    with pytest.raises(SystemExit) as stop:
        run(*words)
    assert stop.value.code == 1
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("vinlab: ")]
    assert len(said) == 1
    return said[0]


def test_a_raster_pair_becomes_a_file_of_problems(ground, tmp_path, capsys):
    image, dtm = ground
    out = tmp_path / "p.npz"
    run("--image", image, "--elevation", dtm, "--scale", "2.0", "--size", 8, "--count", 5, "--out", out)
    problems = read_any_problems(out)
    assert isinstance(problems, MarsProblems)
    assert problems.images.shape == (5, 64, 64)
    assert "Posts of dtm.tif are 2 m x 2 m apart, as given." in capsys.readouterr().out


def test_without_an_image_the_ground_is_synthetic(tmp_path, capsys):
    out = tmp_path / "p.npz"
    run("--count", 8, "--out", out)
    assert len(read_any_problems(out)) == 8
    assert "Synthetic: no such ground exists." in capsys.readouterr().out


def test_bad_input_is_said_in_one_sentence(ground, tmp_path, capsys):
    image, dtm = ground
    out = ("--out", tmp_path / "p.npz")
    pair = ("--image", image, "--elevation", dtm)
    steep = write(tmp_path / "steep.tif", np.tile(np.arange(200, dtype=np.float32) * 5, (160, 1)))
    empty = write(tmp_path / "empty.tif", np.full((160, 200), -3.4028226550889045e38, np.float32))
    cut = tmp_path / "cut.png"
    cut.write_bytes((tmp_path / "image.png").read_bytes()[:900])
    assert "does not say how far apart its posts are; give the scale" in fails(capsys, *pair, *out)
    assert "--scale must be one positive number or two" in fails(capsys, *pair, "--scale", "far", *out)
    assert "Either an elevation or a slope is wanted" in fails(capsys, "--image", image, *out)
    assert "--size must be at least 4, but 0 came" in fails(capsys, "--size", "0", *out)
    assert "between 0 and 90 degrees, but nan came" in fails(capsys, "--threshold", "nan", *out)
    assert "go with an --image" in fails(capsys, "--elevation", dtm, *out)
    assert "has both an image and a slope" in fails(
        capsys, "--image", image, "--elevation", empty, "--scale", "1", *out
    )
    assert "too blocked" in fails(capsys, "--image", image, "--elevation", steep, "--scale", "1", *out)
    assert "cut off" in fails(capsys, "--image", cut, "--elevation", dtm, "--scale", "1", *out)
    assert not (tmp_path / "p.npz").exists()


def test_images_of_16_bits_and_colours_are_read_and_it_is_said(ground, tmp_path, capsys):
    _, dtm = ground
    grey = np.random.default_rng(0).integers(0, 4000, (160, 200)).astype(np.uint16)
    colours = np.stack([grey % 256] * 3).astype(np.uint8)
    for name, values, words in (
        ("deep.tif", grey, "values of type uint16"),
        ("rgb.tif", colours, "has 3 bands"),
    ):
        image = write(tmp_path / name, values)
        out = tmp_path / "p.npz"
        run("--image", image, "--elevation", dtm, "--scale", "2", "--size", 8, "--count", 2, "--out", out)
        assert words in capsys.readouterr().out


def test_ground_options_do_not_go_with_maps(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["data", "gridworld", "--image", "x.png", "--out", str(tmp_path / "p.npz")])
    assert "belong to data mars" in capsys.readouterr().err


def test_scales_are_one_number_or_two():
    assert parse_scale("1.5") == (1.5,)
    assert parse_scale("1, .948") == (1.0, 0.948)
    with pytest.raises(InputError):
        parse_scale("1,2,3")
