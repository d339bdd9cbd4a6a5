"""Losses: the probability to reach the goal is that of worlds small enough to compute it by hand."""

import numpy as np
import pytest
import torch

from vinlab.learners.losses import (
    DeepSupervisionLoss,
    DenseConfig,
    DenseLoss,
    ReachConfig,
    ReachLoss,
    reach_probability,
    set_nll,
)
from vinlab.types import MOVE_OFFSETS, DenseDemonstrations, InputError, TimedDemonstrations

EAST, NORTH_EAST, SOUTH_EAST = 2, 4, 6


def always(move: int, rows: int, cols: int) -> torch.Tensor:
    logits = torch.full((1, 8, rows, cols), -100.0)
    logits[:, move] = 100.0
    return logits


def corridor(cols: int) -> tuple[torch.Tensor, torch.Tensor]:
    """All free, with the goal at the eastern end."""
    return torch.ones(1, 1, cols, dtype=torch.bool), torch.tensor([[0, cols - 1]])


def test_a_sure_path_reaches_the_goal_and_is_discounted_by_its_moves():
    free, goals = corridor(5)
    found = reach_probability(always(EAST, 1, 5), free, goals, steps=10, discount=0.9)
    assert torch.allclose(found[0, 0], 0.9 ** torch.tensor([4.0, 3.0, 2.0, 1.0, 0.0]))


def test_paths_of_too_many_moves_do_not_count():
    free, goals = corridor(5)
    found = reach_probability(always(EAST, 1, 5), free, goals, steps=2)
    assert found[0, 0].tolist() == [0.0, 0.0, 1.0, 1.0, 1.0]


def test_a_crash_ends_the_episode():
    free, goals = corridor(5)
    free[0, 0, 2] = False
    found = reach_probability(always(EAST, 1, 5), free, goals, steps=10)
    assert found[0, 0].tolist() == [0.0, 0.0, 1.0, 1.0, 1.0]


def test_the_edge_of_the_map_is_a_crash_and_probabilities_multiply():
    # In a corridor one row high a uniform policy survives with east and west alone.
    free, goals = corridor(3)
    found = reach_probability(torch.zeros(1, 8, 1, 3), free, goals, steps=200)
    middle = (1 / 8) / (1 - (1 / 8) ** 2)  # reaches the goal, or moves west and back
    assert torch.allclose(found[0, 0], torch.tensor([middle / 8, middle, 1.0]))


def test_probabilities_equal_the_frequencies_of_sampled_walks():
    rng, rows, cols, walks = np.random.default_rng(0), 4, 5, 4000
    logits = torch.from_numpy(rng.normal(size=(1, 8, rows, cols))).float()
    free = torch.from_numpy(rng.random((1, rows, cols)) > 0.2)
    free[0, 0, 0] = True
    goal = (2, 3)
    expected = reach_probability(logits, free, torch.tensor([goal]), steps=30)[0, 0, 0].item()
    odds, allowed = logits.softmax(dim=1)[0].double().numpy(), free[0].numpy().copy()
    allowed[goal] = True
    count = 0
    for _ in range(walks):
        here = (0, 0)
        for _ in range(30):
            weights = odds[:, here[0], here[1]]
            offset = MOVE_OFFSETS[rng.choice(8, p=weights / weights.sum())]
            here = (here[0] + int(offset[0]), here[1] + int(offset[1]))
            inside = 0 <= here[0] < rows and 0 <= here[1] < cols
            if not inside or not allowed[here] or here == goal:
                count += here == goal
                break
    assert count / walks == pytest.approx(expected, abs=4 * (expected / walks) ** 0.5)


def test_the_gradient_is_that_of_finite_differences():
    torch.manual_seed(0)
    logits = torch.randn(2, 8, 3, 3, dtype=torch.float64, requires_grad=True)
    free, goals = torch.rand(2, 3, 3) > 0.3, torch.tensor([[0, 1], [2, 2]])
    assert torch.autograd.gradcheck(
        lambda given: reach_probability(given, free, goals, steps=5, discount=0.9), logits
    )


def one_map() -> DenseDemonstrations:
    """A batch of one map whose straight path is blocked."""
    blocked = torch.zeros(1, 3, 4, dtype=torch.bool)
    blocked[0, 1, 1:3] = True
    moves = torch.zeros(1, 8, 3, 4, dtype=torch.bool)
    moves[0, NORTH_EAST, 1, 0] = moves[0, EAST, 0, 1] = moves[0, SOUTH_EAST, 0, 2] = True
    return DenseDemonstrations(torch.zeros(1, 1, 3, 4), torch.tensor([[[1, 3]]]), moves, blocked)


class Logits(torch.nn.Module):
    """A policy that is nothing but its logits."""

    def __init__(self) -> None:
        super().__init__()
        self.logits = torch.nn.Parameter(torch.zeros(1, 8, 3, 4))

    def dense_logits(self, observations, goals):
        assert goals.shape == (1, 1, 2)
        return self.logits


@pytest.mark.parametrize("config", [DenseConfig(), ReachConfig()], ids=lambda config: config.kind)
def test_training_finds_the_path_around_the_obstacle(config):
    policy, batch = Logits(), one_map()
    loss = config.build(policy)
    optimiser = torch.optim.Adam(policy.parameters(), lr=0.2)
    for _ in range(60):
        optimiser.zero_grad()
        loss(batch).backward()
        optimiser.step()
    reached = reach_probability(policy.logits, batch.free, batch.goals[0], steps=10)
    assert reached[0, 1, 0] > 0.95


def test_imitation_may_count_beside_reaching_the_goal():
    policy, batch = Logits(), one_map()
    alone = ReachLoss(policy, ReachConfig())(batch)
    both = ReachLoss(policy, ReachConfig(imitation=0.5))(batch)
    assert both.item() == pytest.approx(alone.item() + 0.5 * DenseLoss(policy)(batch).item())


@pytest.mark.parametrize("wrong", [{"steps": 0}, {"discount": 1.5}, {"imitation": -1.0}])
def test_settings_that_make_no_sense_are_refused(wrong):
    with pytest.raises(InputError, match="expected steps of at least 1"):
        ReachConfig(**wrong)


class AtTwoDepths:
    """A policy whose logits after three and six backups are given."""

    def __init__(self, logits):
        self.given = logits

    def logits_by_depth(self, observations, states, every):
        return self.given, torch.tensor([every, 2 * every])


def test_deep_supervision_weighs_each_state_with_its_mean_over_the_depths_that_count():
    logits = torch.randn(2, 1, 2, 4, generator=torch.Generator().manual_seed(0))
    moves = torch.tensor([[[True, False, False, False], [False, True, True, False]]])
    weights, distances = torch.tensor([[1.0, 3.0]]), torch.tensor([[3, 5]])
    batch = TimedDemonstrations(
        torch.zeros(1, 1, 2, 2), torch.zeros(1, 2, 2, dtype=torch.int64), moves, weights, distances
    )
    early, late = (set_nll(one, moves)[0] for one in logits)
    found = DeepSupervisionLoss(AtTwoDepths(logits), every=3)(batch)
    torch.testing.assert_close(found, (early[0] + late[0]) / 2 + 3 * late[1])
