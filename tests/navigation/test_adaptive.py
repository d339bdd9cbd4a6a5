import numpy as np
import pytest
import torch

from vinlab.models import Model
from vinlab.navigation.adaptive import (
    plan_adaptively,
    plan_batch_adaptively,
    plan_fixed_depth,
    rollout_all_cells,
    start_mask,
)
from vinlab.networks import Policy
from vinlab.planning.exact import cost_to_go
from vinlab.types import GridProblems

NORTH, WEST = 0, 3


class ShortSighted(Policy):
    """Moves west along a corridor where the goal is at most K cells away, and elsewhere into the wall."""

    iterations = 4

    def __init__(self):
        super().__init__()
        self.asked = []

    def plan(self, observation, *, iterations=None):
        self.asked.append(iterations)
        return iterations

    def act(self, plan, states):
        sees = (states[..., 1] - 1 <= plan)[..., None]
        west, north = torch.eye(8)[WEST], torch.eye(8)[NORTH]
        return torch.where(sees, west, north)


def corridor(length: int, start: int) -> GridProblems:
    """A walled corridor with the goal at its western end."""
    blocked = np.ones((1, 3, length + 2), np.uint8)
    blocked[0, 1, 1:-1] = 0
    return GridProblems(blocked, np.array([[1, start]]), np.array([[1, 1]]))


def model() -> Model:
    return Model("short", ShortSighted(), 16, {})


@pytest.mark.parametrize(("start", "expected"), [(2, 8), (9, 8), (10, 16), (30, 32)])
def test_k_doubles_until_the_start_reaches_the_goal(start, expected):
    problems = corridor(30, start)
    planned = plan_adaptively(model(), problems, must_reach=start_mask(problems))
    assert planned.iterations == expected
    assert planned.rollouts.reached[0, problems.starts[0, 0] * 32 + start]


def test_k_stops_growing_where_no_further_cell_reaches_the_goal():
    problems = corridor(30, 30)
    problems.obstacles[0, 1, 12] = 1  # no cell behind this wall can reach the goal
    one = model()
    planned = plan_adaptively(one, problems, must_reach=start_mask(problems))
    assert planned.iterations == 16
    assert one.network.asked == [8, 16, 32]


def test_k_never_exceeds_what_is_allowed():
    problems = corridor(30, 30)
    assert (
        plan_adaptively(model(), problems, must_reach=start_mask(problems), max_iterations=12).iterations
        == 12
    )


def test_all_cells_may_have_to_reach_the_goal():
    problems = corridor(30, 2)
    planned = plan_adaptively(model(), problems, must_reach=problems.obstacles == 0)
    assert planned.iterations == 32
    assert planned.rollouts.reached.reshape(1, 3, 32)[problems.obstacles == 0].all()


def test_a_problem_in_a_batch_gets_the_plan_that_it_gets_alone():
    starts = (2, 30, 10, 9)
    alone = [corridor(30, start) for start in starts]
    together = GridProblems(
        *(np.concatenate([getattr(one, name) for one in alone]) for name in ("obstacles", "starts", "goals"))
    )
    together.obstacles[1, 1, 20] = 1  # the second start is cut off, which must not keep the others busy
    asked = model()
    plans = plan_batch_adaptively(asked, together, must_reach=start_mask(together))
    assert [planned.iterations for planned in plans] == [8, 32, 16, 8]
    assert asked.network.asked == [8, 16, 32, 64]
    for index, planned in enumerate(plans):
        problem = together[index : index + 1]
        expected = plan_adaptively(model(), problem, must_reach=start_mask(problem))
        assert planned.iterations == expected.iterations
        assert planned.moves.tolist() == expected.moves.tolist()
        assert planned.rollouts.reached.tolist() == expected.rollouts.reached.tolist()


def test_a_given_number_of_backups_is_kept():
    problems = corridor(30, 30)
    planned = plan_adaptively(model(), problems, must_reach=start_mask(problems), iterations=5)
    assert planned.iterations == plan_fixed_depth(model(), problems, 5).iterations == 5
    assert int(planned.rollouts.reached.reshape(1, 3, 32)[:, 1, 1:-1].sum()) == 6


def test_the_length_of_every_path_is_that_of_the_exact_planner():
    problems = corridor(30, 30)
    west = np.full((1, 3, 32), WEST)
    lengths = rollout_all_cells(west, problems).lengths.reshape(1, 3, 32)
    free = problems.obstacles == 0
    assert lengths[free].tolist() == cost_to_go(problems.obstacles, problems.goals)[free].tolist()


class Winding(ShortSighted):
    """Goes straight where the goal is at most K cells away, and in zigzags to the same goal elsewhere."""

    def act(self, plan, states):
        sees = (states[..., 1] - 1 <= plan)[..., None]
        straight, lower = torch.eye(8)[WEST], (states[..., 0] == 2)[..., None]
        return torch.where(sees, straight, torch.where(lower, torch.eye(8)[5], torch.eye(8)[7]))


@pytest.mark.parametrize("start", [6, 21, 29])
def test_k_grows_beyond_the_length_of_a_path_that_reaches_the_goal(start):
    blocked = np.ones((1, 4, 32), np.uint8)
    blocked[0, 1:3, 1:-1] = 0
    problems = GridProblems(blocked, np.array([[1, start]]), np.array([[1, 1]]))
    planned = plan_adaptively(Model("winding", Winding(), 16, {}), problems, must_reach=start_mask(problems))
    length = planned.rollouts.lengths[0, 32 + start]
    assert length == start - 1  # straight, as with any larger K
    assert planned.iterations >= length


class Worsening(ShortSighted):
    """Reaches the goal straight with its own K, and by a detour with a larger one."""

    def act(self, plan, states):
        lower = (states[..., 0] == 2)[..., None]
        zigzag = torch.where(lower, torch.eye(8)[5], torch.eye(8)[7])
        return torch.eye(8)[WEST].expand(*states.shape[:-1], 8) if plan <= 8 else zigzag


def test_a_deeper_plan_with_a_longer_path_is_not_taken():
    blocked = np.ones((1, 4, 32), np.uint8)
    blocked[0, 1:3, 1:-1] = 0
    problems = GridProblems(blocked, np.array([[1, 21]]), np.array([[1, 1]]))
    planned = plan_adaptively(Model("worse", Worsening(), 16, {}), problems, must_reach=start_mask(problems))
    assert planned.iterations == 8
    assert planned.rollouts.lengths[0, 32 + 21] == 20
