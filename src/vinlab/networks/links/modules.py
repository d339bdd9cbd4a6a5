"""The parts of a VIN over links: rewards by similarity, attention over a planning graph, reactive scores."""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from vinlab.networks.links.view import SiteView
from vinlab.types import LinkChoices

MANY_TIMES = 4
"""Pages that occur more often than this in a batch are compared with the nodes once."""


class DiagonalBilinear(nn.Module):
    """``(W a + b)ᵀ c`` with a diagonal W, the paper's measure of similarity.

    Features have length √D, so weights near 0.05 keep a sigmoid or tanh of it away from saturation. ``unit`` multiplies
    the product: with it weights near 1, which a step of Adam changes little, can stand for small ones.
    """

    def __init__(self, dimension: int, *, initial: float = 0.05, unit: float = 1.0) -> None:
        super().__init__()
        self.unit = unit
        self.weight = nn.Parameter(torch.full((dimension,), initial))
        self.bias = nn.Parameter(torch.zeros(dimension))

    def forward(self, first: Float[Tensor, "*S D"], second: Float[Tensor, "G D"]) -> Float[Tensor, "*S G"]:
        """The similarity of each of the first to each of the second."""
        return (self.unit * (self.weight * first + self.bias)) @ second.T


class SparseScores(nn.Module):
    """A sum of the kinds of similarity between a query and a page, with a learned weight for each.

    Similarities are cosines of long rows and mostly far below 1, so the weights are large; they are stored as tenths,
    which a step of Adam can move.
    """

    def __init__(self, initial: Sequence[float]) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.tensor(initial) / 10)

    def forward(self, similarities: Float[Tensor, "*S kinds"]) -> Float[Tensor, "*S"]:
        """The score of each pair."""
        return similarities @ (10 * self.weight)


class TanhSimilarityReward(nn.Module):
    """The paper's reward of a node: ``tanh`` of its similarity to the query."""

    def __init__(self, likeness: DiagonalBilinear) -> None:
        super().__init__()
        self.likeness = likeness

    def forward(
        self,
        queries: Float[Tensor, "B D"],
        nodes: Float[Tensor, "G D"],
        common: Float[Tensor, "B G"] | None = None,
    ) -> Float[Tensor, "B G"]:
        """The reward of every node for every query; ``common`` is their score by sparse features."""
        likeness = self.likeness(queries, nodes)
        return torch.tanh(likeness if common is None else likeness + common)


class SoftmaxPageReward(nn.Module):
    """The probability that the query describes each node: a softmax of ``(W φ(q) + b)ᵀ φ(s)``.

    W is a full matrix. It starts as a multiple of the identity, which is the dot product.
    """

    def __init__(self, dimension: int, *, initial: float = 0.2) -> None:
        super().__init__()
        self.turn = nn.Linear(dimension, dimension)
        with torch.no_grad():
            self.turn.weight.copy_(initial * torch.eye(dimension))
            self.turn.bias.zero_()

    def forward(
        self, queries: Float[Tensor, "B D"], nodes: Float[Tensor, "G D"], common: None = None
    ) -> Float[Tensor, "B G"]:
        """The reward of every node for every query."""
        return (self.turn(queries) @ nodes.T).softmax(dim=1)


class SparsePageReward(nn.Module):
    """The same probability by sparse features alone: a softmax of the score of each node."""

    def forward(
        self, queries: Float[Tensor, "B D"], nodes: Float[Tensor, "G D"], common: Float[Tensor, "B G"]
    ) -> Float[Tensor, "B G"]:
        """The reward of every node for every query."""
        return common.softmax(dim=1)


class SimilarityAttention(nn.Module):
    """The paper's: the sum of all nodes' values, weighted by ``sigmoid`` of their similarity to the candidate."""

    def __init__(self, dimension: int, *, scale: float = 0.1) -> None:
        super().__init__()
        self.likeness = DiagonalBilinear(dimension)
        self.scale = scale

    def forward(
        self, site: SiteView, value: Float[Tensor, "B G"], choices: LinkChoices
    ) -> Float[Tensor, "S l"]:
        """The plan's score of each candidate."""
        # A batch holds the same pages many times: what depends on the page alone is computed once.
        pages, place = torch.unique(choices.candidates, return_inverse=True)
        weights = torch.sigmoid(self.likeness(site.read(pages), site.node_features))
        read = self.scale * weights @ value.T
        return gather_entries(read, place, choices.rows[:, None].expand_as(place))


class SoftmaxAttention(nn.Module):
    """The mean of the nodes' values, weighted by a softmax of their similarity to the candidate.

    The weights of a candidate add up to 1, so that what is read is a value however many nodes there are.
    """

    def __init__(self, likeness: DiagonalBilinear, *, scale: float) -> None:
        super().__init__()
        self.likeness = likeness
        self.scale = scale

    def forward(
        self, site: SiteView, value: Float[Tensor, "B G"], choices: LinkChoices
    ) -> Float[Tensor, "S l"]:
        """The plan's score of each candidate."""
        pages, place = torch.unique(choices.candidates, return_inverse=True)
        rows = choices.rows[:, None].expand_as(place)
        if MANY_TIMES * len(pages) < place.numel():
            read = self._weights(site, pages) @ value.T
            return self.scale * gather_entries(read, place, rows)
        # Most pages occur once: each is read with the plan of its own query alone.
        read = torch.bmm(self._weights(site, choices.candidates), value[choices.rows][..., None])
        return self.scale * read[..., 0]

    def _weights(self, site: SiteView, pages: Int[Tensor, "*S"]) -> Float[Tensor, "*S G"]:
        return self.likeness(site.read(pages), site.node_features).softmax(dim=-1)


class MembershipAttention(nn.Module):
    """The value of the candidate's node: the page itself, or its best category."""

    def __init__(self, *, scale: float = 1.0) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(scale))

    def forward(
        self, site: SiteView, value: Float[Tensor, "B G"], choices: LinkChoices
    ) -> Float[Tensor, "S l"]:
        """The plan's score of each candidate."""
        return self.scale * read_members(site, value, choices)


class LogMembershipAttention(MembershipAttention):
    """The logarithm of the value at the candidate, for values that are probabilities."""

    def forward(
        self, site: SiteView, value: Float[Tensor, "B G"], choices: LinkChoices
    ) -> Float[Tensor, "S l"]:
        """The plan's score of each candidate."""
        return self.scale * torch.log(read_members(site, value, choices) + 1e-12)


def read_members(site: SiteView, value: Float[Tensor, "B G"], choices: LinkChoices) -> Float[Tensor, "S l"]:
    """The largest value among the nodes that stand for each candidate."""
    members = site.membership[choices.candidates.clamp(min=0)]
    return gather_entries(value, choices.rows[:, None, None].expand_as(members), members).amax(dim=-1)


def gather_entries(
    table: Float[Tensor, "n m"], rows: Int[Tensor, "*S"], columns: Int[Tensor, "*S"]
) -> Float[Tensor, "*S"]:
    """The entries at these rows and columns; the gradient of one flat index is far cheaper than that of two."""
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
    """``γ(s, q)``: the weight of the plan on this page for this query."""

    def __init__(self, dimension: int) -> None:
        super().__init__()
        self.layer = nn.Linear(2 * dimension, 1)
        with torch.no_grad():
            self.layer.weight.mul_(0.1)
            self.layer.bias.fill_(0.5)

    def forward(self, pages: Float[Tensor, "S D"], queries: Float[Tensor, "S D"]) -> Float[Tensor, "S 1"]:
        """Between -1 and 1."""
        return torch.tanh(self.layer(torch.cat([pages, queries], dim=-1)))
