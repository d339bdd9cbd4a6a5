"""A piece of terrain: what a camera sees of it from above, and its slope."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float32, UInt8

from vinlab.types import InputError


@dataclass(frozen=True)
class Terrain:
    """An image with the slope of the terrain at each of its pixels."""

    image: UInt8[np.ndarray, "h w"]
    slope: Float32[np.ndarray, "h w"]
    """Degrees; NaN where it is not known, or where the image has no data."""
    name: str = "terrain"
    notes: tuple[str, ...] = ()
    """Sentences on what was assumed or changed when image and slope were brought together."""

    def __post_init__(self) -> None:
        if self.image.shape != self.slope.shape:
            raise InputError(
                f"{self.name}: expected one slope for each pixel of the image, got an image of {self.image.shape} and "
                f"a slope of {self.slope.shape}."
            )

    @property
    def known(self) -> Bool[np.ndarray, "h w"]:
        """Where both the image and the slope are known."""
        return np.isfinite(self.slope)
