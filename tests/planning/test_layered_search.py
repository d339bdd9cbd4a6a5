"""The search over states with layers equals SciPy's Dijkstra, backups until they settle, and the flat planner."""

import numpy as np
import pytest
import torch
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

from vinlab.planning.costs import UNREACHABLE, CostMap
from vinlab.planning.layered_evaluation import reference_layered_plan
from vinlab.planning.layered_search import LayeredCostMap, LayeredShortestPathPlanner
from vinlab.planning.moves import LayeredMoves, differential_drive, grid_moves
from vinlab.planning.shortest_path import ShortestPathPlanner
from vinlab.types import InputError

STAIRS = LayeredMoves.of(
    [[0, 0, 1], [1, 0, -1]], [[(0, 1), (1, 0), (0, 0)], [(0, -1), (-2, 1), (0, 0)]], [[1, 1, 3], [2, 1, 1]]
)
"""Two layers with unlike actions; the second has one action less."""
TABLES = {"stairs": STAIRS, **{str(count): differential_drive(count) for count in (4, 8, 16)}}
plan = LayeredShortestPathPlanner()


def random_problem(moves, batch=3, rows=6, cols=7, *, blocked=0.3, seed=0, dtype=torch.float64):
    source = torch.Generator().manual_seed(seed)
    shape = (batch, moves.num_layers, moves.num_actions, rows, cols)
    costs = torch.randn(shape, generator=source, dtype=torch.float64).exp().to(dtype)
    terminals = torch.zeros(batch, moves.num_layers * rows * cols, dtype=torch.bool)
    chosen = torch.randint(terminals.shape[1], (batch, 2), generator=source)
    terminals.scatter_(1, chosen, True)
    allowed = torch.rand(shape, generator=source) >= blocked
    return LayeredCostMap(costs, terminals.view(batch, -1, rows, cols), allowed)


def scipy_value(problem, index, moves):
    """By SciPy's Dijkstra over edges written state by state."""
    layers, actions, rows, cols = problem.costs.shape[1:]
    cheapest = {}
    for layer, action, row, col in np.ndindex(layers, actions, rows, cols):
        down, right = moves.offsets[layer, action]
        to = (moves.layers[layer, action], row + down, col + right)
        if to[0] < 0 or not (0 <= to[1] < rows and 0 <= to[2] < cols):
            continue
        if problem.allowed[index, layer, action, row, col]:
            ends = (to[0] * rows + to[1]) * cols + to[2], (layer * rows + row) * cols + col
            cost = float(problem.costs[index, layer, action, row, col])
            cheapest[ends] = min(cost, cheapest.get(ends, np.inf))
    ends = np.array(list(cheapest))
    count = layers * rows * cols
    graph = csr_matrix((list(cheapest.values()), (ends[:, 0], ends[:, 1])), shape=(count, count))
    goals = problem.terminals[index].flatten().nonzero().flatten().numpy()
    value = -dijkstra(graph, indices=goals, min_only=True)
    return np.where(np.isfinite(value), value, UNREACHABLE).reshape(layers, rows, cols)


@pytest.mark.parametrize("table", TABLES)
def test_the_value_is_scipys_and_that_of_settled_backups(table):
    moves = TABLES[table]
    problem = random_problem(moves)
    found = plan(problem, moves)
    true = np.stack([scipy_value(problem, index, moves) for index in range(3)])
    np.testing.assert_allclose(found.value.numpy(), true, rtol=1e-12)
    assert (true == UNREACHABLE).any()
    q, value, greedy = reference_layered_plan(problem.costs, problem.terminals, problem.allowed, moves)
    torch.testing.assert_close(found.q, q)
    torch.testing.assert_close(found.value, value)
    assert torch.equal(found.moves.long(), greedy)


@pytest.mark.parametrize("table", TABLES)
def test_the_gradient_is_that_of_the_reference(table):
    moves = TABLES[table]
    problem = random_problem(moves, seed=1, dtype=torch.float32)
    costs = problem.costs.requires_grad_()
    found = plan(LayeredCostMap(costs, problem.terminals, problem.allowed), moves)
    q, value, _ = reference_layered_plan(costs, problem.terminals, problem.allowed, moves)
    weights = torch.randn_like(q), torch.randn_like(value)
    (ours,) = torch.autograd.grad((found.q, found.value), costs, weights)
    (theirs,) = torch.autograd.grad((q, value), costs, weights)
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)
    assert ours.abs().sum() > 0


def test_gradients_equal_finite_differences_twice():
    problem = random_problem(STAIRS, 1, 2, 3, blocked=0.1, seed=2)

    def results(costs):
        found = plan(LayeredCostMap(costs, problem.terminals, problem.allowed), STAIRS)
        return found.q, found.value.square()

    costs = problem.costs.requires_grad_()
    assert torch.autograd.gradcheck(results, costs)
    assert torch.autograd.gradgradcheck(results, costs)


@pytest.mark.parametrize("count", [4, 8])
def test_one_layer_is_the_flat_planner(count):
    moves = grid_moves(count)
    problem = random_problem(moves, dtype=torch.float32)
    found = plan(problem, moves)
    flat = ShortestPathPlanner()(
        CostMap(problem.costs[:, 0], problem.terminals[:, 0], problem.allowed[:, 0]), moves.flat
    )
    assert torch.equal(found.q[:, 0], flat.q)
    assert torch.equal(found.value, flat.value)
    assert torch.equal(found.moves[:, 0], flat.moves)


def test_a_robot_turns_before_it_drives():
    moves = differential_drive(4)
    terminals = torch.zeros(1, 4, 1, 5, dtype=torch.bool)
    terminals[0, moves.layer("E"), 0, 4] = True
    found = plan(LayeredCostMap(torch.ones(1, 4, 3, 1, 5), terminals), moves)
    assert found.value[0, moves.layer("E"), 0, 0] == -4
    assert found.value[0, moves.layer("N"), 0, 0] == -5
    assert found.value[0, moves.layer("W"), 0, 0] == -6
    assert moves.action_names[found.moves[0, moves.layer("N"), 0, 0]] == "right"
    assert moves.action_names[found.moves[0, moves.layer("S"), 0, 0]] == "left"


def test_what_does_not_fit_is_refused():
    moves = differential_drive(4)
    costs, terminals = torch.ones(1, 4, 3, 2, 2), torch.ones(1, 4, 2, 2, dtype=torch.bool)
    with pytest.raises(InputError, match="expected costs of 4 layers and 3 actions, got those of 3 and 3"):
        plan(LayeredCostMap(costs[:, :3], terminals[:, :3]), moves)
    with pytest.raises(
        InputError, match="expected at least one goal for each problem, got none for problem 0"
    ):
        plan(LayeredCostMap(costs, ~terminals), moves)
    with pytest.raises(InputError, match=r"expected costs above zero, got -1.0"):
        plan(LayeredCostMap(-costs, terminals), moves)
    with pytest.raises(InputError, match="expected no number of iterations"):
        plan(LayeredCostMap(costs, terminals), moves, iterations=3)


@pytest.mark.parametrize("sides", [(1, 1), (1, 7), (5, 1), (3, 8)])
@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("table", TABLES)
def test_the_search_and_its_gradient_are_the_references_for_any_size(table, masked, sides):
    moves = TABLES[table]
    problem = random_problem(moves, 2, *sides, blocked=0.5, seed=sum(sides))
    costs, allowed = problem.costs.requires_grad_(), problem.allowed if masked else None
    found = plan(LayeredCostMap(costs, problem.terminals, allowed), moves)
    all_allowed = torch.ones_like(problem.allowed) if allowed is None else allowed
    q, value, greedy = reference_layered_plan(costs, problem.terminals, all_allowed, moves)
    torch.testing.assert_close(found.q, q)
    torch.testing.assert_close(found.value, value)
    assert torch.equal(found.moves.long(), greedy)
    weights = torch.randn_like(q), torch.randn_like(value)
    (ours,) = torch.autograd.grad((found.q, found.value), costs, weights)
    (theirs,) = torch.autograd.grad((q, value), costs, weights)
    torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("least", [1e-18, 1e-9, 1.0])
@pytest.mark.parametrize("most", [1.0, 1e9, 1e20])
@pytest.mark.parametrize("even", [True, False])
def test_costs_may_differ_by_any_factor(least, most, even):
    problem = random_problem(STAIRS, 1, seed=3)
    share = torch.rand(problem.costs.shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    costs = least * (most / least) ** share if even else most * (0.1 + 0.9 * share)
    costs[0, 0, 0, 2, 2], costs[0, 0, 1, 3, 3] = least, most
    problem = LayeredCostMap(costs, problem.terminals, problem.allowed)
    np.testing.assert_allclose(
        plan(problem, STAIRS).value[0].numpy(), scipy_value(problem, 0, STAIRS), rtol=1e-9
    )


def test_of_equally_good_actions_the_first_is_taken():
    moves = differential_drive(4)
    terminals = torch.zeros(1, 4, 3, 3, dtype=torch.bool)
    terminals[0, 0, 1, 1] = True
    found = plan(LayeredCostMap(torch.ones(1, 4, 3, 3, 3), terminals), moves)
    best = found.q.eq(found.value.unsqueeze(2)).float().argmax(dim=2)
    here = ~terminals
    assert torch.equal(found.moves.long()[here], best[here])
    assert (found.moves[terminals] == -1).all()
