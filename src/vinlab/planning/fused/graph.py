"""Compiled backups over sparse edges; the problems of a batch are contiguous in memory, so that a node is a vector."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from vinlab.planning.compiled import compiled
from vinlab.planning.graph import GraphTransition, reference_values
from vinlab.planning.tensors import are_plain


class GraphBackups(torch.autograd.Function):
    """The values after some backups, starting from the reward; the gradient follows the best edge of each node."""

    @staticmethod
    def forward(ctx: Any, reward: Tensor, transition: GraphTransition, backups: int) -> Tensor:
        """Values ``[B N]`` from rewards ``[B N]``."""
        rows = transition.rows
        across = np.ascontiguousarray(reward.detach().numpy().T)
        value, best = across, []
        for _ in range(backups):
            chosen = np.empty(across.shape, dtype=np.int16)
            value = backup(across, value, *rows, chosen)
            best.append(chosen)
        ctx.save_for_backward(reward)
        ctx.transition, ctx.best = transition, best
        return torch.from_numpy(np.ascontiguousarray(value.T))

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:  # pyright: ignore
        """The gradient of the reward; by the reference for second derivatives and batches of gradients."""
        (reward,), again = ctx.saved_tensors, torch.is_grad_enabled()
        if not again and are_plain(*gradients):
            return _send_back(gradients[0], ctx.transition, ctx.best), None, None
        with torch.enable_grad():
            values = reference_values(reward, ctx.transition, len(ctx.best))
        return *torch.autograd.grad(values, reward, gradients, create_graph=again), None, None


def _send_back(gradient: Tensor, transition: GraphTransition, best: list[np.ndarray]) -> Tensor:
    """In each backup the gradient of a node goes to its reward and to the target of its best edge."""
    flowing = np.ascontiguousarray(gradient.numpy().T)
    total = np.zeros_like(flowing)
    for chosen in reversed(best):
        total += flowing
        flowing = backpropagate(flowing, *transition.rows, chosen)
    total += flowing
    return torch.from_numpy(np.ascontiguousarray(total.T))


@compiled(fastmath={"contract", "nsz"})
def backup(reward, value, offsets, targets, weights, chosen):
    """One backup; ``chosen`` gets the index of each node's best edge, the first among equals."""
    nodes, batch = reward.shape
    found = np.empty_like(value)
    best = np.empty(batch, np.float32)
    place = np.empty(batch, np.float32)
    for node in range(nodes):
        first, last = offsets[node], offsets[node + 1]
        if first == last:
            found[node] = reward[node]
            chosen[node] = -1
            continue
        row, weight = value[targets[first]], weights[first]
        for b in range(batch):
            best[b] = weight * row[b]
            place[b] = 0.0
        for edge in range(first + 1, last):
            row, weight, number = value[targets[edge]], weights[edge], np.float32(edge - first)
            for b in range(batch):
                q = weight * row[b]
                better = (q > best[b]) | (q != q)  # NaN is the largest, as in PyTorch
                best[b] = q if better else best[b]
                place[b] = number if better else place[b]
        for b in range(batch):
            found[node, b] = reward[node, b] + best[b]
            chosen[node, b] = np.int16(place[b])
    return found


@compiled
def backpropagate(flowing, offsets, targets, weights, chosen):
    """The gradient of the values before a backup."""
    nodes, batch = flowing.shape
    before = np.zeros_like(flowing)
    for node in range(nodes):
        first = offsets[node]
        if first == offsets[node + 1]:
            continue
        for b in range(batch):
            edge = first + chosen[node, b]
            before[targets[edge], b] += weights[edge] * flowing[node, b]
    return before
