"""A VIN as a policy of stable-baselines3; needs the extra ``rl``.

Stable-baselines3 passes single steps, so every step needs its own plan. ``vinlab.learners.trpo`` plans once for all
steps on a map and is much faster.
"""

from typing import Any

import torch
from gymnasium import spaces
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn

from vinlab.networks.grid.rl import Critic, ValueVin, ValueVinConfig
from vinlab.types import InputError


class PlannedFeatures(BaseFeaturesExtractor):
    """The network's logits in the state of a step, followed by the features of its critic."""

    def __init__(self, observation_space: spaces.Space, *, network: ValueVinConfig) -> None:
        if not isinstance(observation_space, spaces.Dict) or set(observation_space) != {"image", "position"}:
            raise InputError(f"expected observations with an image and a position, got {observation_space}.")
        built, critic = network.build(), network.build_critic()
        super().__init__(observation_space, built.num_moves + critic.num_features)
        self.network: ValueVin = built

    def forward(self, observations: dict[str, Tensor]) -> Tensor:
        """The features of some steps, each from its own plan."""
        height, width = observations["image"].shape[2:]
        plan = self.network.plan(observations["image"])
        state = _positions(observations["position"], height, width)
        logits = self.network.act(plan, state[:, None])[:, 0]
        return torch.cat([logits, self.network.critic_features(plan, state[:, None])[:, 0].detach()], dim=1)


def _positions(position: Tensor, height: int, width: int) -> Tensor:
    """Row and column; stable-baselines3 passes each as a one-hot vector."""
    row, col = position.split([height, width], dim=1)
    return torch.stack([row.argmax(dim=1), col.argmax(dim=1)], dim=1)


class PlannedHeads(nn.Module):
    """Passes the logits to the actor and the other features to the critic."""

    def __init__(self, moves: int, critic: Critic) -> None:
        super().__init__()
        self.moves = moves
        self.critic = critic
        self.latent_dim_pi, self.latent_dim_vf = moves, 1

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """The outputs of actor and critic."""
        return self.forward_actor(features), self.forward_critic(features)

    def forward_actor(self, features: Tensor) -> Tensor:
        """The logits."""
        return features[:, : self.moves]

    def forward_critic(self, features: Tensor) -> Tensor:
        """The state values."""
        return self.critic(features[:, None, self.moves :])


class VinPolicy(ActorCriticPolicy):
    """The policy class for PPO or A2C, with ``policy_kwargs={"network": ValueVinConfig(iterations=K)}``.

    The network has 4 moves; for an environment with 8, give ``ValueVinConfig(iterations=K, moves=8)``.
    """

    def __init__(self, *arguments: Any, network: ValueVinConfig, **options: Any) -> None:
        self.config = network
        space = arguments[1] if len(arguments) > 1 else options.get("action_space")
        if not isinstance(space, spaces.Discrete) or int(space.n) != network.moves:
            raise InputError(
                f"expected an environment with {network.moves} moves for this network, got {space}; "
                "ValueVinConfig(moves=...) sets them."
            )
        options |= {
            "features_extractor_class": PlannedFeatures,
            "features_extractor_kwargs": {"network": network},
            "ortho_init": False,
        }
        super().__init__(*arguments, **options)

    def _build_mlp_extractor(self) -> None:
        critic = self.config.build_critic()
        moves = self.features_dim - critic.num_features
        self.mlp_extractor = PlannedHeads(moves, critic)  # pyright: ignore[reportAttributeAccessIssue]

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        # The extractor computes logits and value already.
        self.action_net = self.value_net = nn.Identity()
        options = self.optimizer_kwargs
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **options)  # pyright: ignore[reportCallIssue]

    @property
    def vin(self) -> ValueVin:
        """The network, for evaluation and saving."""
        extractor = self.features_extractor
        assert isinstance(extractor, PlannedFeatures)
        return extractor.network
