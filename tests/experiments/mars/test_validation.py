"""The share of cells from which the goal is reached is that of rollouts from each of them."""

import numpy as np
import torch

from helpers.terrain_problems import open_terrain, rough_terrain
from vinlab.domains.mars.expert import DemonstrationConfig, demonstrate
from vinlab.experiments.mars import validation
from vinlab.experiments.mars.validation import reach_rate, tune_caution, validate
from vinlab.networks.terrain.classifier import StraightLine
from vinlab.networks.terrain.configs import TerrainShortestPathConfig
from vinlab.networks.terrain.costs import GAIN
from vinlab.types import MOVE_OFFSETS


def shown(problems, goals=2):
    config = DemonstrationConfig(goals=goals, mirror=False)
    return demonstrate(problems, config, rng=np.random.default_rng(0))


def test_the_straight_line_reaches_the_goal_from_all_cells_where_nothing_is_steep():
    assert reach_rate(StraightLine(), shown(open_terrain())) == 1.0
    found = validate(shown(open_terrain()), StraightLine())
    assert (found.score, found.metrics) == (1.0, {"validation_reached": 1.0})


def walk(batch, moves, problem, cell, horizon):
    """Whether single steps reach the goal."""
    goal = tuple(batch.goals.flatten(0, 1)[problem].tolist())
    for _ in range(horizon):
        if cell == goal:
            break
        row, col = cell + MOVE_OFFSETS[moves[problem, cell[0], cell[1]]]
        inside = 0 <= row < 8 and 0 <= col < 8
        cell = (int(row), int(col)) if inside and batch.free[problem, row, col] else cell
    return cell == goal


def test_the_share_is_that_of_single_rollouts(monkeypatch):
    monkeypatch.setattr(validation, "HORIZON", 4)
    demonstrations = shown(rough_terrain(3))
    batch = demonstrations[range(3)]
    moves = StraightLine().dense_logits(batch.observations, batch.goals).argmax(dim=1).numpy()
    shares = []
    for problem in range(6):
        cells = torch.nonzero(batch.moves[problem].any(dim=0)).tolist()
        shares.append(np.mean([walk(batch, moves, problem, tuple(cell), 4) for cell in cells]))
    assert 0 < np.mean(shares) < 1
    assert reach_rate(StraightLine(), demonstrations) == np.mean(shares)


def test_the_caution_that_reaches_the_goal_most_often_is_chosen():
    demonstrations = shown(rough_terrain(3))
    blocked = demonstrations[range(3)].blocked
    network = TerrainShortestPathConfig(hidden=4).build()
    slight = torch.where(blocked, 0.1, 1e-6).expm1().log() / GAIN  # steep cells are known, and hardly shunned
    network.reward.risk_logits = lambda images: slight[:, None]  # pyright: ignore
    before = reach_rate(network, demonstrations)
    tune_caution(network, demonstrations)
    assert network.reward.caution > 1  # pyright: ignore
    assert reach_rate(network, demonstrations) == 1.0 > before
    assert "reward.caution" in network.state_dict()  # so that a run keeps it
