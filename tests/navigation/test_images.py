"""Routes on an image of terrain: the network sees the grey values alone, in cells of 8 x 8 pixels."""

import numpy as np
import pytest
import torch

from vinlab.models import Model
from vinlab.navigation.images import navigate_image, takes_images
from vinlab.networks.grid.configs import VinConfig
from vinlab.networks.terrain.classifier import StraightLine
from vinlab.networks.terrain.configs import TerrainVinConfig
from vinlab.types import InputError


@pytest.fixture
def vin():
    torch.manual_seed(0)
    return Model("mars/vin", TerrainVinConfig().build().eval(), 16, {})


@pytest.fixture
def walker():
    """A policy whose paths are known: straight to the goal, whatever it sees."""
    return Model("mars/straight", StraightLine().eval(), 16, {})


def image(height=128, width=128):
    return np.random.default_rng(0).integers(0, 256, (height, width), dtype=np.uint8)


def test_a_path_leads_over_cells_of_eight_pixels(walker):
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


def test_models_of_maps_are_refused(vin):
    mapper = Model("gridworld/8/vin", VinConfig(iterations=4).build(), 8, {})
    assert takes_images(vin)
    assert not takes_images(mapper)
    with pytest.raises(
        InputError, match="expected a model that sees images, such as mars/vin, got gridworld/8/vin"
    ):
        navigate_image(mapper, image(), (0, 0), (1, 1))


def test_ends_outside_the_image_and_broken_cells_are_refused(walker):
    with pytest.raises(InputError, match=r"goal: expected a cell of the 16 x 16 of the image, got \(16, 0\)"):
        navigate_image(walker, image(), (0, 0), (16, 0))
    with pytest.raises(InputError, match="expected an image with sides that are multiples of 8 pixels"):
        navigate_image(walker, image(100, 128), (0, 0), (1, 1))
