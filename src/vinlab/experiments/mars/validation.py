"""Validation from all cells of a patch: the share from which greedy moves reach the goal."""

from typing import Any

import numpy as np
import torch
from jaxtyping import Bool

from vinlab.domains.mars.expert import TerrainDemonstrations
from vinlab.evaluation.rollout import rollout_from_all_cells
from vinlab.learners.callbacks import Validation
from vinlab.navigation.greedy import next_cells
from vinlab.networks.terrain.costs import TerrainCosts, TerrainShortestPathVin
from vinlab.networks.terrain.policies import TerrainPolicy
from vinlab.types import DenseDemonstrations

BATCH = 100
"""Patches that are planned together."""

HORIZON = 40
"""Moves within which a rollout must reach the goal."""

CAUTIONS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0)
"""Weights of the risk of a cell that are tried."""


@torch.no_grad()
def reach_rate(policy: TerrainPolicy, demonstrations: TerrainDemonstrations) -> float:
    """The share of all cells from which greedy moves reach the goal, for every goal of every patch.

    Thousands of starts on the same terrain distinguish weights that a few hundred problems do not.
    """
    policy.eval()
    shares = []
    for at in range(0, len(demonstrations), BATCH):
        batch = demonstrations[np.arange(at, min(at + BATCH, len(demonstrations)))]
        counts = batch.moves.any(dim=1).flatten(1).numpy()
        reached = _reached_from_all_cells(policy, batch) & counts
        shares.append(reached.sum(axis=1) / np.maximum(1, counts.sum(axis=1)))
    return float(np.concatenate(shares).mean())


def _reached_from_all_cells(policy: TerrainPolicy, batch: DenseDemonstrations) -> Bool[np.ndarray, "N C"]:
    """Whether greedy moves reach the goal within the horizon, from each cell."""
    moves = policy.dense_logits(batch.observations, batch.goals).argmax(dim=1).numpy()
    following = next_cells(moves, (~batch.free).to(torch.uint8).numpy())
    rows, cols = batch.goals.flatten(0, 1).numpy().T
    rollouts = rollout_from_all_cells(following, np.ones(following.shape), rows * moves.shape[2] + cols)
    return rollouts.lengths <= HORIZON


def validate(demonstrations: TerrainDemonstrations, policy: Any) -> Validation:
    """The share of the cells of validation terrain that reach the goal."""
    reached = reach_rate(policy, demonstrations)
    return Validation(reached, {"validation_reached": reached})


def tune_caution(policy: TerrainShortestPathVin, demonstrations: TerrainDemonstrations) -> None:
    """Give the risks the weight that reaches the goal from most cells of the validation terrain."""
    assert isinstance(policy.reward, TerrainCosts)
    caution = policy.reward.caution

    def reached(weight: float) -> float:
        caution.fill_(weight)
        return reach_rate(policy, demonstrations)

    caution.fill_(max(CAUTIONS, key=reached))
