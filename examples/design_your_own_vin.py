"""Design a VIN: one new module, four existing ones, and one gradient step on an expert's moves."""

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

import vinlab
from vinlab.domains.gridworld.expert import demonstrate_everywhere
from vinlab.domains.gridworld.problem import GridworldConfig, sample_problems
from vinlab.learners.imitation import ImitationLoss


class WideReward(nn.Module):
    """A reward with a wider receptive field than the paper's: a dilated layer before the last filter."""

    def __init__(self, *, channels: int = 2, hidden: int = 32) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(channels, hidden, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(hidden, hidden, 3, padding=2, dilation=2),
            nn.ReLU(),
            nn.Conv2d(hidden, 1, 1, bias=False),
        )

    def forward(self, observation: Float[Tensor, "B C H W"]) -> Float[Tensor, "B R H W"]:
        return self.layers(observation)


def main() -> None:
    torch.manual_seed(0)
    vin = vinlab.ValueIterationNetwork(
        reward=WideReward(),
        transition=vinlab.SharedTransition(vinlab.move_kernels(actions=10, rewards=1)),
        planner=vinlab.GridPlanner(iterations=20),
        attention=vinlab.StateAttention(),
        policy=vinlab.LinearPolicy(actions=10, moves=8),
    )

    problems = sample_problems(GridworldConfig(size=16), 32, rng=np.random.default_rng(0))
    demonstrations = demonstrate_everywhere(problems)
    learner, optimiser = ImitationLoss(vin), torch.optim.Adam(vin.parameters(), lr=1e-3)
    states = demonstrations.weights.sum()

    for moment in ("before", "after"):
        loss = learner(demonstrations) / states
        print(f"loss {moment} the step: {loss.item():.4f}")
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()

    plan = vin.plan(demonstrations.observations[:1])
    print(f"reward {tuple(plan.reward.shape)}, q {tuple(plan.q.shape)}, value {tuple(plan.value.shape)}")


if __name__ == "__main__":
    main()
