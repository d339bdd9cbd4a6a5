"""A VIN that learns what ground costs from images: an encoder, a cost for each cell, a search."""

from dataclasses import dataclass
from typing import ClassVar, Final

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from vinlab.modules import IdentityPolicy, StateAttention
from vinlab.modules.move_cost import KnownMoves
from vinlab.modules.symmetry import mean_over_symmetries
from vinlab.networks.terrain.ground_encoder import GroundConfig, GroundEncoder
from vinlab.networks.terrain.policies import EncodingVin, GroundPolicy
from vinlab.networks.terrain.reward import marked_cells
from vinlab.planning.cell_costs import cell_move_costs, free_moves
from vinlab.planning.costs import CostMap, terminals_at
from vinlab.planning.shortest_path import ShortestPathPlanner
from vinlab.types import Batch

LEAST_COST: Final = 2.1
"""Of a cell. Costs are in units of the demonstrator's temperature: of log(8) = 2.08 or less, paths of any length in
circles would be as likely as straight ones."""

MOST_LOG_COST: Final = 9.0
"""Beyond it a cost has no gradient; costs then differ by a factor of 4,000."""

FIRST_LOG_COST: Final = 2.3
"""Of all cells before learning: far above the least cost, so that costs can differ by orders of magnitude at once."""

LEAST_GUIDANCE: Final = 1e-3
"""A guidance map costs at least this in each cell, so that a search ends."""

FIRST_SPREAD: Final = 0.6
"""Half the range of the costs of kinds before learning, as logarithms in units of the gain."""

GAIN: Final = 3.0
"""What the last layer is multiplied by, for the same reason."""


@dataclass(frozen=True)
class Ground(Batch):
    """What an image tells, whatever the goal."""

    costs: Float[Tensor, "B H W"]
    """Of each cell; a move costs its length times the mean of the two cells that it joins."""
    blocked: Bool[Tensor, "B H W"]


class GroundCosts(nn.Module):
    """The reward part: a cost for each cell, from the channels of an image; its last channel marks blocked cells.

    With ``symmetric`` the cost is the mean over the turned and mirrored image outside of training: ground costs the
    same whichever way the camera was held, and errors that only some of these images have average out.
    """

    def __init__(self, encoder: GroundEncoder, *, symmetric: bool = False) -> None:
        super().__init__()
        self.encoder, self.symmetric = encoder, symmetric
        self.log_cost = nn.Conv2d(encoder.channels, 1, 1)
        assert self.log_cost.bias is not None
        with torch.no_grad():
            self.log_cost.weight.mul_(0.1)
            self.log_cost.bias.fill_(FIRST_LOG_COST / GAIN)

    def encode(self, images: Float[Tensor, "B C h w"]) -> Ground:
        """The cost of each cell, and which are blocked: those with a blocked pixel."""
        blocked = functional.max_pool2d(images[:, -1:], self.encoder.pixels)[:, 0] > 0
        above_least = self.above_least_of(images[:, :-1])
        return Ground(LEAST_COST + above_least, blocked)

    def above_least_of(self, images: Float[Tensor, "B C h w"]) -> Float[Tensor, "B H W"]:
        """What each cell costs beyond the least cost, from the channels of an image."""
        if self.symmetric and not self.training:
            return mean_over_symmetries(lambda seen: self.above_least(self.encoder(seen)), images)
        return self.above_least(self.encoder(images))

    def above_least(self, features: Float[Tensor, "B D H W"]) -> Float[Tensor, "B H W"]:
        """What each cell costs beyond the least cost, from its features."""
        return (GAIN * self.log_cost(features)[:, 0]).clamp(max=MOST_LOG_COST).exp()

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


class KindCosts(GroundCosts):
    """The same for ground of a few kinds, each with one cost: what a cell is likely to be, and the cost to expect.

    Noise within a kind then hardly changes its cost, so that a route does not wind from one cell to the next, and
    ground that might be dear is taken as rather dear.
    """

    def __init__(self, encoder: GroundEncoder, kinds: int, *, symmetric: bool = False) -> None:
        nn.Module.__init__(self)
        self.encoder, self.symmetric = encoder, symmetric
        self.kind = nn.Conv2d(encoder.channels, kinds, 1)
        spread = torch.linspace(-FIRST_SPREAD, FIRST_SPREAD, kinds)
        self.log_cost_of_kind = nn.Parameter(FIRST_LOG_COST / GAIN + spread)

    def costs_of_kinds(self) -> Float[Tensor, " K"]:
        """What each kind costs beyond the least cost."""
        return (GAIN * self.log_cost_of_kind).clamp(max=MOST_LOG_COST).exp()

    def above_least(self, features: Float[Tensor, "B D H W"]) -> Float[Tensor, "B H W"]:
        """What each cell costs beyond the least cost, from its features."""
        likely = (GAIN * self.kind(features)).softmax(dim=1)
        return (likely * self.costs_of_kinds()[:, None, None]).sum(dim=1)


class GuidanceCosts(GroundCosts):
    """Costs between 0 and a largest one, as the guidance maps of Neural A*."""

    def __init__(self, encoder: GroundEncoder, *, largest: float, symmetric: bool = False) -> None:
        super().__init__(encoder, symmetric=symmetric)
        self.largest = largest
        assert self.log_cost.bias is not None
        nn.init.zeros_(self.log_cost.bias)

    def encode(self, images: Float[Tensor, "B C h w"]) -> Ground:
        """The cost of each cell, and which are blocked."""
        ground = super().encode(images)
        # The cost above the least one is an exponential, whose logarithm is the input of the sigmoid.
        share = (ground.costs - LEAST_COST + 1e-9).log().sigmoid()
        return Ground(self.largest * share + LEAST_GUIDANCE, ground.blocked)


class GroundVin(GroundPolicy, EncodingVin):
    """A VIN with ``GroundCosts``."""

    def __init__(self, *, reward: GroundCosts, **parts: nn.Module) -> None:
        super().__init__(reward=reward, **parts)
        self.pixels, self.channels = reward.encoder.pixels, reward.encoder.inputs

    def goals(self, observation: Float[Tensor, "B C h w"]) -> Int[Tensor, "B 2"]:
        """The cell that the last channel of each observation marks."""
        return marked_cells(observation[:, -1], self.pixels)


@dataclass(frozen=True)
class GroundVinConfig(GroundConfig):
    """A VIN that learns the cost of each cell of an image and plans until the value settles."""

    kind: ClassVar[str] = "ground-vin"
    kinds: int = 0
    """Of ground, each with one cost; where 0, a cell may have any."""
    symmetric: bool = False
    """Whether a cost is the mean over the turned and mirrored image, outside of training."""

    def build(self) -> GroundVin:
        """The network with fresh weights."""
        encoder, alike = self.encoder(), {"symmetric": self.symmetric}
        return GroundVin(
            reward=KindCosts(encoder, self.kinds, **alike) if self.kinds else GroundCosts(encoder, **alike),
            transition=KnownMoves(),
            planner=ShortestPathPlanner(),
            attention=StateAttention(),
            policy=IdentityPolicy(),
        )


@dataclass(frozen=True)
class GuidanceVinConfig(GroundVinConfig):
    """The same with bounded costs: the encoder of Neural A*, with an exact search on its guidance map."""

    kind: ClassVar[str] = "guidance-vin"
    largest: float = 1.0
    """The largest cost of a cell, beside moves to the goal that count 1 in the heuristic."""

    def build(self) -> GroundVin:
        """The network with fresh weights."""
        network = super().build()
        network.reward = GuidanceCosts(network.reward.encoder, largest=self.largest, symmetric=self.symmetric)
        return network
