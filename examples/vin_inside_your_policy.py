"""A VIN as a part of a larger network: an agent with its own encoder, policy head and critic."""

import torch
from torch import Tensor, nn

import vinlab


class PlanningAgent(nn.Module):
    """Reads an image and a battery level, plans on a learned map, and returns logits and a state value."""

    def __init__(self, *, actions: int = 10, moves: int = 5) -> None:
        super().__init__()
        # 64 x 64 pixels become a map of 16 x 16 cells; what its channels mean is learned.
        self.encoder = nn.Sequential(
            nn.Conv2d(3, 16, 5, stride=2, padding=2), nn.ReLU(), nn.Conv2d(16, 4, 5, stride=2, padding=2)
        )
        self.reward = vinlab.CnnReward(channels=4, hidden=32)
        self.transition = vinlab.SharedTransition(vinlab.move_kernels(actions=actions))
        self.planner = vinlab.GridPlanner(iterations=20)
        self.attention = vinlab.StateAttention()
        self.body = nn.Sequential(nn.Linear(actions + 1, 32), nn.Tanh())
        self.moves = nn.Linear(32, moves)
        self.critic = nn.Linear(32, 1)

    def forward(self, image: Tensor, battery: Tensor, cell: Tensor) -> tuple[Tensor, Tensor, vinlab.Plan]:
        features = self.encoder(image)
        plan = self.planner(self.reward(features), self.transition(features))
        attended = self.attention(plan, cell[:, None])[:, 0]
        hidden = self.body(torch.cat([attended, battery], dim=1))
        return self.moves(hidden), self.critic(hidden), plan


def main() -> None:
    torch.manual_seed(0)
    agent = PlanningAgent()
    image, battery = torch.rand(4, 3, 64, 64), torch.rand(4, 1)
    cell = torch.randint(0, 16, (4, 2))
    logits, value, plan = agent(image, battery, cell)

    # Any differentiable loss: the gradient flows through the plan into the image encoder.
    loss = nn.functional.cross_entropy(logits, torch.tensor([0, 1, 2, 3])) + value.square().mean()
    loss.backward()
    reached = sum(parameter.grad is not None for parameter in agent.parameters())
    print(f"logits {tuple(logits.shape)}, state value {tuple(value.shape)}, plan {tuple(plan.value.shape)}")
    print(f"{reached} of {len(list(agent.parameters()))} parameters have a gradient")


if __name__ == "__main__":
    main()
