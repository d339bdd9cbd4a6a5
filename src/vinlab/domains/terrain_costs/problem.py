"""Pictures of several kinds of ground, each with a hidden cost, under light, texture and noise."""

from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Bool, Float32, Int64, UInt8
from torch import Tensor

from vinlab.types import GOAL_MARK, Batch, InputError


@dataclass(frozen=True)
class Ground:
    """One kind of ground: what a picture shows of it, and what it costs to cross a cell."""

    name: str
    cost: float
    colour: tuple[float, float, float]
    """Red, green and blue, from 0 to 1."""
    contrast: float
    """The standard deviation of its texture."""
    grain: float
    """The size of its texture's grains in pixels."""


GROUNDS = (
    Ground("path", 0.6, (0.70, 0.60, 0.46), 0.02, 1.5),
    Ground("meadow", 1.5, (0.36, 0.60, 0.26), 0.05, 1.0),
    Ground("heath", 4.0, (0.56, 0.38, 0.46), 0.10, 0.7),
    Ground("scree", 11.0, (0.48, 0.50, 0.56), 0.14, 0.5),
    Ground("bog", 30.0, (0.27, 0.33, 0.20), 0.04, 2.0),
)
"""The same in every dataset, whatever its seed, so that one can be trained on and another tested on."""


@dataclass(frozen=True)
class TerrainCostsConfig:
    """How pictures are made."""

    size: int | tuple[int, int] = 40
    """Cells along the edge of a picture, or rows and columns."""
    patch: float = 4.0
    """About how many cells wide a piece of one kind of ground is."""
    light: float = 0.25
    """How much brighter or darker than the mean light falls on the edges of a picture."""
    noise: float = 0.04
    """The standard deviation of the camera's noise, where brightness is 0 to 1."""
    least_distance: float = 0.5
    """Between start and goal, along the longer axis, in sides of the picture."""

    def __post_init__(self) -> None:
        if min(self.shape) < 4:
            raise InputError(f"size: expected at least 4 cells a side, got {min(self.shape)}.")

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return (self.size, self.size) if isinstance(self.size, int) else self.size


@dataclass(frozen=True)
class TerrainCostsProblems(Batch):
    """Pictures with hidden costs, and a start and a goal on each."""

    images: UInt8[np.ndarray, "N 3 H W"]
    kinds: Int64[np.ndarray, "N H W"]
    """The kind of ground of each cell, as an index of ``GROUNDS``."""
    costs: Float32[np.ndarray, "N H W"]
    """Of crossing a cell; a move costs its length times the mean of the two cells that it joins."""
    starts: Int64[np.ndarray, "N 2"]
    goals: Int64[np.ndarray, "N 2"]


def sample_problems(
    config: TerrainCostsConfig, count: int, *, rng: np.random.Generator
) -> TerrainCostsProblems:
    """Pictures with one problem each."""
    if count < 1:
        raise InputError(f"expected at least 1 problem, got {count}.")
    kinds, costs, images = zip(*(_picture(config, rng) for _ in range(count)), strict=True)
    starts, goals = random_ends(config.shape, config.least_distance, count, rng=rng)
    return TerrainCostsProblems(np.stack(images), np.stack(kinds), np.stack(costs), starts, goals)


def sample_dataset(
    config: TerrainCostsConfig, pictures: int, paths: int, *, rng: np.random.Generator
) -> tuple[TerrainCostsProblems, Int64[np.ndarray, " N"]]:
    """Several problems on each picture, those of one after the other, and the picture of each."""
    if paths < 1:
        raise InputError(f"expected at least 1 path on each picture, got {paths}.")
    own = sample_problems(config, pictures, rng=rng)
    owners = np.repeat(np.arange(pictures), paths)
    starts, goals = random_ends(config.shape, config.least_distance, len(owners), rng=rng)
    repeated = own[owners]
    return replace(repeated, starts=starts, goals=goals), owners


def random_ends(
    shape: tuple[int, ...], least: float, count: int, *, rng: np.random.Generator
) -> tuple[Int64[np.ndarray, "N 2"], Int64[np.ndarray, "N 2"]]:
    """Random starts and goals that lie far enough from each other, along the longer axis, in sides of the map."""
    found: list[np.ndarray] = []
    while len(found) < count:
        ends = np.stack([rng.integers(0, side, 2) for side in shape], axis=-1)
        if np.abs(ends[0] - ends[1]).max() >= max(1, int(least * max(shape))):
            found.append(ends)
    starts, goals = np.stack(found, axis=1)
    return starts, goals


def _picture(config: TerrainCostsConfig, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """The kinds of ground, their costs and the picture."""
    fields = [_smooth(config.shape, config.patch * rng.uniform(0.6, 1.4), rng) for _ in GROUNDS]
    kinds = np.argmax(fields, axis=0)
    costs = np.array([ground.cost for ground in GROUNDS])[kinds]
    colours = np.array([ground.colour for ground in GROUNDS])[kinds]
    textures = np.stack([g.contrast * _smooth(config.shape, g.grain, rng) for g in GROUNDS])
    texture = np.take_along_axis(textures, kinds[None], axis=0)[0]
    brightness = (1 + texture) * _light(config, rng)
    shown = colours * brightness[..., None] + rng.normal(0, config.noise, (*config.shape, 3))
    image = np.clip(255 * shown, 0, 255).astype(np.uint8).transpose(2, 0, 1)
    return kinds, costs.astype(np.float32), image


def _light(config: TerrainCostsConfig, rng: np.random.Generator) -> np.ndarray:
    """Light that falls off to one side, and is brighter in one picture than in another."""
    down, along = (np.linspace(-1, 1, side) for side in config.shape)
    angle = rng.uniform(0, 2 * np.pi)
    slope = config.light * rng.uniform(0, 1)
    falling = np.sin(angle) * down[:, None] + np.cos(angle) * along
    return 1 + slope * falling + 0.2 * rng.normal() * config.light


def _smooth(shape: tuple[int, int], width: float, rng: np.random.Generator) -> np.ndarray:
    """Random numbers of mean 0 and standard deviation 1 that change over a width of cells."""
    from scipy.ndimage import gaussian_filter

    field = gaussian_filter(rng.normal(size=shape), width, mode="wrap")
    return (field - field.mean()) / field.std()


def observe(
    images: Float32[np.ndarray, "B C h w"],
    blocked: Bool[np.ndarray, "B H W"],
    goals: Int64[np.ndarray, "B 2"],
    pixels: int,
) -> Float32[Tensor, "B D h w"]:
    """The channels of each image, one of blocked cells, and one in which the goal's cell is marked."""
    cells = np.zeros((len(images), 2, *blocked.shape[1:]), np.float32)
    cells[:, 0] = blocked
    cells[np.arange(len(images)), 1, goals[:, 0], goals[:, 1]] = GOAL_MARK
    wide = cells.repeat(pixels, axis=2).repeat(pixels, axis=3)
    return torch.from_numpy(np.concatenate([images, wide], axis=1))
