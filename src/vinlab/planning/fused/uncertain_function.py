"""The compiled fixed point of uncertain transitions as one differentiable function of PyTorch."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from vinlab.planning.fused.search_function import search
from vinlab.planning.fused.threads import run_shares, shares_of
from vinlab.planning.policy_iteration import UncertainProblem, evaluate_policy
from vinlab.planning.tensors import are_plain, arrays_of, needed_gradients


@dataclass(frozen=True)
class Accuracy:
    """When sweeps end."""

    tolerance: float
    """A sweep that changes no value by more than this share of it is the last."""
    most: int
    """Sweeps at most."""


def settle_by_sweeps(
    problem: UncertainProblem, accuracy: Accuracy
) -> tuple[Float[Tensor, "B A H W"], Float[Tensor, "B 1 H W"]]:
    """The q and value at the fixed point, by compiled sweeps."""
    inputs = (problem.share, problem.probabilities, problem.terminals)
    if torch.is_grad_enabled() and any(tensor.requires_grad for tensor in inputs):
        return Settle.apply(*inputs, accuracy)  # pyright: ignore[reportReturnType]
    q, value, *_ = _settle(problem, accuracy)
    return q, value


class Settle(torch.autograd.Function):
    """Sweeps to the fixed point that keep the values, the greedy policy and the order of cells."""

    @staticmethod
    def forward(ctx: Any, share: Tensor, probabilities: Tensor, terminals: Tensor, accuracy: Accuracy):
        """Plan, and keep the fixed point."""
        problem = UncertainProblem(share, probabilities, terminals)
        q, value, *kept = _settle(problem, accuracy)
        ctx.save_for_backward(share, probabilities, terminals, q, *kept)
        ctx.accuracy = accuracy
        return q, value

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor):
        """The gradients of share and kernels; by the reference for second derivatives and batches of gradients."""
        share, probabilities, terminals, q, values, policy, order, counts = ctx.saved_tensors
        problem = UncertainProblem(share, probabilities, terminals)
        again = torch.is_grad_enabled()
        if again or not are_plain(*gradients):
            with torch.enable_grad():
                results = evaluate_policy(problem, policy.view_as(terminals).long(), problem.moves.offsets)
            inputs, needed = (share, probabilities), ctx.needs_input_grad[:2]
            found = needed_gradients(results, inputs, needed, gradients, again=again)
        else:
            found = _send_back(problem, gradients, (q, values, policy, order, counts), ctx.accuracy)
        return *found, None, None


def _settle(problem: UncertainProblem, accuracy: Accuracy) -> tuple[Tensor, ...]:
    """The q and value; the settled values, greedy policy, order of cells and number of cells with a path."""
    from vinlab.planning.fused.uncertain import read_uncertain_maps, settle_maps

    share, moves = problem.share.detach(), problem.moves.offsets
    everywhere = share.new_empty(0)
    q, _, policy, order, counts, distances = search(-share, problem.terminals, everywhere, moves)
    value, values, policy = share.new_empty(len(share), 1, *share.shape[2:]), -distances, policy.flatten(1)
    changes = np.zeros(len(share))
    inputs = [*arrays_of(share), _kernels(problem), problem.offsets, moves]
    swept = [*inputs, *arrays_of(order, counts, values, policy), accuracy.tolerance, accuracy.most, changes]
    read = [*inputs, *arrays_of(values, q, value)]

    def work(first: int, last: int) -> None:
        settle_maps(first, last, *swept)
        read_uncertain_maps(first, last, *read)

    run_shares(work, (), len(share), share.numel() * 10)
    _warn(changes, accuracy, "the value")
    return q, value, values, policy, order, counts


def _send_back(
    problem: UncertainProblem, gradients: tuple[Tensor, ...], kept: tuple[Tensor, ...], accuracy: Accuracy
) -> tuple[Tensor, Tensor]:
    """The gradients of the reward's share and of the kernels."""
    from vinlab.planning.fused.uncertain import send_back_uncertain_maps

    q, values, policy, order, counts = kept
    gradient, changes = torch.empty_like(q), np.zeros(len(q))
    kernels = _kernels(problem)
    sums = np.zeros((len(shares_of(len(q))), *kernels.shape))
    arguments = [*arrays_of(*gradients, q, values, policy), kernels, problem.offsets]
    arguments += [*arrays_of(order, counts), accuracy.tolerance, accuracy.most]
    arguments += [*arrays_of(gradient), sums, changes]

    run_shares(send_back_uncertain_maps, arguments, len(q), q.numel() * 10, by_share=True)
    _warn(changes, accuracy, "the gradient")
    kernel_gradient = torch.from_numpy(sums.sum(axis=0)).view_as(problem.probabilities)
    return gradient, kernel_gradient.to(problem.probabilities)


def _kernels(problem: UncertainProblem) -> np.ndarray:
    """The probabilities ``[A K]`` in float64."""
    return np.ascontiguousarray(problem.probabilities.detach().double().flatten(1).numpy())


def _warn(changes: np.ndarray, accuracy: Accuracy, what: str) -> None:
    largest = float(changes.max(initial=0.0))
    if not largest <= accuracy.tolerance:
        warnings.warn(
            f"{what} has not settled after {accuracy.most} sweeps: expected a last change of at most "
            f"{accuracy.tolerance:g}, got {largest:g}.",
            RuntimeWarning,
            stacklevel=2,
        )
