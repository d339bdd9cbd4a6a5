"""The parts of a VIN that reads pages: rewards by likeness, attention over a planning graph, reactive scores."""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from vinlab.planning.graph import GraphTransition
from vinlab.types import Clicks


@dataclass(frozen=True)
class SiteView:
    """What a policy sees of a site: the features of its pages, and the graph that it may plan on."""

    features: Float[Tensor, "N D"]
    """May be half precision and lie in a mapped file: only the rows of a batch are ever read."""
    nodes: Int[Tensor, " G"]
    """The pages that the planning graph consists of."""
    transition: GraphTransition
    membership: Int[Tensor, "N m"]
    """The nodes that stand for each page, filled up by repetition: itself, or the categories that it is in."""

    @property
    def dimension(self) -> int:
        """How many numbers describe a page."""
        return self.features.shape[1]

    @cached_property
    def node_features(self) -> Float[Tensor, "G D"]:
        """The features of the planning graph."""
        return self.read(self.nodes)

    def read(self, pages: Int[Tensor, "*S"]) -> Float[Tensor, "*S D"]:
        """The features of some pages, in single precision; filler (-1) reads as page 0."""
        rows = self.features.index_select(0, pages.clamp(min=0).reshape(-1))
        return rows.float().reshape(*pages.shape, -1)


class DiagonalBilinear(nn.Module):
    """``(W a + b)ᵀ c`` with a diagonal W, the paper's measure of how alike two texts are.

    Features have length √D, so weights near 0.05 keep a sigmoid or tanh of it away from saturation.
    """

    def __init__(self, dimension: int, *, initial: float = 0.05) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.full((dimension,), initial))
        self.bias = nn.Parameter(torch.zeros(dimension))

    def forward(self, first: Float[Tensor, "*S D"], second: Float[Tensor, "G D"]) -> Float[Tensor, "*S G"]:
        """How alike each of the first is to each of the second."""
        return (self.weight * first + self.bias) @ second.T


class TanhSimilarityReward(nn.Module):
    """The paper's reward of a node: ``tanh`` of its likeness to the query."""

    def __init__(self, dimension: int) -> None:
        super().__init__()
        self.likeness = DiagonalBilinear(dimension)

    def forward(self, queries: Float[Tensor, "B D"], nodes: Float[Tensor, "G D"]) -> Float[Tensor, "B G"]:
        """The reward of every node for every query."""
        return torch.tanh(self.likeness(queries, nodes))


class SoftmaxPageReward(nn.Module):
    """The chance of each node to be the one that the query describes: a softmax of ``(W φ(q) + b)ᵀ φ(s)``.

    W is a whole matrix that starts as a multiple of the identity, so it begins as plain likeness.
    """

    def __init__(self, dimension: int, *, initial: float = 0.2) -> None:
        super().__init__()
        self.turn = nn.Linear(dimension, dimension)
        with torch.no_grad():
            self.turn.weight.copy_(initial * torch.eye(dimension))
            self.turn.bias.zero_()

    def forward(self, queries: Float[Tensor, "B D"], nodes: Float[Tensor, "G D"]) -> Float[Tensor, "B G"]:
        """The reward of every node for every query."""
        return (self.turn(queries) @ nodes.T).softmax(dim=1)


@runtime_checkable
class Attention(Protocol):
    """From the values of the planning graph to one number for each candidate link."""

    def __call__(self, site: SiteView, value: Float[Tensor, "B G"], clicks: Clicks) -> Float[Tensor, "S l"]:
        """What the plan of its query says for each candidate."""
        ...


class SimilarityAttention(nn.Module):
    """The paper's: the sum of all nodes' values, weighted by ``sigmoid`` of their likeness to the candidate."""

    def __init__(self, dimension: int, *, scale: float = 0.1) -> None:
        super().__init__()
        self.likeness = DiagonalBilinear(dimension)
        self.scale = scale

    def forward(self, site: SiteView, value: Float[Tensor, "B G"], clicks: Clicks) -> Float[Tensor, "S l"]:
        """What the plan of its query says for each candidate."""
        # Batches see the same pages again and again: what concerns a page alone is computed once.
        pages, place = torch.unique(clicks.candidates, return_inverse=True)
        weights = torch.sigmoid(self.likeness(site.read(pages), site.node_features))
        said = self.scale * weights @ value.T
        return gather_entries(said, place, clicks.rows[:, None].expand_as(place))


class MembershipAttention(nn.Module):
    """The value of the nodes that stand for the candidate: the page itself, or the best category it is in."""

    def __init__(self, *, scale: float = 1.0) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(scale))

    def forward(self, site: SiteView, value: Float[Tensor, "B G"], clicks: Clicks) -> Float[Tensor, "S l"]:
        """What the plan of its query says for each candidate."""
        return self.scale * read_members(site, value, clicks)


class LogMembershipAttention(MembershipAttention):
    """The logarithm of the value at the candidate: where values are chances, one unit is one factor."""

    def forward(self, site: SiteView, value: Float[Tensor, "B G"], clicks: Clicks) -> Float[Tensor, "S l"]:
        """What the plan of its query says for each candidate."""
        return self.scale * torch.log(read_members(site, value, clicks) + 1e-12)


def read_members(site: SiteView, value: Float[Tensor, "B G"], clicks: Clicks) -> Float[Tensor, "S l"]:
    """The best value among the nodes that stand for each candidate."""
    members = site.membership[clicks.candidates.clamp(min=0)]
    return gather_entries(value, clicks.rows[:, None, None].expand_as(members), members).amax(dim=-1)


def gather_entries(
    table: Float[Tensor, "n m"], rows: Int[Tensor, "*S"], columns: Int[Tensor, "*S"]
) -> Float[Tensor, "*S"]:
    """The entries at these rows and columns; one flat index makes the gradient far cheaper than two."""
    flat = (rows * table.shape[1] + columns).reshape(-1)
    return table.reshape(-1).index_select(0, flat).reshape(columns.shape)


class ReactiveScores(nn.Module):
    """``h = tanh(W [φ(s); φ(q)])`` and scores ``hᵀ φ(s')``: the policy without a plan (Nogueira and Cho, 2016)."""

    def __init__(self, dimension: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(2 * dimension, dimension)
        with torch.no_grad():
            self.hidden.weight.mul_(0.3)

    def forward(
        self, pages: Float[Tensor, "S D"], queries: Float[Tensor, "S D"], candidates: Float[Tensor, "S l D"]
    ) -> Float[Tensor, "S l"]:
        """The score of each candidate link."""
        hidden = torch.tanh(self.hidden(torch.cat([pages, queries], dim=-1)))
        return torch.bmm(candidates, hidden[..., None])[..., 0]


class PlanGate(nn.Module):
    """``γ(s, q)``: how much the plan counts on this page for this query."""

    def __init__(self, dimension: int) -> None:
        super().__init__()
        self.layer = nn.Linear(2 * dimension, 1)
        with torch.no_grad():
            self.layer.weight.mul_(0.1)
            self.layer.bias.fill_(0.5)

    def forward(self, pages: Float[Tensor, "S D"], queries: Float[Tensor, "S D"]) -> Float[Tensor, "S 1"]:
        """Between -1 and 1."""
        return torch.tanh(self.layer(torch.cat([pages, queries], dim=-1)))
