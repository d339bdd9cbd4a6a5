"""Value iteration on a graph as a layer: sparse edges instead of a grid's neighbours."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
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
    def choices(self) -> "list[EdgeTable]":
        """The outgoing edges of all nodes that have any, in tables of similar width."""
        return group_choices(self.sources, self.num_nodes)

    @cached_property
    def rows(self) -> "tuple[np.ndarray, np.ndarray, np.ndarray]":
        """The edges as compressed rows: where each node's begin, their targets and their weights."""
        order = torch.argsort(self.sources, stable=True)
        offsets = np.zeros(self.num_nodes + 1, dtype=np.int64)
        np.cumsum(np.bincount(self.sources.numpy(), minlength=self.num_nodes), out=offsets[1:])
        return offsets, self.targets[order].numpy(), self.weights[order].numpy()


@dataclass(frozen=True)
class EdgeTable:
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
        value = self.values(reward, transition, iterations=iterations)
        q = evaluate(reward[:, transition.sources], value, transition)
        return GraphPlan(reward=reward, q=q, value=value)

    def values(
        self, reward: Float[Tensor, "B N"], transition: GraphTransition, *, iterations: int | None = None
    ) -> Float[Tensor, "B N"]:
        """The worth of every node alone; on large graphs much cheaper than the worth of every edge."""
        iterations = self.iterations if iterations is None else iterations
        require_iterations(iterations)
        if reward.shape[1] != transition.num_nodes:
            raise InputError(f"a reward for {reward.shape[1]} nodes came with {transition.num_nodes} nodes.")
        # The value before the first backup is zero, so the first maximisation gives every node its reward.
        if is_compiled_for(reward, transition):
            return compiled_values(reward, transition, iterations - 1)
        return reference_values(reward, transition, iterations - 1)

    def extra_repr(self) -> str:
        """The settings that ``print`` shows."""
        return f"iterations={self.iterations}"


def is_compiled_for(reward: Tensor, transition: GraphTransition) -> bool:
    """Whether the compiled backups can be used: on the CPU, with given weights that all problems share.

    They keep no second derivative, and single precision is what they are made for.
    """
    weights = transition.weights
    on_cpu = reward.device.type == "cpu" and reward.dtype == weights.dtype == torch.float32
    if not on_cpu or weights.ndim > 1 or weights.requires_grad:
        return False
    return int(np.diff(transition.rows[0]).max(initial=0)) <= MOST_EDGES


MOST_EDGES = 32767
"""The compiled backups note the best edge of a node in two bytes."""


def reference_values(
    reward: Float[Tensor, "B N"], transition: GraphTransition, backups: int
) -> Float[Tensor, "B N"]:
    """The values after so many backups from the reward, in plain tensor operations."""
    immediate, value = reward[:, transition.sources], reward
    for _ in range(backups):
        value = maximise(evaluate(immediate, value, transition), reward, transition)
    return value


def compiled_values(
    reward: Float[Tensor, "B N"], transition: GraphTransition, backups: int
) -> Float[Tensor, "B N"]:
    """The same by a compiled kernel that keeps two bytes per node and backup for the gradient."""
    from vinlab.planning.fused.graph import GraphBackups

    return GraphBackups.apply(reward, transition.rows, backups)


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


def group_choices(sources: Int[Tensor, " E"], num_nodes: int) -> list[EdgeTable]:
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
        groups.append(EdgeTable(nodes=nodes, edges=order[first[nodes, None] + places]))
    return groups
