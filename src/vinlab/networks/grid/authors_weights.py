"""Initial weights of a VIN as the authors' code draws them: the same numbers in the same order."""

from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor

from vinlab.modules import HierarchicalReward, HierarchicalTransition, LinearPolicy, UntiedTransition
from vinlab.networks.vin import ValueIterationNetwork
from vinlab.types import InputError

STD = 0.01
"""The standard deviation of every weight, biases included."""


@torch.no_grad()
def draw_authors_weights(network: ValueIterationNetwork, generator: np.random.RandomState) -> None:
    """Replace all weights by normal noise from NumPy's legacy generator.

    The order is that of the authors' code: bias and filters of the reward's features, the reward's filter, the kernels
    of the reward, those of the value, the policy. A hierarchical network draws so level by level, from coarse to fine.
    """
    if not isinstance(network.policy, LinearPolicy):
        raise InputError(f"expected a VIN with a linear policy, got {type(network.policy).__name__}.")
    for weights in _filters(network):
        noise = torch.from_numpy(generator.randn(*weights.shape) * STD)
        # Theano convolves with kernels that are rotated by 180 degrees.
        weights.copy_(noise.flip(-1, -2) if weights.dim() > 1 else noise)
    moves = network.policy.moves.weight
    moves.copy_(torch.from_numpy(generator.randn(*moves.T.shape) * STD).T)


def _filters(network: ValueIterationNetwork) -> Iterator[Tensor]:
    """All weights below the policy, in the order in which they are drawn."""
    rewards, transitions = [network.reward], [network.transition]
    if isinstance(network.reward, HierarchicalReward):
        assert isinstance(network.transition, HierarchicalTransition)
        rewards, transitions = list(network.reward.levels), list(network.transition.levels)
    for reward, transition in zip(rewards, transitions, strict=True):
        yield from (reward.features.bias, reward.features.weight, reward.reward.weight)  # pyright: ignore
        yield transition.reward  # pyright: ignore[reportReturnType]
        if isinstance(transition, UntiedTransition):
            # The first backup starts from a value of zero, so the authors have no kernels for it.
            transition.value[0] = 0.0
            yield transition.value[1:]
        else:
            yield transition.value  # pyright: ignore[reportReturnType]
