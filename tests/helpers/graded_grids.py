"""Random graded grids."""

import numpy as np

from vinlab.planning.graded import GradedGrid


def random_cells(rng: np.random.Generator, shape: tuple[int, int], kind: int) -> np.ndarray:
    """Costs of three kinds: within a factor of ten, over six orders of magnitude, and whole numbers with ties."""
    kinds = (
        rng.uniform(0.5, 5.0, shape),
        np.exp(rng.uniform(-7, 7, shape)),
        rng.integers(1, 4, shape).astype(float),
    )
    return np.where(rng.random(shape) < rng.uniform(0, 0.4), np.inf, kinds[kind])


def random_grid(rng: np.random.Generator, number: int) -> tuple[GradedGrid, tuple[int, int]]:
    shape = tuple(rng.integers(1, 16, 2).tolist())
    cells = random_cells(rng, shape, number % 3)
    goal = tuple(rng.integers(0, shape).tolist())
    cells[goal] = 1.0
    return GradedGrid(cells, corner_cutting=number % 2 == 0), goal
