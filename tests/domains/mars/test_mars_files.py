"""Problems on ground go into files and come back, and are sampled from more tiles than are held at once."""

import numpy as np
import pytest

from vinlab.domains.gridworld.files import read_problems, write_problems
from vinlab.domains.mars.files import read_any_problems, write_terrain_problems
from vinlab.domains.mars.patches import MarsProblems, PatchConfig
from vinlab.domains.mars.sampling import sample_terrain_problems
from vinlab.domains.mars.terrain import Terrain
from vinlab.types import GridProblems, InputError

SMALL = PatchConfig(side=32, cell=8, stride=16, min_free=3)


def some_tile(number, side=96):
    """A tile with some steep places, all of whose pixels are its number."""
    rng = np.random.default_rng(number)
    slope = np.where(rng.random((side, side)) < 0.004, 20.0, 1.0).astype(np.float32)
    return Terrain(np.full((side, side), number, np.uint8), slope)


def tiles():
    return (some_tile(number) for number in range(10))


def some_problems():
    return sample_terrain_problems(tiles, 12, SMALL, rng=np.random.default_rng(0))[0]


def test_problems_on_ground_come_back_as_they_were(tmp_path):
    problems = some_problems()
    write_terrain_problems(tmp_path / "p.npz", problems)
    found = read_any_problems(tmp_path / "p.npz")
    assert isinstance(found, MarsProblems)
    for name in ("images", "obstacles", "starts", "goals", "block_ids"):
        assert np.array_equal(getattr(found, name), getattr(problems, name))


def test_the_file_is_one_of_grid_problems_with_images_of_one_channel(tmp_path):
    problems = some_problems()
    write_terrain_problems(tmp_path / "p.npz", problems)
    assert np.array_equal(read_problems(tmp_path / "p.npz").obstacles, problems.grid.obstacles)
    with np.load(tmp_path / "p.npz", allow_pickle=False) as file:
        assert file["images"].shape == (12, 1, 32, 32)


def test_a_file_without_images_is_one_of_maps(tmp_path):
    write_problems(tmp_path / "p.npz", some_problems().grid)
    assert isinstance(read_any_problems(tmp_path / "p.npz"), GridProblems)


@pytest.mark.parametrize(
    "images", [np.zeros((12, 1, 16, 16), np.uint8), np.zeros((12, 1, 32, 32), np.uint16)]
)
def test_images_that_do_not_fit_are_refused(tmp_path, images):
    write_problems(tmp_path / "p.npz", some_problems().grid, {"images": images})
    with pytest.raises(
        InputError, match=r"images in .*p\.npz must be of 8 bits and have the shape \(12, 1, 32, 32\)"
    ):
        read_any_problems(tmp_path / "p.npz")


def test_every_tile_gives_its_share():
    problems, census = sample_terrain_problems(tiles, 100, SMALL, rng=np.random.default_rng(0))
    assert census.positions == 10 * 25
    assert len(problems) == 100
    shares = np.bincount(problems.images[:, 0, 0], minlength=10)
    assert shares.min() >= 3
    assert np.array_equal(problems.block_ids // 9, problems.images[:, 0, 0])


def test_the_stride_is_halved_where_patches_are_too_few():
    problems, census = sample_terrain_problems(tiles, 600, SMALL, rng=np.random.default_rng(0))
    assert census.stride == 8
    assert len(problems) == 600


def test_ground_without_a_free_cell_is_refused_and_counted():
    steep = Terrain(np.zeros((32, 32), np.uint8), np.full((32, 32), 30.0, np.float32))
    with pytest.raises(
        InputError, match=r"5 problems are wanted, but the ground holds 0 of 1 patches usable .*1 too b"
    ):
        sample_terrain_problems(lambda: [steep], 5, SMALL, rng=np.random.default_rng(0))
