"""Folders of real ground, in the forms that are known here."""

from pathlib import Path

import numpy as np

from vinlab.domains.mars.terrain import Terrain
from vinlab.types import InputError

SLOPE_PER_NUMBER = 0.2
"""Degrees for each step of the CTX slope map."""


def read_mars_folder(path: str | Path) -> list[Terrain]:
    """The terrains of a folder."""
    from PIL import Image

    path = Path(path)
    if not (path / "slope_dn.png").is_file():
        raise InputError(f"{path} is none of the known folders of terrain.")
    image, numbers, valid = (
        np.array(Image.open(path / name)) for name in ("image.png", "slope_dn.png", "valid.png")
    )
    slope = np.where(valid, SLOPE_PER_NUMBER * numbers, np.nan).astype(np.float32)
    return [Terrain(image, slope, path.name)]
