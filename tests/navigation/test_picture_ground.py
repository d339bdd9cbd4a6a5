"""A planner with a memory on an image whose costs a model has learned."""

import numpy as np
import pytest
import torch

import vinlab
from vinlab.models import Model
from vinlab.networks.terrain.ground_vin import GroundVinConfig
from vinlab.types import InputError


@pytest.fixture
def model() -> Model:
    torch.manual_seed(0)
    return Model("ground", GroundVinConfig(mean=(0.5,) * 3, std=(0.3,) * 3).build().eval(), 0, {})


def test_after_a_change_of_pixels_it_plans_what_a_new_planner_would(model):
    rng = np.random.default_rng(0)
    image = rng.random((3, 20, 24))
    planner = vinlab.Planner(model, image)
    planner.goal([(3, 3), (18, 20)])
    for _ in range(4):
        cells = np.argwhere(np.ones((4, 4))) + rng.integers(0, 16, 2)
        values = rng.random((16, 3))
        planner.update(cells, values)
        image[:, cells[:, 0], cells[:, 1]] = values.T
        anew = vinlab.Planner(model, image)
        anew.goal([(3, 3), (18, 20)])
        np.testing.assert_array_equal(planner.costs, anew.costs)
    path = planner.path((10, 10))
    assert path[-1].tolist() in ([3, 3], [18, 20])


def test_images_and_values_that_do_not_fit_are_refused(model):
    with pytest.raises(InputError, match="expected an image of 3 channels"):
        vinlab.Planner(model, np.zeros((5, 5)))
    with pytest.raises(InputError, match="expected finite pixels"):
        vinlab.Planner(model, np.full((3, 5, 5), np.nan))
    planner = vinlab.Planner(model, np.zeros((3, 5, 5)))
    with pytest.raises(InputError, match="expected 3 channels for each of 1 cells"):
        planner.update([(0, 0)], [1.0])
