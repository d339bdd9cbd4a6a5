"""On a known map a policy chooses among legal moves; evaluation for the tables does not mask."""

import numpy as np
import pytest
import torch

from vinlab.domains.gridworld.environment import step
from vinlab.models import Model
from vinlab.navigation.adaptive import plan_fixed_depth
from vinlab.navigation.evaluation import evaluate
from vinlab.navigation.greedy import greedy_moves, legal_moves
from vinlab.navigation.routes import navigate
from vinlab.planning.shortest_path import ShortestPathPlan
from vinlab.types import MOVE_NAMES, GridProblems

EAST, SOUTH = MOVE_NAMES.index("E"), MOVE_NAMES.index("S")


class EastThenSouth(torch.nn.Module):
    """Prefers to go east, then south, whatever is there."""

    iterations = 1

    def plan(self, observation, *, iterations=None):
        return observation

    def act(self, plan, states):
        preference = torch.zeros(len(MOVE_NAMES))
        preference[EAST], preference[SOUTH] = 2.0, 1.0
        return preference.expand(*states.shape[:2], -1).clone()


def problem():
    return GridProblems(np.zeros((1, 4, 5), np.uint8), np.array([[0, 0]]), np.array([[3, 4]]))


def test_a_policy_that_prefers_a_wall_takes_the_next_best_legal_move():
    model, world = Model("east", EastThenSouth(), 4, {}), problem()
    route = navigate(model, world.obstacles[0], (0, 0), (3, 4))
    assert route.reached
    assert route.cost == 7.0
    assert evaluate(EastThenSouth(), world).success_rate == 0.0
    assert not plan_fixed_depth(model, world, 1).rollouts.reached.reshape(4, 5)[0, 0]


@pytest.mark.parametrize("cutting", [True, False])
def test_legal_moves_are_those_that_lead_elsewhere(cutting):
    obstacles = (np.random.default_rng(0).random((3, 6, 7)) < 0.3).astype(np.uint8)
    legal = legal_moves(obstacles, corner_cutting=cutting)
    for map, row, col, move in np.random.default_rng(1).integers(0, [3, 6, 7, 8], (200, 4)):
        state = np.array([[row, col]])
        moved = step(obstacles[map : map + 1], state, np.array([move]), corner_cutting=cutting)
        assert legal[map, row, col, move] == (moved != state).any()


def test_only_the_illegal_moves_of_a_search_are_replaced():
    q = torch.zeros(1, 8, 2, 2)
    q[0, SOUTH] = 1.0
    moves = torch.full((1, 2, 2), EAST, dtype=torch.int8)
    plan = ShortestPathPlan(torch.zeros(1, 1, 2, 2), q, torch.zeros(1, 1, 2, 2), moves=moves)
    legal = legal_moves(np.zeros((1, 2, 2), np.uint8))
    chosen = greedy_moves(EastThenSouth(), plan, 1, (2, 2), legal=legal)
    assert chosen[0, :, 0].tolist() == [EAST, EAST]
    assert chosen[0, 0, 1] == SOUTH
    assert legal[0, 1, 1, chosen[0, 1, 1]]
