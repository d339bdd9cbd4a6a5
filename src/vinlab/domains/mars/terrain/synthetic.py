"""Synthetic terrain: fractal relief with scarps and aged craters, lit from the west as an orbiter sees it."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float32

from vinlab.domains.mars.rasters.grid import even_spacing, slope_degrees
from vinlab.domains.mars.terrain import Terrain
from vinlab.domains.mars.terrain.camera import CameraConfig, render
from vinlab.domains.mars.terrain.noise import Noises, unit_gradient
from vinlab.types import InputError

LAYERS = 8
"""Steps that a layered ground has."""
SMALLEST_CRATER = 2.0
"""Radius in pixels."""
DEPTH, RIM = 0.28, 0.05
"""Depth of a fresh crater and height of its rim, as shares of its radius."""
MODEL_BLUR = 1.0
"""Pixels over which an elevation model is smooth."""


@dataclass(frozen=True)
class SyntheticConfig:
    """How ground is made; heights are in pixels, so that a steepness of 1 is 45 degrees.

    The numbers were chosen so that slopes, blocked cells and what the image tells of them resemble the training
    ground of the CTX strip (``compare_grounds``).
    """

    side: int = 1024
    """Pixels along each edge of a terrain."""
    relief: float = 0.053
    """Steepness of the rough ground where it is neither very rough nor very smooth."""
    swell: float = 0.056
    """Steepness of hills and valleys there."""
    roughness: float = 1.25
    """How much both differ from place to place: deviation of their logarithm."""
    scarps: float = 0.12
    """Steepness of the steps at the edges of layers."""
    craters: float = 3e-4
    """Craters for each pixel of ground; their number falls with the square of the radius."""
    largest_crater: float = 90.0
    """Radius in pixels."""
    matching: float = 0.025
    """Steepness of the errors that an elevation model made from two images has, which no image shows."""
    camera: CameraConfig = CameraConfig()  # noqa: RUF009
    """Light and camera."""

    def __post_init__(self) -> None:
        if self.side < 16 or self.largest_crater < SMALLEST_CRATER:
            raise InputError(
                f"side must be at least 16 pixels and largest_crater {SMALLEST_CRATER:g}, but {self} came."
            )


def synthetic_terrains(
    count: int,
    *,
    rng: np.random.Generator,
    config: SyntheticConfig = SyntheticConfig(),  # noqa: B008
) -> list[Terrain]:
    """So many pieces of ground, each lit in its own way."""
    if count < 1:
        raise InputError(f"The number of terrains must be at least 1, but {count} came.")
    return [make_terrain(f"synthetic {index}", config, rng=rng) for index in range(count)]


def make_terrain(name: str, config: SyntheticConfig, *, rng: np.random.Generator) -> Terrain:
    """One piece of ground, as a camera and a not quite perfect elevation model know it."""
    from scipy.ndimage import gaussian_filter

    noises = Noises(config.side, rng)
    ground = make_relief(noises, config)
    model = gaussian_filter(ground, MODEL_BLUR)
    model += config.matching * unit_gradient(noises.fractal(1.0, 24.0, 5.0))
    slope = slope_degrees(model, even_spacing(config.side, 1.0, 1.0))
    notes = ("Synthetic: no such ground exists.",)
    return Terrain(render(ground, noises, config.camera), slope, name, notes)


def make_relief(
    noises: Noises, config: SyntheticConfig
) -> Float32[np.ndarray, "{config.side} {config.side}"]:
    """The height of the ground, in pixels."""
    rough = noises.lognormal(config.roughness, 1.7, 400.0, 16.0) * np.float32(
        np.exp(-(config.roughness**2) / 2)
    )
    ground = config.relief * unit_gradient(noises.fractal(1.6, 60.0))
    ground += config.swell * unit_gradient(noises.fractal(1.8, 160.0, 20.0))
    ground *= rough
    ground += config.scarps * unit_gradient(_layers(noises))
    _press_craters(ground, config, noises.rng)
    return ground


def _layers(noises: Noises) -> np.ndarray:
    """Layers that end in steps along winding lines, higher in some places than in others."""
    winding = noises.fractal(1.6, 200.0, 6.0)
    layers = np.zeros_like(winding)
    for level in noises.rng.uniform(-2.2, 2.2, LAYERS).astype(np.float32):
        layers += np.tanh((winding - level) * np.float32(12.5))
    return layers * noises.lognormal(0.9, 1.5, 250.0, 24.0)


def _press_craters(ground: np.ndarray, config: SyntheticConfig, rng: np.random.Generator) -> None:
    """Press craters of all ages into the ground, in place: old ones are shallow and have low rims."""
    from vinlab.domains.mars.terrain.kernels import add_craters

    count = int(rng.poisson(config.craters * config.side**2))
    # So that N(> radius) falls with the square of the radius.
    radii = np.minimum(SMALLEST_CRATER * rng.uniform(0, 1, count) ** -0.5, config.largest_crater)
    freshness = rng.uniform(0.08, 1.0, count) ** 1.5
    rows, cols = rng.uniform(0, config.side, (2, count))
    add_craters(ground, rows, cols, radii, DEPTH * radii * freshness, RIM * radii * freshness)
