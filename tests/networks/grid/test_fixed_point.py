"""A VIN of learned move costs: its parts, alone and together."""

import numpy as np
import pytest
import torch

from vinlab.domains.gridworld.expert import demonstrate_everywhere
from vinlab.domains.gridworld.problem import GridworldConfig, observe, sample_problems
from vinlab.learners.imitation import ImitationLoss
from vinlab.modules.move_cost import MOST_LOG_PRICE, KnownMoves, MoveCosts
from vinlab.networks.grid.fixed_point import FixedPointVinConfig
from vinlab.planning.costs import MOST_COST, CostMap, MoveTable, terminals_at
from vinlab.planning.shortest_path import ShortestPathPlanner
from vinlab.types import MOVE_COSTS, InputError


def problems(count=3, size=12):
    return sample_problems(GridworldConfig(size=size), count, rng=np.random.default_rng(0))


def observation(count=3, size=12):
    maps = problems(count, size)
    return observe(maps.obstacles, maps.goals)


@pytest.mark.parametrize("scale", [0.0, 1.0, 1e6])
def test_a_move_costs_at_least_its_length_and_stays_finite(scale):
    part = MoveCosts()
    torch.nn.init.normal_(part.log_price.weight, std=scale)
    costs = part.costs(observation())
    assert (costs >= part.lengths).all()
    assert costs.max() <= MOST_COST
    assert costs.max() <= np.sqrt(2) * np.exp(MOST_LOG_PRICE) * 1.001
    torch.testing.assert_close(part.lengths.flatten(), torch.as_tensor(MOVE_COSTS, dtype=torch.float32))


def test_costs_do_not_depend_on_the_goal():
    part, seen = MoveCosts(channels=3, goal_channel=1), torch.rand(1, 3, 6, 7)
    moved = seen.clone()
    moved[:, 1] = torch.rand(6, 7)
    assert torch.equal(part.costs(seen), part.costs(moved))
    moved[:, 2] = torch.rand(6, 7)
    assert not torch.equal(part.costs(seen), part.costs(moved))


def test_filters_of_one_cell_see_the_cell_alone():
    part, seen = MoveCosts(width=1), torch.zeros(1, 2, 5, 5)
    around = seen.clone()
    around[0, 0, 2, 2] = 1.0
    changed = (part.costs(seen) != part.costs(around)).any(dim=1)[0]
    assert changed.nonzero().tolist() == [[2, 2]]


def test_a_map_is_looked_at_once_and_planned_for_many_goals():
    network, seen = FixedPointVinConfig().build(), observation(1)
    costs = network.reward.costs(seen)
    for goal in ((3, 4), (8, 8)):
        marked = seen.clone()
        marked[0, 1] = 0.0
        marked[0, 1][goal] = 10.0
        further = ShortestPathPlanner()(CostMap(costs, terminals_at(np.array([[goal]]), 12, 12)))
        assert torch.equal(network.plan(marked).value, further.value)


def test_the_network_plans_acts_and_learns():
    torch.manual_seed(0)
    network, shown = FixedPointVinConfig().build(), demonstrate_everywhere(problems(8))
    assert network.iterations is None
    logits, plan = network(shown.observations, shown.states)
    assert logits.shape == shown.moves.shape
    assert plan.moves.shape == shown.observations[:, 0].shape
    loss = ImitationLoss(network)
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-2)
    before = {name: weight.detach().clone() for name, weight in network.named_parameters()}
    losses = []
    for _ in range(30):
        optimiser.zero_grad()
        summed = loss(shown)
        (summed / shown.weights.sum()).backward()
        optimiser.step()
        losses.append(summed.item())
    assert losses[-1] < 0.3 * losses[0]
    assert all(not torch.equal(weight, before[name]) for name, weight in network.named_parameters())


def test_a_number_of_backups_is_refused():
    with pytest.raises(InputError, match=r"expected no number of iterations, .* got 10"):
        FixedPointVinConfig().build().plan(observation(), iterations=10)


def test_other_moves_have_costs_of_their_own():
    table = MoveTable.of([(0, 0), (3, 4), (0, 1)])
    assert table.lengths.tolist() == [1.0, 5.0, 1.0]
    assert MoveCosts(moves=table).costs(observation()).shape[1] == 3
    assert KnownMoves(table)(observation()) is table
