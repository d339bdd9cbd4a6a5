"""The loss of Neural A* (Yonetani et al., 2021): an A* search whose every selection is differentiable.

The search keeps maps of the open and the closed cells and of the cost so far. In each step it selects the open cell
with the lowest f = (g + h) / 2 by a softmax, which is made one-hot forward and left soft backward. The loss is the mean
distance between the map of closed cells and the map of the demonstrated path: cells that were searched in vain count,
and so do cells of the path that were not found.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional

from vinlab.learners.path_losses import PathLoss
from vinlab.types import Demonstrations

TIE_BREAK = 0.001
"""The weight of the Euclidean distance beside the number of moves, in the heuristic."""


def search_history(
    costs: Float[Tensor, "B H W"],
    blocked: Bool[Tensor, "B H W"],
    starts: Int[Tensor, "B 2"],
    goals: Int[Tensor, "B 2"],
    *,
    steps: int,
) -> Float[Tensor, "B H W"]:
    """The cells that A* closes on its way to the goal, in at most ``steps`` steps; a move costs the cell it enters."""
    free, ahead = (~blocked).to(costs.dtype), heuristic(goals, costs.shape[1:]).to(costs.dtype)
    opened, goal = one_hot(starts, costs), one_hot(goals, costs)
    closed, so_far = torch.zeros_like(costs), torch.zeros_like(costs)
    active = torch.ones(len(costs), 1, 1, dtype=costs.dtype)
    for _ in range(steps):
        chosen = select((so_far + ahead) / 2, opened) * active
        closed, opened = torch.clamp(closed + chosen, 0, 1), torch.clamp(opened - chosen, 0, 1)
        active = active * (1 - (chosen * goal).sum(dim=(1, 2), keepdim=True).detach().round())
        if not active.any():
            break
        reached = around(chosen) * free
        through = (around(so_far * chosen) + costs) * reached
        better = (1 - opened) * (1 - closed) + opened * (so_far > through).to(costs.dtype)
        better = (better * reached).detach()
        so_far = through * better + so_far * (1 - better)
        opened = torch.clamp(opened + better, 0, 1)
    return closed


def select(f: Float[Tensor, "B H W"], opened: Float[Tensor, "B H W"]) -> Float[Tensor, "B H W"]:
    """The open cell with the lowest f as a one-hot map, with the gradient of a softmax."""
    # Above the lowest f of an open cell: above that of an unseen one, all scores could be too small for a float.
    lowest = f.masked_fill(opened.detach() < 0.5, torch.inf).amin(dim=(1, 2), keepdim=True)
    above = (f - lowest.nan_to_num(posinf=0.0)).clamp(min=0.0)
    scores = torch.exp(-above / math.sqrt(f.shape[2])) * opened
    soft = (scores / scores.sum(dim=(1, 2), keepdim=True).clamp(min=1e-12)).flatten(1)
    hard = functional.one_hot(soft.argmax(dim=1), soft.shape[1]).to(f.dtype)
    return (hard - soft.detach() + soft).view_as(f)


def around(cells: Float[Tensor, "B H W"]) -> Float[Tensor, "B H W"]:
    """The sum over the eight cells around each."""
    kernel = torch.ones(1, 1, 3, 3, dtype=cells.dtype, device=cells.device)
    kernel[0, 0, 1, 1] = 0
    return functional.conv2d(cells[:, None], kernel, padding=1)[:, 0]


def heuristic(goals: Int[Tensor, "B 2"], shape: Sequence[int]) -> Float[Tensor, "B H W"]:
    """Moves to the goal if nothing were in the way, with the Euclidean distance to break ties."""
    cells = torch.stack(torch.meshgrid(*(torch.arange(side) for side in shape), indexing="ij"), dim=-1)
    away = (cells - goals[:, None, None]).abs().float()
    return away.amax(dim=-1) + TIE_BREAK * away.norm(dim=-1)


def one_hot(cells: Int[Tensor, "B 2"], like: Float[Tensor, "B H W"]) -> Float[Tensor, "B H W"]:
    """A map with 1 in one cell."""
    maps = torch.zeros_like(like)
    maps[torch.arange(len(cells)), cells[:, 0], cells[:, 1]] = 1.0
    return maps


class SearchLoss(PathLoss):
    """The policy with the loss of Neural A*; the policy gives a cost for each cell."""

    def __init__(self, policy: Any, steps_share: float) -> None:
        super().__init__(policy)
        self.steps_share = steps_share

    def loss_of(self, part: Demonstrations) -> Float[Tensor, ""]:
        """The sum over the paths on maps of one size; each counts by its moves."""
        ground = self.policy.encode(part.observations[:, :-1])
        goals = self.policy.goals(part.observations)
        steps = int(self.steps_share * ground.costs[0].numel()) if self.training else ground.costs[0].numel()
        closed = search_history(ground.costs, ground.blocked, part.states[:, 0], goals, steps=steps)
        shown = one_hot(goals, closed)
        problem, place = part.weights.nonzero(as_tuple=True)
        cells = part.states[problem, place]
        shown[problem, cells[:, 0], cells[:, 1]] = 1.0
        return ((closed - shown).abs().mean(dim=(1, 2)) * part.weights.sum(dim=1)).sum()


@dataclass(frozen=True)
class SearchLossConfig:
    """The loss of Neural A*."""

    kind: ClassVar[str] = "search-history"
    steps_share: float = 0.25
    """The most steps of a search in training, as a share of the cells."""

    def build(self, policy: Any) -> SearchLoss:
        """The policy with its loss."""
        return SearchLoss(policy, self.steps_share)
