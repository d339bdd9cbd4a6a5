"""A VIN that learns what ground costs from images: an encoder, a cost for each cell, a search."""

from dataclasses import dataclass
from typing import ClassVar, Final

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from vinlab.modules import IdentityPolicy, StateAttention
from vinlab.modules.move_cost import KnownMoves
from vinlab.networks.terrain.ground_encoder import GroundEncoder, View
from vinlab.networks.terrain.policies import GroundPolicy
from vinlab.networks.terrain.reward import marked_cells
from vinlab.networks.vin import ValueIterationNetwork
from vinlab.planning.cell_costs import cell_move_costs, free_moves
from vinlab.planning.costs import CostMap, terminals_at
from vinlab.planning.shortest_path import ShortestPathPlan, ShortestPathPlanner
from vinlab.types import Iterations

LEAST_COST: Final = 2.1
"""Of a cell. Costs are in units of the demonstrator's temperature: of log(8) = 2.08 or less, paths of any length in
circles would be as likely as straight ones."""

MOST_LOG_COST: Final = 9.0
"""Beyond it a cost has no gradient; costs then differ by a factor of 4,000."""

FIRST_LOG_COST: Final = 2.3
"""Of all cells before learning: far above the least cost, so that costs can differ by orders of magnitude at once."""

LEAST_GUIDANCE: Final = 1e-3
"""A guidance map costs at least this in each cell, so that a search ends."""

GAIN: Final = 3.0
"""What the last layer is multiplied by, for the same reason."""


@dataclass(frozen=True)
class Ground:
    """What an image tells, whatever the goal."""

    costs: Float[Tensor, "B H W"]
    """Of each cell; a move costs its length times the mean of the two cells that it joins."""
    blocked: Bool[Tensor, "B H W"]


class GroundCosts(nn.Module):
    """The reward part: a cost for each cell, from the channels of an image; its last channel marks blocked cells."""

    def __init__(self, encoder: GroundEncoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.log_cost = nn.Conv2d(encoder.channels, 1, 1)
        assert self.log_cost.bias is not None
        with torch.no_grad():
            self.log_cost.weight.mul_(0.1)
            self.log_cost.bias.fill_(FIRST_LOG_COST / GAIN)

    def encode(self, images: Float[Tensor, "B C h w"]) -> Ground:
        """The cost of each cell, and which are blocked: those with a blocked pixel."""
        log_cost = GAIN * self.log_cost(self.encoder(images[:, :-1]))[:, 0]
        blocked = functional.max_pool2d(images[:, -1:], self.encoder.pixels)[:, 0] > 0
        return Ground(LEAST_COST + log_cost.clamp(max=MOST_LOG_COST).exp(), blocked)

    def condition_on_goals(self, ground: Ground, goals: Int[Tensor, "B G 2"]) -> CostMap:
        """The costs of moves and the terminal cell of each goal; the goals of one image follow each other."""
        count = goals.shape[1]
        costs = cell_move_costs(ground.costs).repeat_interleave(count, dim=0)
        allowed = free_moves(ground.blocked).repeat_interleave(count, dim=0) if ground.blocked.any() else None
        rows, cols = ground.costs.shape[1:]
        return CostMap(costs, terminals_at(goals.flatten(0, 1)[:, None], rows, cols), allowed)

    def forward(self, observation: Float[Tensor, "B C h w"]) -> CostMap:
        """The costs of moves, and the goal that the last channel of the observation marks."""
        goals = marked_cells(observation[:, -1], self.encoder.pixels)[:, None]
        return self.condition_on_goals(self.encode(observation[:, :-1]), goals)


class GuidanceCosts(GroundCosts):
    """Costs between 0 and 1, as the guidance maps of Neural A*."""

    def encode(self, images: Float[Tensor, "B C h w"]) -> Ground:
        """The cost of each cell, and which are blocked."""
        ground = super().encode(images)
        # The cost above the least one is an exponential, whose logarithm is the input of the sigmoid.
        return Ground((ground.costs - LEAST_COST + 1e-9).log().sigmoid() + LEAST_GUIDANCE, ground.blocked)


class GroundVin(GroundPolicy, ValueIterationNetwork):
    """A VIN with ``GroundCosts``: the image is encoded once, and each goal gets a plan."""

    def __init__(self, *, reward: GroundCosts, **parts: nn.Module) -> None:
        super().__init__(reward=reward, **parts)
        self.pixels, self.channels = reward.encoder.pixels, reward.encoder.inputs

    @property
    def _costs(self) -> GroundCosts:
        assert isinstance(self.reward, GroundCosts)
        return self.reward

    def encode(self, images: Float[Tensor, "B C h w"]) -> Ground:
        """What the images tell without a goal."""
        return self._costs.encode(images)

    def goals(self, observation: Float[Tensor, "B C h w"]) -> Int[Tensor, "B 2"]:
        """The cell that the last channel of each observation marks."""
        return marked_cells(observation[:, -1], self.pixels)

    def condition_on_goals(
        self, features: Ground, goals: Int[Tensor, "B G 2"], *, iterations: Iterations = None
    ) -> ShortestPathPlan:
        """The plan for each goal."""
        problem = self._costs.condition_on_goals(features, goals)
        return self.planner(problem, self.transition(problem.costs), iterations=iterations)


@dataclass(frozen=True)
class GroundVinConfig:
    """A VIN that learns the cost of each cell of an image and plans until the value settles."""

    kind: ClassVar[str] = "ground-vin"
    mean: tuple[float, ...] = (0.0,)
    """Of each channel in the training images."""
    std: tuple[float, ...] = (1.0,)
    view: View = "near"
    hidden: int = 32
    pixels: int = 1
    """Along the edge of a cell."""

    def build(self) -> GroundVin:
        """The network with fresh weights."""
        encoder = GroundEncoder(
            mean=self.mean, std=self.std, view=self.view, hidden=self.hidden, pixels=self.pixels
        )
        return GroundVin(
            reward=GroundCosts(encoder),
            transition=KnownMoves(),
            planner=ShortestPathPlanner(),
            attention=StateAttention(),
            policy=IdentityPolicy(),
        )


@dataclass(frozen=True)
class GuidanceVinConfig(GroundVinConfig):
    """The same with costs between 0 and 1: the encoder of Neural A*, with an exact search on its guidance map."""

    kind: ClassVar[str] = "guidance-vin"

    def build(self) -> GroundVin:
        """The network with fresh weights."""
        network = super().build()
        assert isinstance(network.reward, GroundCosts)
        reward = GuidanceCosts(network.reward.encoder)
        assert reward.log_cost.bias is not None
        nn.init.zeros_(reward.log_cost.bias)
        network.reward = reward
        return network
