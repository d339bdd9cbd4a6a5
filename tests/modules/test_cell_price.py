"""One price for each cell: moves cost the mean of two, and the gradient is that of finite differences."""

import numpy as np
import torch

from vinlab.modules.move_cost import CellPrices
from vinlab.planning.graded import GradedGrid


def test_moves_cost_their_length_times_the_mean_of_two_prices():
    torch.manual_seed(0)
    part = CellPrices(channels=3, hidden=4)
    observation = torch.rand(2, 3, 5, 7)
    problem, prices = part(observation), part.prices(observation).detach().double().numpy()
    for index in range(2):
        expected = GradedGrid(prices[index]).move_costs()
        inside = np.isfinite(expected)
        np.testing.assert_allclose(problem.costs[index].detach().numpy()[inside], expected[inside], rtol=1e-5)
    assert problem.terminals.equal(observation[:, 1] > 0)


def test_prices_do_not_depend_on_the_goal_and_with_width_1_on_no_other_cell():
    part = CellPrices(channels=3, hidden=4)
    observation = torch.rand(1, 3, 5, 7)
    other = observation.clone()
    other[0, 1] = 1.0
    other[0, :, 2, 3] += 1.0
    changed = part.prices(observation) != part.prices(other)
    assert changed.nonzero().tolist() == [[0, 2, 3]]


def test_the_gradient_equals_finite_differences():
    torch.manual_seed(0)
    part = CellPrices(channels=3, hidden=3, width=3).double()
    part.lengths = part.lengths.double()
    observation = torch.rand(1, 3, 3, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(part.costs, (observation,))
