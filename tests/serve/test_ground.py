"""Ground on the page: pictures of colour, generated and dropped, and the plans on them."""

import base64
import io

import numpy as np
import pytest
from PIL import Image

from vinlab.models import Model
from vinlab.networks.terrain.ground_vin import GroundVinConfig
from vinlab.serve.ground import decode_picture, generated_ground, ground_of_file
from vinlab.serve.handlers import answer_plan, answer_world
from vinlab.serve.schemas import plan_request, world_request
from vinlab.serve.server import warm_up
from vinlab.types import InputError


def model(channels: int = 3, pixels: int = 1) -> Model:
    network = GroundVinConfig(mean=(0.5,) * channels, std=(0.2,) * channels, hidden=4, pixels=pixels).build()
    return Model("ground", network, 0, {})


def png(pixels: np.ndarray) -> bytes:
    content = io.BytesIO()
    Image.fromarray(pixels).save(content, "PNG")
    return content.getvalue()


@pytest.mark.parametrize(("channels", "pixels"), [(3, 1), (1, 2)])
def test_a_generated_picture_is_planned_on(channels, pixels):
    models = {"ground": model(channels, pixels)}
    warm_up(models)
    wanted = {"kind": "terrain", "height": 9, "width": 12, "seed": 1, "model": "ground"}
    world = answer_world(models, world_request(wanted))
    assert world["channels"] == channels
    answer = answer_plan(models, plan_request(world | {"model": "ground"}))
    assert answer["reached"]
    assert answer["path"][-1] == world["goal"]


def test_a_dropped_picture_keeps_its_colours_and_its_holes():
    colours = np.random.default_rng(0).integers(0, 255, (6, 7, 4), dtype=np.uint8)
    colours[..., 3] = 255
    colours[2, 3, 3] = 0
    world = ground_of_file(model(), png(colours))
    assert (world["height"], world["width"]) == (6, 7)
    assert world["cells"].count("1") == 1
    held = np.frombuffer(base64.b64decode(world["image"]), np.uint8).reshape(6, 7, 3)
    np.testing.assert_array_equal(held[0], colours[0, :, :3])
    blocked = np.array([int(cell) for cell in world["cells"]], np.uint8).reshape(6, 7)
    picture = decode_picture(model(), world["image"], blocked)
    assert not picture.known[2, 3]
    np.testing.assert_allclose(picture.values[:, 0], colours[0, :, :3].T / 255, rtol=1e-6)


def test_what_the_page_cannot_show_is_one_sentence():
    with pytest.raises(InputError, match="The page shows images of 1 or 3 channels"):
        generated_ground(model(5), 8, 8, 0)
    with pytest.raises(
        InputError, match="image: expected 4 x 4 pixels of 3 channels, in base64, got 3 bytes"
    ):
        decode_picture(model(), base64.b64encode(b"abc").decode(), np.zeros((4, 4), np.uint8))
    with pytest.raises(InputError, match="image: expected 4 x 4 pixels of 3 channels"):
        decode_picture(model(), None, np.zeros((4, 4), np.uint8))
    with pytest.raises(InputError, match="The file: expected a PNG, JPEG or GeoTIFF image"):
        ground_of_file(model(), b"nothing")
