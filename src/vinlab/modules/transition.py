"""f_P: how the planner believes the world moves, as a function of the observation."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from vinlab.planning.bellman import SharedKernels, UntiedKernels
from vinlab.types import MOVE_OFFSETS, InputError


class SharedTransition(nn.Module):
    """One learned set of kernels, whatever the observation, shared by all backups."""

    def __init__(self, initial: SharedKernels) -> None:
        super().__init__()
        self.reward = nn.Parameter(initial.reward.clone())
        self.value = nn.Parameter(initial.value.clone())

    def forward(self, observation: Tensor) -> SharedKernels:
        """The kernels as they stand."""
        return SharedKernels(reward=self.reward, value=self.value)


class UntiedTransition(nn.Module):
    """A learned set of kernels for each of the K + 1 convolutions."""

    def __init__(self, initial: Sequence[SharedKernels]) -> None:
        super().__init__()
        self.reward = nn.Parameter(torch.stack([kernels.reward for kernels in initial]))
        self.value = nn.Parameter(torch.stack([kernels.value for kernels in initial]))

    def forward(self, observation: Tensor) -> UntiedKernels:
        """The kernels as they stand."""
        return UntiedKernels(reward=self.reward, value=self.value)


class FixedTransition(nn.Module):
    """Kernels that are known and not learned."""

    reward: Tensor
    value: Tensor

    def __init__(self, kernels: SharedKernels) -> None:
        super().__init__()
        self.register_buffer("reward", kernels.reward)
        self.register_buffer("value", kernels.value)

    def forward(self, observation: Tensor) -> SharedKernels:
        """The kernels as they were given."""
        return SharedKernels(reward=self.reward, value=self.value)


class SoftmaxTransition(nn.Module):
    """Learned chances of where each action leads, which sum to one, and learned weights of what it costs there.

    As no value is lost on the way, a step more is seen in the value of a cell at whatever distance; with free
    kernels the value shrinks or grows geometrically, until float32 has nothing left to compare. The weights are
    never negative: no action turns a cost into a gain.
    """

    def __init__(self, transition_logits: Tensor, cost_logits: Tensor) -> None:
        super().__init__()
        self.transition_logits = nn.Parameter(transition_logits.clone())
        """Logarithms ``[A 1 F F]``, up to what all of an action have in common."""
        self.cost_logits = nn.Parameter(cost_logits.clone())
        """Logarithms ``[A R F F]``."""

    def forward(self, observation: Tensor) -> SharedKernels:
        """The kernels that these logarithms mean."""
        value = self.transition_logits.flatten(1).softmax(dim=1).view_as(self.transition_logits)
        return SharedKernels(reward=self.cost_logits.exp(), value=value)


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
    """Normal noise, which knows nothing of moves: the paper's start in the grid-world."""
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
    """Grid-world moves: action m wants the reward and the discounted value of the cell that move m leads to.

    This is the paper's prior in its control experiment. Actions beyond the moves start as noise; of reward channels
    beyond the first each action wants as much as ``extra_reward_weight`` says.
    """
    if actions < moves or width < 3:
        raise InputError(
            f"{moves} moves need as many actions and kernels of width 3 or more, "
            f"but {actions} actions of width {width} came."
        )
    kernels = random_kernels(actions=actions, rewards=rewards, width=width, std=std)
    centre = width // 2
    for action, (row, col) in enumerate(MOVE_OFFSETS[:moves]):
        kernels.reward[action, 0, centre + row, centre + col] += 1.0
        kernels.reward[action, 1:, centre + row, centre + col] += extra_reward_weight
        kernels.value[action, 0, centre + row, centre + col] += discount
    return kernels


def move_logits(*, logit: float = 14.0, width: int = 3) -> Tensor:
    """Logarithms ``[A 1 F F]`` with which each move, and staying as the last action, leads where it should.

    To every other cell an action leads about ``exp(-logit)`` times as likely.
    """
    places = [*MOVE_OFFSETS.tolist(), (0, 0)]
    logarithms = torch.full((len(places), 1, width, width), -logit)
    for action, (row, col) in enumerate(places):
        logarithms[action, 0, width // 2 + row, width // 2 + col] = 0.0
    return logarithms


def exit_cost_logits(moves: Tensor, amount: float) -> Tensor:
    """Logarithms ``[A 1+M F F]`` by which move m also pays so much of cost channel 1 + m of the cell that it leaves.

    ``moves`` are those of the first channel, as ``move_logits`` gives them.
    """
    centre, unused = moves.shape[-1] // 2, moves.min()
    leaving = torch.full((len(moves), len(MOVE_OFFSETS), *moves.shape[2:]), float(unused))
    for move in range(len(MOVE_OFFSETS)):
        leaving[move, move, centre, centre] = math.log(amount)
    return torch.cat([moves, leaving], dim=1)
