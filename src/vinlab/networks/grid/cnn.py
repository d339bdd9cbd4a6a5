"""The paper's first baseline: a reactive CNN that sees the map, the goal and its own position.

The position is a channel of the image, so every state of a map needs its own forward pass. But two states of one map
differ only in a small window, which grows by one cell with every filter: the rest is computed once for the map.
"""

from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from vinlab.networks.base import Policy, require_side
from vinlab.types import MOVE_NAMES, InputError, Iterations


@dataclass(frozen=True)
class UniqueStates:
    """The unique states among those of a query."""

    owner: Int[Tensor, " N"]
    """The map of each state."""
    places: Int[Tensor, "N 2"]
    """Row and column of each state."""
    which: Int[Tensor, "B S"]
    """The index of each state of the query among the unique ones."""

    def spread(self, found: Float[Tensor, "N M"]) -> Float[Tensor, "B S M"]:
        """The results of the unique states, at every state of the query."""
        return found[self.which]


def unique_states(states: Int[Tensor, "B S 2"], size: int) -> UniqueStates:
    """The unique states on square maps of this side."""
    owners = torch.arange(len(states), device=states.device)[:, None]
    keys = (owners * size + states[..., 0].long()) * size + states[..., 1].long()
    different, which = keys.unique(return_inverse=True)
    places = torch.stack([different // size % size, different % size], dim=1)
    return UniqueStates(different // size**2, places, which)


REACH = 1
"""The radius of a filter of width 3."""

POOL = 2
"""The width and stride of pooling."""

SMALL = 16
"""Up to this side the windows cover most of the map, and computing only them is slower."""


def draw_glorot(layer: nn.Module) -> None:
    """Glorot-uniform weights and zero biases, as the authors' CNNs start with."""
    if isinstance(layer, nn.Conv2d | nn.Linear):
        assert layer.bias is not None
        nn.init.xavier_uniform_(layer.weight)
        nn.init.zeros_(layer.bias)


@dataclass(frozen=True)
class CnnConfig:
    """The CNN of the technical details: five layers of width 3, the first and the third pooled, one full layer."""

    kind: ClassVar[str] = "cnn"
    size: int
    """Side of the maps; unlike a VIN the network is tied to it."""
    filters: tuple[int, ...] = (50, 50, 100, 100, 100)
    pooled: tuple[int, ...] = (0, 2)
    """Which layers are followed by pooling."""

    def build(self) -> "ReactiveCnn":
        """The network with fresh weights, initialised as in the authors' code."""
        if self.size % POOL ** len(self.pooled):
            raise InputError(
                f"size: expected a multiple of {POOL ** len(self.pooled)} for pooling, got {self.size}."
            )
        return ReactiveCnn(self)


@dataclass(frozen=True)
class Window:
    """The part of a feature map in which a state differs from the map with an empty position channel."""

    owner: Int[Tensor, " N"]
    """The map of each state."""
    corner: Int[Tensor, "N 2"]
    """The first row and column, always inside the feature map."""
    content: Float[Tensor, "N C s s"]

    @property
    def side(self) -> int:
        """The side of the square."""
        return self.content.shape[-1]


class ReactiveCnn(Policy):
    """A policy whose input is map, goal and position as three channels of one image."""

    def __init__(self, config: CnnConfig) -> None:
        super().__init__()
        self.size = config.size
        channels = (3, *config.filters)
        self.filters = nn.ModuleList(
            nn.Conv2d(before, after, 2 * REACH + 1, padding=REACH)
            for before, after in zip(channels, config.filters, strict=False)
        )
        self.pooled = config.pooled
        side = config.size // POOL ** len(config.pooled)
        self.moves = nn.Linear(config.filters[-1] * side * side, len(MOVE_NAMES), bias=False)
        self.filters.apply(draw_glorot)
        nn.init.normal_(self.moves.weight, std=0.01)

    def plan(self, observation: Float[Tensor, "B C H W"], *, iterations: Iterations = None) -> list[Tensor]:
        """The feature maps of all layers with an empty position channel, shared by the states of a map."""
        require_side(observation, self.size, "CNN")
        empty_position = torch.zeros_like(observation[:, :1])
        image = torch.cat([observation, empty_position], dim=1).contiguous(memory_format=torch.channels_last)
        return self.images(image)

    def images(self, image: Float[Tensor, "N D H W"]) -> list[Tensor]:
        """The inputs of all convolutions and poolings, and the last output: the plain network."""
        images = [image]
        for index, layer in enumerate(self.filters):
            images.append(layer(images[-1]).relu())
            if index in self.pooled:
                images.append(functional.max_pool2d(images[-1], POOL))
        return images

    def act(self, plan: list[Tensor], states: Int[Tensor, "B S 2"]) -> Float[Tensor, "B S M"]:
        """The logits of the moves; a repeated state is computed once."""
        unique = unique_states(states, self.size)
        patch_features = self.patch_features if self.size > SMALL else self.patch_features_reference
        return unique.spread(self.moves(patch_features(plan, unique.owner, unique.places).flatten(1)))

    def patch_features_reference(
        self, plan: list[Tensor], owner: Int[Tensor, " N"], places: Int[Tensor, "N 2"]
    ) -> Float[Tensor, "N C h w"]:
        """The last feature map of some states, by a full pass with the position channel set."""
        image = plan[0][owner]
        image[torch.arange(len(owner)), -1, places[:, 0], places[:, 1]] = 1.0
        return self.images(image.contiguous(memory_format=torch.channels_last))[-1]

    def patch_features(
        self, plan: list[Tensor], owner: Int[Tensor, " N"], places: Int[Tensor, "N 2"]
    ) -> Float[Tensor, "N C h w"]:
        """The same, but faster: only the windows in which the states differ are computed."""
        window, images = patch_from_state(plan[0], owner, places), iter(plan)
        for index, layer in enumerate(self.filters):
            assert isinstance(layer, nn.Conv2d)
            window = conv_patch(next(images), window, layer)
            if index in self.pooled:
                window = pool_patch(next(images), window)
        image = next(images)
        whole = torch.zeros_like(window.corner)
        return gather_patch(image, window, whole, image.shape[-1])


def patch_from_state(
    image: Float[Tensor, "B D H W"], owner: Int[Tensor, " N"], places: Int[Tensor, "N 2"]
) -> Window:
    """The one cell of each state that its position marks."""
    cells = image[owner, :, places[:, 0], places[:, 1]]
    cells = torch.cat([cells[:, :-1], torch.ones_like(cells[:, :1])], dim=1)
    return Window(owner, places, cells[..., None, None])


def conv_patch(image: Float[Tensor, "B C H W"], window: Window, layer: nn.Conv2d) -> Window:
    """The window after a convolution: one cell wider on each side, within the feature map."""
    side = min(window.side + 2 * REACH, image.shape[-1])
    corner = (window.corner - REACH).clamp(0, image.shape[-1] - side)
    frame = gather_patch(image, window, corner - REACH, side + 2 * REACH)
    return Window(window.owner, corner, functional.conv2d(frame, layer.weight, layer.bias).relu())


def pool_patch(image: Float[Tensor, "B C H W"], window: Window) -> Window:
    """The window after pooling: all blocks that it overlaps."""
    blocks = image.shape[-1] // POOL
    side = min(window.side // POOL + 1, blocks)
    corner = (window.corner // POOL).clamp(0, blocks - side)
    frame = gather_patch(image, window, POOL * corner, POOL * side)
    return Window(window.owner, corner, functional.max_pool2d(frame, POOL))


def gather_patch(
    image: Float[Tensor, "B C H W"], window: Window, corner: Int[Tensor, "N 2"], side: int
) -> Float[Tensor, "N C f f"]:
    """A square of each state's feature map: its window, the map's own features around it, 0 beyond the edge.

    All cells are in one table that an embedding reads: its gradient is far faster than that of indexing.
    """
    size, channels = image.shape[-1], image.shape[1]
    cells = [image.new_zeros(1, channels), _by_cell(image), _by_cell(window.content)]
    number = torch.arange(len(window.owner), device=image.device)
    rows, cols = (corner[:, axis, None] + torch.arange(side, device=image.device) for axis in (0, 1))
    of_map = 1 + _places(window.owner, rows, cols, size)
    inside = _within(rows, size)[:, :, None] & _within(cols, size)[:, None, :]
    rows, cols = rows - window.corner[:, :1], cols - window.corner[:, 1:]
    of_window = 1 + len(cells[1]) + _places(number, rows, cols, window.side)
    changed = _within(rows, window.side)[:, :, None] & _within(cols, window.side)[:, None, :]
    index = torch.where(changed, of_window, torch.where(inside, of_map, 0))
    return functional.embedding(index, torch.cat(cells)).permute(0, 3, 1, 2)


def _by_cell(image: Float[Tensor, "B C H W"]) -> Float[Tensor, "cells C"]:
    return image.permute(0, 2, 3, 1).reshape(-1, image.shape[1])


def _places(
    owner: Int[Tensor, " N"], rows: Int[Tensor, "N f"], cols: Int[Tensor, "N f"], size: int
) -> Int[Tensor, "N f f"]:
    return (owner[:, None, None] * size + rows[:, :, None]) * size + cols[:, None, :]


def _within(places: Int[Tensor, "N f"], size: int) -> Tensor:
    return (places >= 0) & (places < size)
