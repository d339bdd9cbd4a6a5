"""f_R: the planner's reward, as a function of the observation."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from vinlab.modules.pooled_filters import pooled_filters
from vinlab.planning.hierarchy import downsample_max


class CnnReward(nn.Module):
    """Two convolutions with a rectifier between them: the paper's f_R for maps.

    With ``downsample`` above 1 the reward is that of a coarser map: features are max-pooled between the two layers.
    """

    def __init__(
        self, *, channels: int = 2, hidden: int = 150, rewards: int = 1, width: int = 3, downsample: int = 1
    ) -> None:
        super().__init__()
        self.features = nn.Conv2d(channels, hidden, width, padding=width // 2)
        self.reward = nn.Conv2d(hidden, rewards, width, padding=width // 2, bias=False)
        self.downsample = downsample

    def forward(self, observation: Float[Tensor, "B C H W"]) -> Float[Tensor, "B R h w"]:
        """The reward of every cell."""
        # On a CPU these two layers cost more than the planner; with channels last they take two thirds of the time.
        observation = observation.contiguous(memory_format=torch.channels_last)
        # Pooling and the rectifier commute; the rectifier has less to do on the pooled map.
        return self.reward(downsample_max(self.features(observation), self.downsample).relu())


class LinearReward(nn.Module):
    """The same without a nonlinearity and with a 1 x 1 filter as the last one, as in the authors' code.

    The two layers are composed into one filter first, which is much faster and has the same gradients.
    """

    def __init__(self, *, channels: int = 2, hidden: int = 150, rewards: int = 1, width: int = 3) -> None:
        super().__init__()
        self.features = nn.Conv2d(channels, hidden, width, padding=width // 2)
        self.reward = nn.Conv2d(hidden, rewards, 1, bias=False)

    def forward(self, observation: Float[Tensor, "B C H W"]) -> Float[Tensor, "B R H W"]:
        """The reward of every cell."""
        assert self.features.bias is not None
        weights = self.reward.weight.flatten(1)
        kernel = torch.einsum("rh,hcij->rcij", weights, self.features.weight)
        return functional.conv2d(
            observation, kernel, weights @ self.features.bias, padding=self.features.padding
        )


class PooledLinearReward(nn.Module):
    """The linear reward of a coarser map: features are max-pooled between the two layers."""

    def __init__(
        self, *, channels: int = 2, hidden: int = 150, rewards: int = 1, width: int = 3, downsample: int = 2
    ) -> None:
        super().__init__()
        self.features = nn.Conv2d(channels, hidden, width, padding=width // 2)
        self.reward = nn.Conv2d(hidden, rewards, 1, bias=False)
        self.downsample = downsample

    def forward(self, observation: Float[Tensor, "B C H W"]) -> Float[Tensor, "B R h w"]:
        """The reward of every coarse cell."""
        assert self.features.bias is not None
        features = pooled_filters(observation, self.features.weight, self.features.bias, self.downsample)
        return functional.linear(features, self.reward.weight.flatten(1)).movedim(-1, 1)


class ExpCostReward(nn.Module):
    """A negative reward: minus the exponential of another part's output, which is the logarithm of the cost.

    Costs that differ by orders of magnitude, as those of free cells and obstacles must on maps with long detours, are
    a few updates apart.
    """

    def __init__(self, log_cost: nn.Module) -> None:
        super().__init__()
        self.log_cost = log_cost

    def forward(self, observation: Float[Tensor, "B C H W"]) -> Float[Tensor, "B R h w"]:
        """The reward of every cell, never above zero."""
        return -self.log_cost(observation).exp()


class HierarchicalReward(nn.Module):
    """One reward part for each level of a hierarchical planner, from coarse to fine; all read the full map."""

    def __init__(self, levels: Sequence[nn.Module]) -> None:
        super().__init__()
        self.levels = nn.ModuleList(levels)

    def forward(self, observation: Float[Tensor, "B C H W"]) -> list[Tensor]:
        """The rewards ``[B R h w]`` of the levels."""
        return [level(observation) for level in self.levels]
