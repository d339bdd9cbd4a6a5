"""Small terrains and Mars problems for tests."""

import numpy as np

from vinlab.domains.mars.problem import MarsProblems
from vinlab.domains.mars.terrain import Terrain


def open_terrain(count=6):
    """Patches of 16 x 16 free cells under random images."""
    images = np.random.default_rng(0).integers(0, 256, (count, 128, 128)).astype(np.uint8)
    starts, goals = np.tile([2, 3], (count, 1)), np.tile([9, 14], (count, 1))
    return MarsProblems(images, np.zeros((count, 16, 16), bool), starts, goals, np.arange(count))


def rough_terrain(count=12):
    """Patches of 8 x 8 cells, a quarter of them blocked, with a free row and column in which start and goal lie."""
    rng = np.random.default_rng(0)
    images = rng.integers(0, 256, (count, 64, 64)).astype(np.uint8)
    obstacles = rng.random((count, 8, 8)) < 0.25
    obstacles[:, 4], obstacles[:, :, 4] = False, False
    starts, goals = np.tile([4, 0], (count, 1)), np.tile([0, 4], (count, 1))
    return MarsProblems(images, obstacles, starts, goals, np.arange(count))


def marked_terrain(height, width, seed, name="marked"):
    """Terrain with some steep places; the image is noise, so that a patch tells where it was cut from."""
    rng = np.random.default_rng(seed)
    slope = np.where(rng.random((height, width)) < 0.02, 20.0, 3.0).astype(np.float32)
    return Terrain(rng.integers(0, 256, (height, width), dtype=np.uint8), slope, name)


def noise_images(count):
    """Random images of 16 x 16 cells."""
    return np.random.default_rng(0).integers(0, 256, (count, 128, 128)).astype(np.uint8)
