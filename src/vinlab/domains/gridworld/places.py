"""Maps that look like places: offices, a laboratory, streets, a cave and others, each drawn from a random generator.

Every function returns obstacles as ones. Not all free cells need be connected.
"""

import numpy as np
from jaxtyping import Float64, UInt8

from vinlab.domains.gridworld.mazes import MazeConfig
from vinlab.domains.gridworld.obstacles import ObstacleConfig

Map = UInt8[np.ndarray, "H W"]


def offices(rng: np.random.Generator) -> Map:
    """Eight offices on both sides of a corridor, with doors and some furniture."""
    floor = walled(41, 61)
    floor[[16, 24], :] = 1
    for wall in (15, 30, 45):
        floor[:16, wall] = floor[24:, wall] = 1
    for door in (8, 20, 38, 52):
        floor[16, door : door + 2] = floor[24, door + 3 : door + 5] = 0
    for row, col in zip(rng.integers(2, 37, 40), rng.integers(2, 57, 40), strict=True):
        if not 14 <= row <= 25:
            floor[row : row + 2, col : col + 2] = 1
    return floor


def laboratory(rng: np.random.Generator) -> Map:
    """Three rooms as a robot's scanner sees them: benches, round tables, legs of chairs, and single wrong readings."""
    floor = walled(56, 72)
    floor[30, :46] = floor[30:, 45] = 1
    floor[30, 10:13] = floor[30, 36:39] = floor[42:45, 45] = 0
    for row in (6, 14, 22):  # benches with a gap
        floor[row : row + 2, 6:20] = floor[row : row + 2, 24:40] = 1
    floor[36:50, 6:8] = floor[36:50, 14:16] = floor[50, 22:38] = 1
    rows, cols = np.indices(floor.shape)
    for row, col, radius in ((12, 56, 4.2), (24, 62, 3.2), (38, 60, 5.0), (40, 30, 3.2)):
        floor[np.hypot(rows - row, cols - col) < radius] = 1
    floor[rng.random(floor.shape) < 0.02] = 1
    return floor


def warehouse(rng: np.random.Generator) -> Map:
    """Rows of shelves with aisles between them, a few of them blocked by pallets, and a bay for loading."""
    floor = walled(46, 70)
    for row in range(4, 42, 5):
        for col in range(12, 64, 13):
            floor[row : row + 2, col : col + 11] = 1
    for row in range(8, 42, 10):  # pallets wait in the bay
        floor[row : row + 2, 4:7] = 1
    for _ in range(16):
        row, col = 6 + 5 * rng.integers(0, 7), 12 + rng.integers(0, 50)
        floor[row : row + 3, col] = 1
    return floor


def city(rng: np.random.Generator) -> Map:
    """Blocks of houses between streets of several widths, an avenue across them, and a river with three bridges."""
    height, width = 80, 96
    town = np.ones((height, width), np.uint8)
    for side, streets in ((height, town), (width, town.T)):
        at = 1
        while at < side - 2:
            breadth = int(rng.choice([1, 1, 2, 3]))
            streets[at : at + breadth] = 0
            at += breadth + int(rng.integers(5, 11))
    rows, cols = np.indices(town.shape)
    town[np.abs(rows * 0.8 - cols + 10) < 2] = 0
    river = 56 + 6 * np.sin(rows / 13) + 2 * np.sin(rows / 5)
    town[np.abs(cols - river) < 4.5] = 0  # embankments
    water = np.abs(cols - river) < 3
    for bridge in (12, 41, 66):
        water[bridge : bridge + 2] = False
    town[water] = 1
    return town


def maze(rng: np.random.Generator) -> Map:
    """A maze with hardly a wall removed: long corridors and many dead ends."""
    maps, _ = MazeConfig(removed_walls=0.02).draw(61, 61, 1, rng=rng)
    return maps[0]


def cave(rng: np.random.Generator) -> Map:
    """Hollows that a cellular automaton leaves: a cell is rock if most of those around it are."""
    rock = walled(64, 88) | (rng.random((64, 88)) < 0.44)
    for _ in range(5):
        rock = (_around(rock) >= 5).astype(np.uint8)
    return rock


def rooms(rng: np.random.Generator) -> Map:
    """Square rooms of seven cells, most neighbours of which a door of one cell joins."""
    floor = np.zeros((65, 65), np.uint8)
    floor[::8, :] = floor[:, ::8] = 1
    for walls in (floor, floor.T):
        for wall in range(8, 64, 8):
            for room in range(0, 64, 8):
                if rng.random() < 0.75:
                    walls[wall, room + rng.integers(1, 8)] = 0
    return floor


def obstacles(rng: np.random.Generator) -> Map:
    """Discs and rectangles, as on the largest maps of the paper."""
    maps, _ = ObstacleConfig.for_size(28).draw(28, 28, 20, rng=rng)
    return sorted(maps, key=np.sum)[-4]


def mountains(rng: np.random.Generator) -> Map:
    """Heights with slopes too steep to climb: the steepest three tenths of the cells are blocked."""
    height = _noise(72, 72, smoothness=5.0, rng=rng)
    slope = np.hypot(*np.gradient(height))
    return (slope > np.quantile(slope, 0.7)).astype(np.uint8)


def harbour(rng: np.random.Generator) -> Map:
    """Water between islands, and a coast with piers."""
    height = _noise(64, 96, smoothness=4.5, rng=rng)
    land = height > np.quantile(height, 0.72)
    land[58:] = True
    land[42:58] = False
    for pier in range(6, 92, 8):
        land[45 + rng.integers(0, 6) : 58, pier : pier + 2] = True
    return land.astype(np.uint8)


def walled(height: int, width: int) -> Map:
    """A free map with a wall around it."""
    floor = np.zeros((height, width), np.uint8)
    floor[[0, -1], :] = floor[:, [0, -1]] = 1
    return floor


def _around(rock: Map) -> UInt8[np.ndarray, "H W"]:
    """How many of a cell and its eight neighbours are rock; all is rock outside."""
    padded = np.pad(rock, 1, constant_values=1)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3))
    return windows.sum(axis=(2, 3), dtype=np.uint8)


def _noise(
    height: int, width: int, *, smoothness: float, rng: np.random.Generator
) -> Float64[np.ndarray, "H W"]:
    """Random heights: waves of up to 28 cells, of which short ones have less power, the less the smoother.

    They are made for twice the size and cut, as they repeat at the edges.
    """
    spectrum = np.fft.rfft2(rng.standard_normal((2 * height, 2 * width)))
    frequency = np.hypot(np.fft.fftfreq(2 * height)[:, None], np.fft.rfftfreq(2 * width)[None])
    power = np.maximum(frequency, 1 / 28) ** -smoothness
    return np.fft.irfft2(spectrum * np.sqrt(power))[:height, :width]
