"""Images with all their channels: what each kind of file gives, pixel for pixel."""

import io

import numpy as np
import pytest
from PIL import Image

from vinlab.maps.pictures import as_brightness, picture_of_bytes, with_channels
from vinlab.types import InputError

GREY = np.array([[0, 51, 102], [153, 204, 255]], np.uint8)
COLOUR = np.stack([GREY, 255 - GREY, GREY[::-1]], axis=-1)
CLEAR = np.array([[255, 128, 127], [0, 200, 255]], np.uint8)
KNOWN = [[True, True, False], [False, True, True]]


def png(image: Image.Image, **options: object) -> bytes:
    file = io.BytesIO()
    image.save(file, "PNG", **options)
    return file.getvalue()


def test_a_grey_image_has_one_channel_and_all_of_it_is_known():
    found = picture_of_bytes(png(Image.fromarray(GREY)), "a.png")
    np.testing.assert_array_equal(found.values, as_brightness(GREY[None]))
    assert found.known.tolist() == [[True] * 3] * 2


def test_an_image_of_black_and_white_has_one_channel():
    found = picture_of_bytes(png(Image.fromarray(GREY > 100)), "a.png")
    np.testing.assert_array_equal(found.values, (GREY > 100)[None].astype(np.float32))


def test_a_coloured_image_has_three_channels_in_their_order():
    found = picture_of_bytes(png(Image.fromarray(COLOUR)), "a.png")
    np.testing.assert_array_equal(found.values, as_brightness(COLOUR.transpose(2, 0, 1)))
    assert found.known.all()


def test_a_palette_is_looked_up():
    image = Image.fromarray(COLOUR).quantize(16)
    found = picture_of_bytes(png(image), "a.png")
    np.testing.assert_array_equal(
        found.values, as_brightness(np.asarray(image.convert("RGB")).transpose(2, 0, 1))
    )
    assert found.known.all()


@pytest.mark.parametrize("pixels", [GREY[..., None], COLOUR], ids=["grey", "colour"])
def test_what_is_more_transparent_than_not_is_unknown_and_zero(pixels):
    image = Image.fromarray(np.concatenate([pixels, CLEAR[..., None]], axis=-1))
    found = picture_of_bytes(png(image), "a.png")
    assert found.known.tolist() == KNOWN
    np.testing.assert_array_equal(
        found.values, as_brightness(np.where(found.known, pixels.transpose(2, 0, 1), 0).astype(np.uint8))
    )


def test_a_grey_that_stands_for_nothing_is_unknown():
    found = picture_of_bytes(png(Image.fromarray(GREY), transparency=102), "a.png")
    assert found.values.shape == (1, 2, 3)
    assert found.known.tolist() == [[True, True, False], [True, True, True]]
    assert found.values[0, 0, 2] == 0
    assert found.values[0, 1, 2] == 1


def test_sixteen_bits_are_scaled_by_their_own_white():
    found = picture_of_bytes(png(Image.fromarray(GREY.astype(np.uint16) * 257)), "a.png")
    np.testing.assert_allclose(found.values, as_brightness(GREY[None]), atol=1e-6)
    assert found.known.all()


def test_brightness_is_a_share_of_white_and_other_numbers_stay():
    assert as_brightness(np.array([0, 51, 255], np.uint8)).tolist() == pytest.approx([0, 0.2, 1])
    assert as_brightness(np.array([0, 13107, 65535], np.uint16)).tolist() == pytest.approx([0, 0.2, 1])
    assert as_brightness(np.array([-3.5, 300.0])).tolist() == [-3.5, 300.0]
    assert as_brightness(np.array([7], np.int32)).tolist() == [7.0]


def test_colour_becomes_grey_by_the_weights_of_the_eye():
    colour = picture_of_bytes(png(Image.fromarray(COLOUR)), "a.png")
    red, green, blue = colour.values
    grey = with_channels(colour, 1, "a.png")
    np.testing.assert_allclose(grey.values, (0.299 * red + 0.587 * green + 0.114 * blue)[None], atol=1e-6)
    assert with_channels(grey, 3, "a.png").values.tolist() == [grey.values[0].tolist()] * 3


def test_a_file_of_another_format_is_refused():
    with pytest.raises(
        InputError, match=r"a\.gif: expected a PNG, JPEG or GeoTIFF image, got another format"
    ):
        picture_of_bytes(b"GIF89a", "a.gif")
