"""Value iteration on a graph as a layer, over sparse edges."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from vinlab.planning.bellman import require_iterations
from vinlab.planning.tensors import are_plain, at_least_float32, require_same_type, without_autocast
from vinlab.types import GraphPlan, InputError

NODE_TYPES = (torch.int64, torch.int32, torch.int16, torch.uint8, torch.int8)


@dataclass(frozen=True)
class GraphTransition:
    """The edges of a graph; the weight of an edge multiplies the value of its target."""

    sources: Int[Tensor, " E"]
    targets: Int[Tensor, " E"]
    weights: Float[Tensor, " E"] | Float[Tensor, "B E"]
    num_nodes: int

    def __post_init__(self) -> None:
        edges = self.sources.shape
        for name in ("sources", "targets"):
            nodes: Tensor = getattr(self, name)
            if nodes.ndim != 1 or nodes.shape != edges or nodes.dtype not in NODE_TYPES:
                raise InputError(
                    f"{name}: expected one whole number for each edge, got {nodes.dtype} of the shape "
                    f"{tuple(nodes.shape)} beside {tuple(edges)} sources."
                )
            if len(nodes) and not 0 <= int(nodes.min()) <= int(nodes.max()) < self.num_nodes:
                found = f"{int(nodes.min())} to {int(nodes.max())}"
                raise InputError(f"{name}: expected nodes from 0 to {self.num_nodes - 1}, got {found}.")
        if self.weights.ndim not in (1, 2) or self.weights.shape[-1:] != edges:
            raise InputError(
                f"weights: expected one for each of {edges[0]} edges, got the shape {tuple(self.weights.shape)}."
            )

    @cached_property
    def edge_tables(self) -> "list[EdgeTable]":
        """The outgoing edges of all nodes that have any, in tables by their number."""
        return group_edges(self.sources, self.num_nodes)

    @cached_property
    def rows(self) -> "tuple[np.ndarray, np.ndarray, np.ndarray]":
        """The edges as compressed sparse rows: offset of each node's edges, their targets and weights."""
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
    that leave n. The value of a node without outgoing edges is its reward.
    """

    def __init__(self, *, iterations: int) -> None:
        super().__init__()
        require_iterations(iterations)
        self.iterations = iterations

    def forward(
        self, reward: Float[Tensor, "B N"], transition: GraphTransition, *, iterations: int | None = None
    ) -> GraphPlan:
        """Plan for every node at once."""
        reward = at_least_float32(reward)
        value = self.values(reward, transition, iterations=iterations)
        with without_autocast(reward):
            q = evaluate(reward[:, transition.sources], value, transition)
        return GraphPlan(reward=reward, q=q, value=value)

    def values(
        self, reward: Float[Tensor, "B N"], transition: GraphTransition, *, iterations: int | None = None
    ) -> Float[Tensor, "B N"]:
        """The value of every node alone; on large graphs much cheaper than the q of every edge."""
        iterations = self.iterations if iterations is None else iterations
        require_iterations(iterations)
        reward = at_least_float32(reward)
        _require_reward(reward, transition)
        # The value before the first backup is zero, so the first maximisation gives every node its reward.
        if is_compiled_for(reward, transition):
            return compiled_values(reward, transition, iterations - 1)
        return reference_values(reward, transition, iterations - 1)

    def extra_repr(self) -> str:
        """The settings that ``print`` shows."""
        return f"iterations={self.iterations}"


def _require_reward(reward: Tensor, transition: GraphTransition) -> None:
    if reward.ndim != 2 or reward.shape[1] != transition.num_nodes:
        raise InputError(
            f"reward: expected {transition.num_nodes} nodes as in the transition, got the shape {tuple(reward.shape)}."
        )
    weights = transition.weights
    if weights.ndim == 2 and len(weights) not in (1, len(reward)):
        raise InputError(
            f"weights: expected those of {len(reward)} problems as in the reward, got {len(weights)}."
        )
    require_same_type(reward=reward, weights=weights)


def is_compiled_for(reward: Tensor, transition: GraphTransition) -> bool:
    """Whether the compiled backups apply: on the CPU, in float32, with constant weights that all problems share."""
    weights = transition.weights
    if not reward.dtype == weights.dtype == torch.float32 or weights.ndim > 1 or weights.requires_grad:
        return False
    if not are_plain(reward, weights, transition.sources, transition.targets):
        return False
    return int(np.diff(transition.rows[0]).max(initial=0)) <= MAX_EDGES


MAX_EDGES = 32767
"""The compiled backups store the index of a node's best edge in two bytes."""


def reference_values(
    reward: Float[Tensor, "B N"], transition: GraphTransition, backups: int
) -> Float[Tensor, "B N"]:
    """The values after so many backups, starting from the reward, by tensor operations."""
    immediate, value = reward[:, transition.sources], reward
    for _ in range(backups):
        value = maximise(evaluate(immediate, value, transition), reward, transition)
    return value


def compiled_values(
    reward: Float[Tensor, "B N"], transition: GraphTransition, backups: int
) -> Float[Tensor, "B N"]:
    """The same by a compiled kernel that keeps two bytes per node and backup for the gradient."""
    from vinlab.planning.fused.graph import GraphBackups

    return GraphBackups.apply(reward, transition, backups)


def evaluate(
    immediate: Float[Tensor, "B E"], value: Float[Tensor, "B N"], transition: GraphTransition
) -> Float[Tensor, "B E"]:
    """The q of each edge: the reward of its source plus the weighted value of its target."""
    return immediate + transition.weights * value[:, transition.targets]


def maximise(
    q: Float[Tensor, "B E"], reward: Float[Tensor, "B N"], transition: GraphTransition
) -> Float[Tensor, "B N"]:
    """The q of each node's best edge; its gradient goes to that edge alone."""
    value = reward
    for table in transition.edge_tables:
        best = q[:, table.edges].max(dim=2).values
        value = value.index_copy(1, table.nodes, best)
    return value


def group_edges(sources: Int[Tensor, " E"], num_nodes: int) -> list[EdgeTable]:
    """Tables of outgoing edges, one per power of two of their number, so that little padding is needed.

    One table for all nodes would be as wide as the largest out-degree.
    """
    order = torch.argsort(sources, stable=True)
    counts = torch.bincount(sources, minlength=num_nodes)
    first = torch.cumsum(counts, dim=0) - counts
    widths = torch.where(counts > 0, 2 ** torch.ceil(torch.log2(counts.clamp(min=1))), 0).long()
    tables = []
    for width in map(int, torch.unique(widths[widths > 0])):  # PyTorch 2.6 has no tolist() inside transforms
        nodes = torch.nonzero(widths == width).flatten()
        places = torch.arange(width, device=sources.device).expand(len(nodes), -1)
        places = torch.minimum(places, counts[nodes, None] - 1)
        tables.append(EdgeTable(nodes=nodes, edges=order[first[nodes, None] + places]))
    return tables
