"""A piece of ground: what a camera sees of it from above, and how steep it is."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float32, UInt8

from vinlab.types import InputError


@dataclass(frozen=True)
class Terrain:
    """An image with the slope of the ground below each of its pixels."""

    image: UInt8[np.ndarray, "h w"]
    slope: Float32[np.ndarray, "h w"]
    """Degrees; NaN where it is not known, or where the image shows nothing."""
    name: str = "terrain"
    notes: tuple[str, ...] = ()
    """Sentences that say how image and slope were brought together."""

    def __post_init__(self) -> None:
        if self.image.shape != self.slope.shape:
            raise InputError(
                f"{self.name} must have one slope for each pixel of its image, but the image is "
                f"{self.image.shape} and the slope {self.slope.shape}."
            )

    @property
    def known(self) -> Bool[np.ndarray, "h w"]:
        """Where both the image and the slope are known."""
        return np.isfinite(self.slope)
