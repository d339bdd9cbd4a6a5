"""K backups over states with layers: compiled equals the reference, and many of them equal the search."""

import pytest
import torch

from vinlab.planning.costs import UNREACHABLE
from vinlab.planning.layered import (
    LayeredPlanner,
    LayeredTransition,
    layered_value_iteration,
    require_layered,
)
from vinlab.planning.layered_search import LayeredCostMap, LayeredShortestPathPlanner
from vinlab.planning.moves import LayeredMoves, differential_drive, grid_moves
from vinlab.types import InputError

STAIRS = LayeredMoves.of([[0, 0, 1], [1, 0, -1]], [[(0, 1), (1, 0), (0, 0)], [(0, -1), (-2, 1), (0, 0)]])
TABLES = {
    "stairs": STAIRS,
    "four": grid_moves(4),
    **{str(count): differential_drive(count) for count in (4, 8, 16)},
}


def problem(moves, batch=3, rows=5, cols=6, *, initial=False, dtype=torch.float32):
    shape = (moves.num_layers, moves.num_actions)
    reward = torch.randn(batch, *shape, rows, cols, dtype=dtype)
    discounts = (0.9 + 0.1 * torch.rand(shape, dtype=dtype)).requires_grad_()
    first = torch.randn(batch, shape[0], rows, cols, dtype=dtype).requires_grad_() if initial else None
    return reward.requires_grad_(), LayeredTransition(moves, discounts), first


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("initial", [False, True])
@pytest.mark.parametrize("iterations", [1, 7])
@pytest.mark.parametrize("table", TABLES)
def test_the_compiled_backups_and_gradients_are_the_references(table, iterations, initial, batch):
    reward, transition, first = problem(TABLES[table], batch, initial=initial)
    found = LayeredPlanner(iterations=iterations)(reward, transition, initial_value=first)
    q, value = layered_value_iteration(reward, transition, iterations, initial_value=first)
    torch.testing.assert_close(found.q, q)
    torch.testing.assert_close(found.value, value)
    weights = torch.randn_like(q), torch.randn_like(value)
    inputs = [reward, transition.discounts, *([first] if initial else [])]
    ours = torch.autograd.grad((found.q, found.value), inputs, weights)
    theirs = torch.autograd.grad((q, value), inputs, weights)
    for mine, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(mine, other, rtol=1e-4, atol=1e-4)


def test_gradients_equal_finite_differences_twice():
    reward, transition, _ = problem(STAIRS, 1, 2, 3, dtype=torch.float64)

    def results(gains, discounts):
        return layered_value_iteration(gains, LayeredTransition(STAIRS, discounts), 3)[1].square()

    assert torch.autograd.gradcheck(results, (reward, transition.discounts))
    assert torch.autograd.gradgradcheck(results, (reward, transition.discounts))


def test_a_compiled_gradient_can_be_differentiated_again():
    reward, transition, _ = problem(STAIRS, 1, 2, 3)
    value = LayeredPlanner(iterations=3)(reward, transition).value
    (gradient,) = torch.autograd.grad(value.square().sum(), reward, create_graph=True)
    expected = layered_value_iteration(reward, transition, 3)[1]
    (first,) = torch.autograd.grad(expected.square().sum(), reward, create_graph=True)
    second = torch.autograd.grad(gradient.sum(), transition.discounts)[0]
    torch.testing.assert_close(second, torch.autograd.grad(first.sum(), transition.discounts)[0])


def test_many_backups_equal_the_search():
    moves = differential_drive(8)
    costs = torch.rand(2, 8, 3, 4, 5, dtype=torch.float64) + 0.5
    terminals = torch.zeros(2, 8, 4, 5, dtype=torch.bool)
    terminals[:, 3, 2, 1] = True
    settled = LayeredShortestPathPlanner()(LayeredCostMap(costs, terminals), moves).value
    value = torch.where(terminals, 0.0, UNREACHABLE).double()
    transition = LayeredTransition(moves, torch.ones(8, 3, dtype=torch.float64))
    for _ in range(60):
        _, value = layered_value_iteration(-costs, transition, 1, initial_value=value)
        value = value.masked_fill(terminals, 0.0)
    torch.testing.assert_close(value, settled)


def test_what_does_not_fit_is_refused():
    reward, transition, _ = problem(STAIRS)
    with pytest.raises(InputError, match="expected a reward and discounts of 2 layers and 3 actions"):
        LayeredPlanner(iterations=1)(reward[:, :1], transition)
    with pytest.raises(InputError, match="iterations: expected at least 1, got 0"):
        LayeredPlanner(iterations=0)(reward, transition)
    with pytest.raises(InputError, match="initial_value: expected the shape"):
        require_layered(reward, transition, 1, torch.zeros(3, 1, 5, 6))
