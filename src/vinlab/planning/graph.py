"""Value iteration on a graph as a layer: sparse edges instead of a grid's neighbours."""

from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from vinlab.planning.bellman import require_iterations
from vinlab.types import GraphPlan, InputError


@dataclass(frozen=True)
class GraphTransition:
    """Where one can go from each node, and how much of the value there comes back along the edge."""

    sources: Int[Tensor, " E"]
    targets: Int[Tensor, " E"]
    weights: Float[Tensor, " E"] | Float[Tensor, "B E"]
    num_nodes: int

    def __post_init__(self) -> None:
        for name in ("sources", "targets"):
            nodes: Tensor = getattr(self, name)
            if len(nodes) and not 0 <= int(nodes.min()) <= int(nodes.max()) < self.num_nodes:
                raise InputError(f"{name} must lie in 0..{self.num_nodes - 1}, but some do not.")

    @cached_property
    def choices(self) -> "list[Choices]":
        """The outgoing edges of all nodes that have any, in tables of similar width."""
        return group_choices(self.sources, self.num_nodes)


@dataclass(frozen=True)
class Choices:
    """The outgoing edges of some nodes, padded with a repeated edge to a common width."""

    nodes: Int[Tensor, " n"]
    edges: Int[Tensor, "n width"]


class GraphPlanner(nn.Module):
    """Value iteration over sparse edges, K backups deep (Section 4.4 of the paper).

    ``q[e] = reward[source of e] + weight[e] * value[target of e]`` and ``value[n] = max of q`` over the edges
    that leave n. A node that no edge leaves is worth its reward.
    """

    def __init__(self, *, iterations: int) -> None:
        super().__init__()
        self.iterations = iterations

    def forward(
        self, reward: Float[Tensor, "B N"], transition: GraphTransition, *, iterations: int | None = None
    ) -> GraphPlan:
        """Plan for every node at once."""
        iterations = self.iterations if iterations is None else iterations
        require_iterations(iterations)
        if reward.shape[1] != transition.num_nodes:
            raise InputError(f"a reward for {reward.shape[1]} nodes came with {transition.num_nodes} nodes.")
        immediate = reward[:, transition.sources]
        value = reward
        # The value before the first backup is zero, so the first maximisation gives every node its reward.
        for _ in range(iterations - 1):
            value = maximise(evaluate(immediate, value, transition), reward, transition)
        return GraphPlan(reward=reward, q=evaluate(immediate, value, transition), value=value)

    def extra_repr(self) -> str:
        """The settings that ``print`` shows."""
        return f"iterations={self.iterations}"


def evaluate(
    immediate: Float[Tensor, "B E"], value: Float[Tensor, "B N"], transition: GraphTransition
) -> Float[Tensor, "B E"]:
    """The worth of following each edge: the reward here and the weighted value there."""
    return immediate + transition.weights * value[:, transition.targets]


def maximise(
    q: Float[Tensor, "B E"], reward: Float[Tensor, "B N"], transition: GraphTransition
) -> Float[Tensor, "B N"]:
    """The worth of each node's best edge; its gradient goes to that edge alone."""
    value = reward
    for group in transition.choices:
        best = q[:, group.edges].max(dim=2).values
        value = value.index_copy(1, group.nodes, best)
    return value


def group_choices(sources: Int[Tensor, " E"], num_nodes: int) -> list[Choices]:
    """Tables of outgoing edges, one per power of two of their number, so that few entries are filler.

    One table for all nodes would be as wide as the most linked one, far too wide where a few pages have
    hundreds of links and most have ten.
    """
    order = torch.argsort(sources, stable=True)
    counts = torch.bincount(sources, minlength=num_nodes)
    first = torch.cumsum(counts, dim=0) - counts
    widths = torch.where(counts > 0, 2 ** torch.ceil(torch.log2(counts.clamp(min=1))), 0).long()
    groups = []
    for width in torch.unique(widths[widths > 0]).tolist():
        nodes = torch.nonzero(widths == width).flatten()
        places = torch.arange(width, device=sources.device).expand(len(nodes), -1)
        places = torch.minimum(places, counts[nodes, None] - 1)
        groups.append(Choices(nodes=nodes, edges=order[first[nodes, None] + places]))
    return groups
