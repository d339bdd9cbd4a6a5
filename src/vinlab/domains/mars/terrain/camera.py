"""The image that an orbiter's camera takes of a relief: light and shadow, albedo, blur and noise."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float32, UInt8

from vinlab.domains.mars.terrain.noise import Noises, unit_gradient
from vinlab.types import InputError

SKYLIGHT = 0.35
"""The share of light that a shadow gets from the sky."""
CAMERA_BLUR = 0.6
"""Pixels over which the camera blurs."""


@dataclass(frozen=True)
class CameraConfig:
    """Light and camera; a pair of limits is the range of a uniform draw for each terrain."""

    texture: float = 0.055
    """Steepness of the texture that the camera sees but an elevation model is too coarse for."""
    albedo: float = 0.14
    """Standard deviation of the logarithm of the albedo."""
    azimuth: tuple[float, float] = (250.0, 290.0)
    """Direction of the sun, degrees from north by east: in the west, as for an orbiter in the afternoon."""
    elevation: tuple[float, float] = (25.0, 45.0)
    """Degrees of the sun above the horizon."""
    brightness: tuple[float, float] = (105.0, 145.0)
    """Mean grey value of a terrain."""
    contrast: tuple[float, float] = (19.0, 30.0)
    """Standard deviation of its grey values."""
    noise: float = 2.0
    """Standard deviation of the camera's noise, in grey values."""

    def __post_init__(self) -> None:
        west = 225 <= self.azimuth[0] <= self.azimuth[1] <= 315
        if not west or not 0 < self.elevation[0] <= self.elevation[1] < 90:
            raise InputError(
                "expected an azimuth in 225..315 (light from the west) and an elevation between 0 and 90, got "
                f"{self.azimuth} and {self.elevation}."
            )


def render(
    relief: Float32[np.ndarray, "h w"], noises: Noises, config: CameraConfig
) -> UInt8[np.ndarray, "h w"]:
    """The image of a relief whose heights are in pixels."""
    from scipy.ndimage import gaussian_filter

    sun = [float(np.radians(noises.rng.uniform(*limits))) for limits in (config.azimuth, config.elevation)]
    texture = unit_gradient(noises.fractal(1.0, 8.0)) * noises.lognormal(1.0, 1.5, 200.0, 16.0)
    seen = relief + np.float32(config.texture) * texture
    light = shade(seen, *sun)
    light[cast_shadow(seen, *sun)] *= SKYLIGHT
    albedo = noises.fractal(1.4, 250.0) + np.float32(0.45) * noises.fractal(1.0, 40.0)
    light *= np.exp(np.float32(config.albedo) * albedo)
    return _expose(gaussian_filter(light, CAMERA_BLUR), config, noises.rng)


def shade(relief: Float32[np.ndarray, "h w"], azimuth: float, elevation: float) -> Float32[np.ndarray, "h w"]:
    """Lambertian shading for a sun at these angles (radians, azimuth from north by east); 1 where it is flat."""
    down, along = np.gradient(relief)
    # Row 0 is the north: the sun stands -cos(azimuth) down the rows and sin(azimuth) along them.
    facing = np.float32(np.cos(azimuth)) * down - np.float32(np.sin(azimuth)) * along
    light = (1 + facing / np.float32(np.tan(elevation))) / np.sqrt(1 + down**2 + along**2)
    return np.maximum(light, 0)


def cast_shadow(
    relief: Float32[np.ndarray, "h w"], azimuth: float, elevation: float
) -> Bool[np.ndarray, "h w"]:
    """Where the relief hides a sun in the west, up to 45 degrees to either side."""
    from vinlab.domains.mars.terrain.kernels import cast_shadows

    drift = -np.cos(azimuth) / np.sin(azimuth)  # rows that light goes down for each column to the east
    return cast_shadows(relief, drift, np.float32(np.tan(elevation) * np.hypot(1.0, drift)))


def _expose(light: np.ndarray, config: CameraConfig, rng: np.random.Generator) -> np.ndarray:
    """Grey values of 8 bits; 0 is reserved for missing data."""
    brightness, contrast = (
        np.float32(rng.uniform(*limits)) for limits in (config.brightness, config.contrast)
    )
    grey = brightness + contrast * (light - light.mean()) / max(float(light.std()), 1e-6)
    grey += np.float32(config.noise) * rng.standard_normal(light.shape, np.float32)
    return np.clip(np.rint(grey), 1, 255).astype(np.uint8)
