"""A policy that sees more than the plan: phi(s), the map around the agent, beside psi(s), the values in its cell.

Section 3 of the paper gives both to the reactive policy. Here one step of gradient descent trains all parts.
"""

import numpy as np
import torch

import vinlab
from vinlab.domains.gridworld.expert import demonstrate_everywhere
from vinlab.domains.gridworld.problem import GridworldConfig, sample_problems
from vinlab.learners.imitation import ImitationLoss

WIDTH = 3
"""The side of the patch of the map that the policy sees."""


def main() -> None:
    torch.manual_seed(0)
    vin = vinlab.ValueIterationNetwork(
        reward=vinlab.CnnReward(hidden=32),
        transition=vinlab.SharedTransition(vinlab.move_kernels(actions=10)),
        planner=vinlab.GridPlanner(iterations=20),
        attention=vinlab.StateAttention(),
        features=vinlab.PatchFeatures(width=WIDTH),
        policy=vinlab.FeaturePolicy(attended=10, features=2 * WIDTH**2),
    )
    problems = sample_problems(GridworldConfig(size=16), 32, rng=np.random.default_rng(0))
    demonstrations = demonstrate_everywhere(problems)
    learner, optimiser = ImitationLoss(vin), torch.optim.Adam(vin.parameters(), lr=1e-3)
    for moment in ("before", "after"):
        loss = learner(demonstrations) / demonstrations.weights.sum()
        print(f"loss {moment} the step: {loss.item():.4f}")
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()

    plan = vin.plan(demonstrations.observations[:1])
    print(f"q {tuple(plan.q.shape)}, features {tuple(plan.features.shape)}")


if __name__ == "__main__":
    main()
