"""Grid problems with costs are solvable, and their demonstrations optimal."""

import numpy as np
import pytest
import torch

from vinlab.domains.gridworld.graded import (
    GradedSet,
    costs_to_go,
    demonstrate_costs,
    goal_mask,
    observe_costs,
)
from vinlab.types import MOVE_OFFSETS

KINDS = ("noise", "patches", "cells", "costmap", "mazes")


@pytest.mark.parametrize("kind", KINDS)
def test_problems_are_solvable_and_have_costs_within_their_ratio(kind):
    problems = GradedSet(kind, 17, 50.0).sample(5, stream=0)
    assert len(problems) == 5
    assert problems.costs.min() >= 1.0
    assert problems.costs.max() <= 50.0
    to_go = costs_to_go(problems)
    index = np.arange(5)
    assert np.isfinite(to_go[index, *problems.starts.T]).all()
    assert (to_go[index, *problems.goals.T] == 0).all()
    again = GradedSet(kind, 17, 50.0).sample(5, stream=0)
    assert np.array_equal(again.costs, problems.costs)


def test_demonstrated_moves_begin_a_cheapest_path():
    problems = GradedSet("noise", 12).sample(3, stream=1)
    shown, to_go = demonstrate_costs(problems), costs_to_go(problems)
    for index in range(3):
        moves = problems.grid(index).move_costs()
        counted = shown.weights[index] > 0
        assert int(counted.sum()) == int((np.isfinite(to_go[index]) & (to_go[index] > 0)).sum())
        for state, chosen in zip(shown.states[index][counted], shown.moves[index][counted], strict=True):
            here = tuple(state.tolist())
            assert chosen.any()
            for move in torch.nonzero(chosen)[:, 0].tolist():
                there = tuple((np.array(here) + MOVE_OFFSETS[move]).tolist())
                assert moves[move][here] + to_go[index][there] == pytest.approx(to_go[index][here])


def test_what_is_shown_does_not_depend_on_the_unit_of_costs():
    problems = GradedSet("cells", 9).sample(2, stream=2)
    goals = goal_mask(problems)
    first = observe_costs(problems.obstacles, problems.costs, goals)
    second = observe_costs(problems.obstacles, 1000.0 * problems.costs, goals)
    torch.testing.assert_close(first, second)
    assert first.shape == (2, 3, 9, 9)
    assert (first[:, 2][torch.from_numpy(problems.obstacles == 1)] == 0).all()
