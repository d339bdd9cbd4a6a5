"""Mars problems are written to files and read back, all of them checked."""

import numpy as np
import pytest

from helpers.terrain_problems import rough_terrain
from vinlab.domains.gridworld.files import read_problems as read_grid_problems
from vinlab.domains.gridworld.files import write_problems as write_grid_problems
from vinlab.domains.mars.files import read_problems, write_problems
from vinlab.types import InputError


def test_problems_are_read_as_they_were_written(tmp_path):
    problems = rough_terrain()
    write_problems(tmp_path / "p.npz", problems)
    found = read_problems(tmp_path / "p.npz")
    for name in ("images", "obstacles", "starts", "goals", "block_ids"):
        assert np.array_equal(getattr(found, name), getattr(problems, name))


def test_the_file_is_one_of_grid_problems_with_images_of_one_channel(tmp_path):
    problems = rough_terrain()
    write_problems(tmp_path / "p.npz", problems)
    assert np.array_equal(read_grid_problems(tmp_path / "p.npz").obstacles, problems.grid.obstacles)
    with np.load(tmp_path / "p.npz", allow_pickle=False) as file:
        assert file["images"].shape == (12, 1, 64, 64)


def test_a_file_without_images_is_refused(tmp_path):
    write_grid_problems(tmp_path / "p.npz", rough_terrain().grid)
    with pytest.raises(InputError, match="expected problems with images of terrain, got maps without images"):
        read_problems(tmp_path / "p.npz")


@pytest.mark.parametrize(
    "images", [np.zeros((12, 1, 16, 16), np.uint8), np.zeros((12, 1, 64, 64), np.uint16)]
)
def test_images_that_do_not_fit_are_refused(tmp_path, images):
    write_grid_problems(tmp_path / "p.npz", rough_terrain().grid, {"images": images})
    with pytest.raises(InputError, match=r"images in .*p\.npz: expected uint8 of \(12, 1, 64, 64\)"):
        read_problems(tmp_path / "p.npz")


def test_blocks_that_do_not_fit_are_refused(tmp_path):
    problems = rough_terrain()
    others = {"images": problems.images[:, None], "blocks": np.zeros(5, np.int64)}
    write_grid_problems(tmp_path / "p.npz", problems.grid, others)
    with pytest.raises(
        InputError, match=r"blocks in .*expected a whole number for each problem, got int64 of \(5,\)"
    ):
        read_problems(tmp_path / "p.npz")
