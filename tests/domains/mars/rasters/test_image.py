"""One image is read as 8-bit grey and cropped to whole cells."""

import numpy as np
import pytest
from PIL import Image

from vinlab.domains.mars.rasters.image import read_terrain_image
from vinlab.types import InputError


def noise(height=128, width=128):
    return np.random.default_rng(0).integers(0, 256, (height, width), dtype=np.uint8)


def test_an_image_is_cropped_to_whole_cells_with_a_note(tmp_path):
    grey = noise(130, 101)
    Image.fromarray(grey).save(tmp_path / "i.png")
    found = read_terrain_image(tmp_path / "i.png")
    assert np.array_equal(found.image, grey[:128, :96])
    assert found.notes == ("The last 2 rows and 5 columns of pixels fill no cell.",)


def test_images_that_cannot_be_used_are_refused(tmp_path):
    Image.fromarray(noise(5, 50)).save(tmp_path / "small.png")
    with pytest.raises(InputError, match="expected at least one cell of 8 x 8 pixels, got 5 x 50"):
        read_terrain_image(tmp_path / "small.png")
    Image.fromarray(noise()).save(tmp_path / "cut.png")
    (tmp_path / "cut.png").write_bytes((tmp_path / "cut.png").read_bytes()[:3000])
    with pytest.raises(InputError, match=r"cut\.png cannot be read; it is damaged, cut off"):
        read_terrain_image(tmp_path / "cut.png")
    with pytest.raises(InputError, match="there is no such file"):
        read_terrain_image(tmp_path / "none.png")
