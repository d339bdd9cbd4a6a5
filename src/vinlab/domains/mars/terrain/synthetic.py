"""Synthetic terrain: fractal relief with scarps and aged craters, lit from the west as an orbiter sees it."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float32

from vinlab.domains.mars.rasters.grid import even_spacing
from vinlab.domains.mars.rasters.slope import slope_degrees
from vinlab.domains.mars.terrain import Terrain
from vinlab.domains.mars.terrain.camera import CameraConfig, render
from vinlab.domains.mars.terrain.noise import Noises, unit_gradient
from vinlab.types import InputError

LAYERS = 8
"""Steps of layered terrain."""
SMALLEST_CRATER = 2.0
"""Radius in pixels."""
DEPTH, RIM = 0.28, 0.05
"""Depth of a fresh crater and height of its rim, as shares of its radius."""
MODEL_BLUR = 1.0
"""Pixels over which an elevation model is smoothed."""


@dataclass(frozen=True)
class SyntheticConfig:
    """How terrain is generated; heights are in pixels, so that a steepness of 1 is 45 degrees.

    The numbers were chosen so that slopes, blocked cells and what the image tells about them resemble the training
    terrain of the CTX strip (``vinlab.experiments.mars.terrain_report``).
    """

    side: int = 1024
    """Pixels along each edge of a terrain."""
    relief: float = 0.053
    """Steepness of the fine relief where it is neither very rough nor very smooth."""
    swell: float = 0.056
    """Steepness of hills and valleys there."""
    roughness: float = 1.25
    """How much both vary over the terrain: standard deviation of their logarithm."""
    scarps: float = 0.12
    """Steepness of the steps at the edges of layers."""
    craters: float = 3e-4
    """Craters per pixel; their number falls with the square of the radius."""
    largest_crater: float = 90.0
    """Radius in pixels."""
    matching: float = 0.025
    """Steepness of the stereo matching errors of an elevation model, which no image shows."""
    camera: CameraConfig = field(default_factory=CameraConfig)
    """Light and camera."""

    def __post_init__(self) -> None:
        if self.side < 16 or self.largest_crater < SMALLEST_CRATER:
            raise InputError(
                f"expected a side of at least 16 and a largest_crater of at least {SMALLEST_CRATER:g}, got {self}."
            )


def synthetic_terrains(
    count: int, *, rng: np.random.Generator, config: SyntheticConfig | None = None
) -> Iterator[Terrain]:
    """Pieces of terrain, each with its own light, one after the other."""
    if count < 1:
        raise InputError(f"expected at least 1 terrain, got {count}.")
    config = config or SyntheticConfig()
    return (make_terrain(f"synthetic {index}", config, rng=rng) for index in range(count))


def make_terrain(name: str, config: SyntheticConfig, *, rng: np.random.Generator) -> Terrain:
    """One piece of terrain, with the image of a camera and the slope of an imperfect elevation model."""
    from scipy.ndimage import gaussian_filter

    noises = Noises(config.side, rng)
    relief = make_relief(noises, config)
    model = gaussian_filter(relief, MODEL_BLUR)
    model += config.matching * unit_gradient(noises.fractal(1.0, 24.0, 5.0))
    slope = slope_degrees(model, even_spacing(config.side, 1.0, 1.0))
    notes = ("Synthetic terrain.",)
    return Terrain(render(relief, noises, config.camera), slope, name, notes)


def make_relief(
    noises: Noises, config: SyntheticConfig
) -> Float32[np.ndarray, "{config.side} {config.side}"]:
    """The heights, in pixels."""
    rough = noises.lognormal(config.roughness, 1.7, 400.0, 16.0)
    rough = rough * np.float32(np.exp(-(config.roughness**2) / 2))
    relief = config.relief * unit_gradient(noises.fractal(1.6, 60.0))
    relief += config.swell * unit_gradient(noises.fractal(1.8, 160.0, 20.0))
    relief *= rough
    relief += config.scarps * unit_gradient(_layers(noises))
    _add_craters(relief, config, noises.rng)
    return relief


def _layers(noises: Noises) -> np.ndarray:
    """Layers that end in steps of varying height along winding lines."""
    winding = noises.fractal(1.6, 200.0, 6.0)
    layers = np.zeros_like(winding)
    for level in noises.rng.uniform(-2.2, 2.2, LAYERS).astype(np.float32):
        layers += np.tanh((winding - level) * np.float32(12.5))
    return layers * noises.lognormal(0.9, 1.5, 250.0, 24.0)


def _add_craters(relief: np.ndarray, config: SyntheticConfig, rng: np.random.Generator) -> None:
    """Add craters of all ages, in place: old ones are shallow and have low rims."""
    from vinlab.domains.mars.terrain.kernels import add_craters

    count = int(rng.poisson(config.craters * config.side**2))
    # So that N(> radius) falls with the square of the radius.
    radii = np.minimum(SMALLEST_CRATER * rng.uniform(0, 1, count) ** -0.5, config.largest_crater)
    freshness = rng.uniform(0.08, 1.0, count) ** 1.5
    rows, cols = rng.uniform(0, config.side, (2, count))
    add_craters(relief, rows, cols, radii, DEPTH * radii * freshness, RIM * radii * freshness)
