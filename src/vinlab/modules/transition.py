"""f_P: the planner's transition model, as a function of the observation."""

import math
from collections.abc import Sequence
from typing import Any, Literal

import torch
from torch import Tensor, nn

from vinlab.planning.bellman import LocalKernels, SharedKernels, UntiedKernels
from vinlab.types import MOVE_OFFSETS, InputError


class SharedTransition(nn.Module):
    """One learned set of kernels for all observations and backups."""

    def __init__(self, initial: SharedKernels) -> None:
        super().__init__()
        self.reward = nn.Parameter(initial.reward.clone())
        self.value = nn.Parameter(initial.value.clone())

    def forward(self, observation: Tensor) -> SharedKernels:
        """The learned kernels."""
        return SharedKernels(reward=self.reward, value=self.value)


class UntiedTransition(nn.Module):
    """A learned set of kernels for each of the K + 1 convolutions."""

    def __init__(self, initial: Sequence[SharedKernels]) -> None:
        super().__init__()
        self.reward = nn.Parameter(torch.stack([kernels.reward for kernels in initial]))
        self.value = nn.Parameter(torch.stack([kernels.value for kernels in initial]))

    def forward(self, observation: Tensor) -> UntiedKernels:
        """The learned kernels."""
        return UntiedKernels(reward=self.reward, value=self.value)


class FixedTransition(nn.Module):
    """Kernels that are not learned."""

    reward: Tensor
    value: Tensor

    def __init__(self, kernels: SharedKernels) -> None:
        super().__init__()
        self.register_buffer("reward", kernels.reward)
        self.register_buffer("value", kernels.value)

    def forward(self, observation: Tensor) -> SharedKernels:
        """The given kernels."""
        return SharedKernels(reward=self.reward, value=self.value)


class SoftmaxTransition(nn.Module):
    """Learned transition probabilities of each action, which sum to one, and learned weights of the cost there.

    There is no discount, so one more step shows in the value at any distance. With free kernels the value shrinks or
    grows geometrically with the distance, until float32 cannot resolve the differences. The weights are positive: no
    action turns a cost into a gain. As leaving the map must not be free, what lies outside is blocked, unless the
    planner is told otherwise.
    """

    def __init__(self, transition_logits: Tensor, cost_logits: Tensor) -> None:
        super().__init__()
        self.transition_logits = nn.Parameter(transition_logits.clone())
        """``[A 1 F F]``, normalised by a softmax per action."""
        self.cost_logits = nn.Parameter(cost_logits.clone())
        """``[A R F F]``, the logarithms of the weights."""

    def forward(self, observation: Tensor) -> SharedKernels:
        """The kernels of these logits."""
        value = self.transition_logits.flatten(1).softmax(dim=1).view_as(self.transition_logits)
        return SharedKernels(reward=self.cost_logits.exp(), value=value, outside="blocked")


class DynamicTransition(nn.Module):
    """Transition probabilities that depend on the cell: a small CNN gives the logits of each action's kernel.

    The same kernels weigh the reward and the value, so q of an action is the expected reward and value of where it
    leads (Wang et al., 2025).
    """

    def __init__(self, *, channels: int = 2, actions: int = 4, hidden: int = 40, width: int = 3) -> None:
        super().__init__()
        self.shape = (actions, 1, width, width)
        self.features = nn.Conv2d(channels, hidden, 3, padding=1)
        self.logits = nn.Conv2d(hidden, actions * width * width, 1)

    def forward(self, observation: Tensor) -> LocalKernels:
        """The kernels of each cell, which add up to 1."""
        logits = self.logits(self.features(observation).relu())
        entries = logits.unflatten(1, (self.shape[0], -1)).softmax(dim=2)
        kernels = entries.unflatten(2, self.shape[1:])
        return LocalKernels(reward=kernels, value=kernels)


class HierarchicalTransition(nn.Module):
    """The transitions of a hierarchical planner, from coarse to fine."""

    def __init__(self, levels: Sequence[nn.Module]) -> None:
        super().__init__()
        self.levels = nn.ModuleList(levels)

    def forward(self, observation: Tensor) -> list[SharedKernels]:
        """The kernels of the levels."""
        return [level(observation) for level in self.levels]


def random_kernels(
    *, actions: int = 10, rewards: int = 1, width: int = 3, std: float = 0.01
) -> SharedKernels:
    """Normal noise, without any prior: how the paper initialises kernels on maps."""
    return SharedKernels(
        reward=std * torch.randn(actions, rewards, width, width),
        value=std * torch.randn(actions, 1, width, width),
    )


def move_kernels(
    *,
    actions: int = 10,
    rewards: int = 1,
    width: int = 3,
    discount: float = 0.95,
    std: float = 0.01,
    moves: int = len(MOVE_OFFSETS),
    extra_reward_weight: float = 0.0,
) -> SharedKernels:
    """Kernels of moves: q of action m is the reward and the discounted value of the cell that move m leads to.

    This is the paper's prior for continuous actions. Actions beyond the moves start as noise; reward channels beyond
    the first have the weight ``extra_reward_weight``.
    """
    if actions < moves or width < 3:
        raise InputError(
            f"expected at least {moves} actions and kernels of width 3 or more for {moves} moves, "
            f"got {actions} actions and width {width}."
        )
    kernels = random_kernels(actions=actions, rewards=rewards, width=width, std=std)
    centre = width // 2
    for action, (row, col) in enumerate(MOVE_OFFSETS[:moves]):
        kernels.reward[action, 0, centre + row, centre + col] += 1.0
        kernels.reward[action, 1:, centre + row, centre + col] += extra_reward_weight
        kernels.value[action, 0, centre + row, centre + col] += discount
    return kernels


Initialisation = Literal["moves", "random"]
"""Kernels that start as moves (the paper's prior in its control experiment), or as noise."""


def initial_kernels(
    initialisation: Initialisation,
    *,
    moves: int = len(MOVE_OFFSETS),
    extra_reward_weight: float = 0.0,
    **options: Any,
) -> SharedKernels:
    """``move_kernels`` or ``random_kernels``, with the options of both."""
    if initialisation == "random":
        return random_kernels(**options)
    return move_kernels(moves=moves, extra_reward_weight=extra_reward_weight, **options)


def move_logits(*, logit: float = 14.0, width: int = 3) -> Tensor:
    """Transition logits ``[A 1 F F]`` of the moves, and of staying as the last action.

    Every other cell is about ``exp(-logit)`` times as likely as the intended one.
    """
    offsets = [*MOVE_OFFSETS.tolist(), (0, 0)]
    logits = torch.full((len(offsets), 1, width, width), -logit)
    for action, (row, col) in enumerate(offsets):
        logits[action, 0, width // 2 + row, width // 2 + col] = 0.0
    return logits


def exit_cost_logits(moves: Tensor, amount: float) -> Tensor:
    """Cost logits ``[A 1+M F F]`` by which move m also pays ``amount`` times cost channel 1 + m of the cell it leaves.

    ``moves`` are the logits of the first channel, from ``move_logits``.
    """
    centre, unused = moves.shape[-1] // 2, moves.min()
    leaving = torch.full((len(moves), len(MOVE_OFFSETS), *moves.shape[2:]), float(unused))
    for move in range(len(MOVE_OFFSETS)):
        leaving[move, move, centre, centre] = math.log(amount)
    return torch.cat([moves, leaving], dim=1)
