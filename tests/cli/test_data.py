"""``vinlab data`` makes problems of the grid-world, of synthetic terrain or of rasters; faults are one sentence."""

import numpy as np
import pytest

from vinlab.cli import main
from vinlab.cli.data import parse_spacing
from vinlab.domains.gridworld.files import read_problems as read_grid_problems
from vinlab.domains.mars.files import read_problems
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
def terrain(tmp_path):
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


def test_a_raster_pair_becomes_a_file_of_problems(terrain, tmp_path, capsys):
    image, dtm = terrain
    out = tmp_path / "p.npz"
    run(
        "--image", image, "--elevation", dtm, "--post-spacing", "2.0", "--size", 8, "--count", 5, "--out", out
    )
    problems = read_problems(out)
    assert problems.images.shape == (5, 64, 64)
    assert "Posts of dtm.tif are 2 m x 2 m apart, as given." in capsys.readouterr().out


def test_without_an_image_terrain_is_synthetic(tmp_path, capsys):
    out = tmp_path / "p.npz"
    run("--count", 8, "--out", out)
    assert len(read_problems(out)) == 8
    assert "Synthetic terrain." in capsys.readouterr().out


def test_a_fault_is_one_sentence(terrain, tmp_path, capsys):
    image, dtm = terrain
    out = ("--out", tmp_path / "p.npz")
    pair = ("--image", image, "--elevation", dtm)
    steep = write(tmp_path / "steep.tif", np.tile(np.arange(200, dtype=np.float32) * 5, (160, 1)))
    empty = write(tmp_path / "empty.tif", np.full((160, 200), -3.4028226550889045e38, np.float32))
    cut = tmp_path / "cut.png"
    cut.write_bytes((tmp_path / "image.png").read_bytes()[:900])
    assert "expected coordinates, or a post spacing in metres (--post-spacing), got neither" in fails(
        capsys, *pair, *out
    )
    assert "--post-spacing: expected one positive number or two" in fails(
        capsys, *pair, "--post-spacing", "far", *out
    )
    assert "expected a slope step with a slope only" in fails(capsys, *pair, "--slope-step", "0.2", *out)
    assert "expected either an elevation or a slope beside the image, got neither" in fails(
        capsys, "--image", image, *out
    )
    assert "--size: expected at least 4, got 0" in fails(capsys, "--size", "0", *out)
    assert "expected a threshold between 0 and 90 degrees, got nan" in fails(
        capsys, "--threshold", "nan", *out
    )
    assert "expected an --image with --elevation" in fails(capsys, "--elevation", dtm, *out)
    assert "expected pixels with both an image and a slope, got none" in fails(
        capsys, "--image", image, "--elevation", empty, "--post-spacing", "1", *out
    )
    assert "too blocked" in fails(capsys, "--image", image, "--elevation", steep, "--post-spacing", "1", *out)
    assert "cut off" in fails(capsys, "--image", cut, "--elevation", dtm, "--post-spacing", "1", *out)
    assert not (tmp_path / "p.npz").exists()


def test_images_of_16_bits_and_colours_are_read_with_a_note(terrain, tmp_path, capsys):
    _, dtm = terrain
    grey = np.random.default_rng(0).integers(0, 4000, (160, 200)).astype(np.uint16)
    colours = np.stack([grey % 256] * 3).astype(np.uint8)
    for name, values, words in (
        ("deep.tif", grey, "values of type uint16"),
        ("rgb.tif", colours, "has 3 bands"),
    ):
        image = write(tmp_path / name, values)
        out = tmp_path / "p.npz"
        run(
            "--image",
            image,
            "--elevation",
            dtm,
            "--post-spacing",
            "2",
            "--size",
            8,
            "--count",
            2,
            "--out",
            out,
        )
        assert words in capsys.readouterr().out


def test_options_of_terrain_are_refused_for_maps(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["data", "gridworld", "--image", "x.png", "--out", str(tmp_path / "p.npz")])
    assert "belong to data mars" in capsys.readouterr().err


def test_spacings_are_one_number_or_two():
    assert parse_spacing("1.5") == (1.5,)
    assert parse_spacing("1, .948") == (1.0, 0.948)
    with pytest.raises(InputError):
        parse_spacing("1,2,3")


@pytest.mark.parametrize("option", ["--scale", "--pixel"])
def test_old_spellings_are_unknown(terrain, tmp_path, option):
    image, dtm = terrain
    with pytest.raises(SystemExit) as stop:
        run("--image", image, "--elevation", dtm, option, "1", "--out", tmp_path / "p.npz")
    assert stop.value.code == 2


def test_grid_problems_are_the_same_for_the_same_seed(tmp_path, capsys):
    for name in ("a.npz", "b.npz"):
        options = ["--family", "mazes", "--size", "9", "--count", "5", "--out", str(tmp_path / name)]
        main(["data", "gridworld", *options])
    first, second = (read_grid_problems(tmp_path / name) for name in ("a.npz", "b.npz"))
    assert first.obstacles.shape == (5, 9, 9)
    assert np.array_equal(first.obstacles, second.obstacles)
    assert "5 problems of 9 x 9 cells" in capsys.readouterr().out


def test_the_gallery_is_written_as_images_that_plan_reads(tmp_path, capsys):
    from vinlab.domains.gridworld.gallery import GALLERY, gallery_problem
    from vinlab.maps import read_map

    main(["data", "gallery", "--out", str(tmp_path / "maps")])
    said = capsys.readouterr().out.splitlines()
    assert len(said) == len(GALLERY)
    for line, name in zip(said, GALLERY, strict=True):
        read = read_map(tmp_path / "maps" / f"{name}.png")
        assert np.array_equal(read.obstacles, gallery_problem(name).obstacles[0])
        assert line.startswith(f"vinlab plan {tmp_path / 'maps' / name}.png --start ")
    command = said[0].split("#")[0].split()[1:]
    with pytest.raises(SystemExit) as stopped:
        main([*command, "--json", "--threshold", "2"])
    assert stopped.value.code == 1
    main([*command, "--json"])
    assert '"reached": true' in capsys.readouterr().out


def test_the_gallery_needs_a_folder(tmp_path, capsys):
    (tmp_path / "maps").write_text("")
    with pytest.raises(SystemExit):
        main(["data", "gallery", "--out", str(tmp_path / "maps")])
    assert "expected a folder for the images" in capsys.readouterr().err
