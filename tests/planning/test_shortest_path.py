"""Planning to the fixed point equals exact value iteration, SciPy's Dijkstra and unrolled backups, gradients too."""

import subprocess
import sys

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

from helpers.reference_plans import reference_plan, unrolled_plan
from vinlab.planning.costs import (
    MOST_COST,
    UNREACHABLE,
    CostMap,
    MoveTable,
    mean_cost,
    memory_needed,
    terminals_at,
)
from vinlab.planning.exact import exact_value_iteration
from vinlab.planning.fused.search_function import is_searchable
from vinlab.planning.shortest_path import ShortestPathPlan, ShortestPathPlanner
from vinlab.types import InputError, Plan

EIGHT = MoveTable()
FOUR = MoveTable.of([(0, 1), (1, 0), (0, -1), (-1, 0)])
LEAPS = MoveTable.of([(0, 0), (2, 1), (0, -3), (-1, 0), (0, 1)])
plan = ShortestPathPlanner()


def random_problem(
    batch, rows, cols, *, moves=EIGHT, seed=0, goals=1, blocked=0.0, spread=1.0, dtype=torch.float32
):
    """Costs that differ by orders of magnitude at a spread of 1; a share of the moves is not allowed."""
    source = torch.Generator().manual_seed(seed)
    shape = (batch, len(moves), rows, cols)
    costs = torch.randn(shape, generator=source, dtype=torch.float64).mul(spread).exp().to(dtype)
    cells = torch.stack([torch.randint(side, (batch, goals), generator=source) for side in (rows, cols)], -1)
    allowed = torch.rand(shape, generator=source) >= blocked if blocked else None
    return CostMap(costs, terminals_at(cells, rows, cols), allowed)


def with_gradient(problem):
    return CostMap(problem.costs.detach().requires_grad_(), problem.terminals, problem.allowed)


def edges(problem, index, moves):
    """Sources, targets and costs of all possible moves of one problem, written cell by cell."""
    rows, cols = problem.terminals.shape[1:]
    found = [(0, 0, 0.0)][:0]
    for move, (down, right) in enumerate(moves.offsets.tolist()):
        for row in range(max(0, -down), min(rows, rows - down)):
            for col in range(max(0, -right), min(cols, cols - right)):
                if problem.allowed is None or problem.allowed[index, move, row, col]:
                    cost = float(problem.costs[index, move, row, col])
                    found.append((row * cols + col, (row + down) * cols + col + right, move, cost))
    return found


def exact_value(problem, index, moves):
    """By textbook value iteration in float64: terminal cells and a pit for impossible moves hold their value."""
    count = problem.terminals[index].numel()
    terminal, worst = problem.terminals[index].flatten().numpy(), count * float(problem.costs[index].max())
    reward = np.full((len(moves), count + 1), -2 * worst)
    probabilities = np.zeros((len(moves), count + 1, count + 1))
    probabilities[:, :, count] = 1.0
    for source, target, move, cost in edges(problem, index, moves):
        reward[move, source] = -cost
        probabilities[move, source] = np.eye(count + 1)[target]
    ends = np.append(terminal, True)
    reward[:, ends], probabilities[:, ends] = 0.0, np.eye(count + 1)[ends]
    value = exact_value_iteration(reward, probabilities, discount=1.0)[:count]
    return np.where(value < -worst, UNREACHABLE, value).reshape(problem.terminals.shape[1:])


def scipy_value(problem, index, moves):
    """By SciPy's Dijkstra, from the goals along the reversed edges; parallel edges keep the cheapest."""
    count = problem.terminals[index].numel()
    cheapest = {}
    for source, target, _, cost in edges(problem, index, moves):
        cheapest[target, source] = min(cost, cheapest.get((target, source), np.inf))
    ends = np.array(list(cheapest) or np.zeros((0, 2)), int)
    graph = csr_matrix((list(cheapest.values()), (ends[:, 0], ends[:, 1])), shape=(count, count))
    goals = problem.terminals[index].flatten().nonzero().flatten().numpy()
    value = -dijkstra(graph, indices=goals, min_only=True)
    return np.where(np.isfinite(value), value, UNREACHABLE).reshape(problem.terminals.shape[1:])


def assert_value(found, true):
    np.testing.assert_allclose(found.value[:, 0].detach().numpy(), true, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("blocked", [0.0, 0.6])
@pytest.mark.parametrize("moves", [EIGHT, FOUR, LEAPS])
@pytest.mark.parametrize(
    ("batch", "rows", "cols", "goals"), [(1, 1, 1, 1), (3, 1, 9, 2), (2, 7, 1, 1), (4, 6, 11, 3)]
)
def test_the_value_is_that_of_exact_value_iteration(batch, rows, cols, goals, moves, blocked):
    problem = random_problem(batch, rows, cols, moves=moves, goals=goals, blocked=blocked, spread=0.3)
    true = np.stack([exact_value(problem, index, moves) for index in range(batch)])
    assert_value(plan(problem, moves), true)


@pytest.mark.parametrize(
    ("batch", "rows", "cols", "blocked"), [(1, 64, 48, 0.0), (3, 64, 48, 0.7), (33, 5, 20, 0.7)]
)
def test_the_value_is_that_of_backups_until_they_settle(batch, rows, cols, blocked):
    problem = random_problem(batch, rows, cols, goals=2, blocked=blocked)
    found = plan(problem)
    q, value, moves = reference_plan(problem, EIGHT)
    torch.testing.assert_close(found.value, value, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(found.q, q, rtol=1e-5, atol=1e-5)
    assert torch.equal(found.moves.long(), moves)
    assert blocked == 0 or (value == UNREACHABLE).any()


def test_the_value_is_scipys_on_a_thousand_maps():
    source = np.random.default_rng(0)
    for seed in range(40):
        rows, cols = source.integers(1, 9, size=2).tolist()
        problem = random_problem(
            25, rows, cols, goals=int(source.integers(1, 4)), blocked=source.uniform(0, 0.7), seed=seed
        )
        true = np.stack([scipy_value(problem, index, EIGHT) for index in range(25)])
        assert_value(plan(problem), true)


def test_costs_of_any_magnitude_are_ordered_rightly():
    source = torch.Generator().manual_seed(0)
    powers = torch.empty(3, 8, 20, 20, dtype=torch.float64).uniform_(-30, 19, generator=source)
    problem = CostMap(10.0**powers, terminals_at(np.array([[[3, 4]]] * 3), 20, 20))
    true = np.stack([scipy_value(problem, index, EIGHT) for index in range(3)])
    np.testing.assert_allclose(plan(problem).value[:, 0].numpy(), true, rtol=1e-12)


def test_a_long_corridor_loses_nothing():
    costs = torch.full((1, 2, 1, 200_000), 0.1)
    corridor = CostMap(costs, terminals_at(np.array([[[0, 0]]]), 1, 200_000))
    found = plan(corridor, MoveTable.of([(0, -1), (0, 1)]))
    true = -np.arange(200_000) * np.float64(np.float32(0.1))
    np.testing.assert_allclose(found.value[0, 0, 0].numpy(), true, rtol=1e-6)


def test_value_and_q_belong_together():
    problem = random_problem(3, 8, 9, goals=2, blocked=0.3)
    found = plan(problem)
    assert isinstance(found, Plan)
    assert torch.equal(found.reward, -problem.costs)
    terminal = problem.terminals[:, None]
    best = found.q.max(dim=1, keepdim=True)
    torch.testing.assert_close(found.value, best.values.masked_fill(terminal, 0.0))
    assert (found.value[terminal] == 0).all()
    goes = found.moves[:, None] >= 0
    assert torch.equal(goes, ~terminal & (found.value > UNREACHABLE))
    assert torch.equal(found.moves[:, None][goes].long(), best.indices[goes])
    assert torch.equal(found[1:].moves, found.moves[1:])


def test_moves_that_leave_the_map_are_impossible():
    found = plan(random_problem(1, 4, 5))
    assert (found.q[0, 0, 0] == UNREACHABLE).all()  # north of the first row
    assert (found.q[0, 0, 1:] > UNREACHABLE).all()


def test_of_equal_moves_the_first_is_greedy_and_gets_the_gradient():
    costs = torch.ones(1, 8, 9, 9, requires_grad=True)
    found = plan(CostMap(costs, terminals_at(np.array([[[4, 4]]]), 9, 9)))
    assert found.moves[0, 0, 4] == 1  # south: as good as south-east then south-west, and before them
    assert found.moves[0, 2, 3] == 1  # two moves by either order of south and south-east
    (gradient,) = torch.autograd.grad(found.value[0, 0, 2, 3], costs)
    assert gradient.nonzero().tolist() == [[0, 1, 2, 3], [0, 6, 3, 3]]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_gradient_is_that_of_unrolled_backups(dtype):
    problem = with_gradient(random_problem(5, 7, 9, goals=2, blocked=0.4, dtype=dtype))
    found = plan(problem)
    unrolled = unrolled_plan(problem, EIGHT, 63)
    torch.testing.assert_close(found.q, unrolled[0])
    torch.testing.assert_close(found.value, unrolled[1])
    weights = [torch.randn_like(part) for part in unrolled]
    (ours,) = torch.autograd.grad((found.q, found.value), problem.costs, weights)
    (theirs,) = torch.autograd.grad(unrolled, problem.costs, weights)
    torch.testing.assert_close(ours, theirs)
    unreachable = (found.value < UNREACHABLE / 2).expand_as(ours)
    assert unreachable.any()
    assert (ours[unreachable & (found.q < UNREACHABLE / 2)] == 0).all()


@pytest.mark.parametrize("moves", [EIGHT, LEAPS])
def test_gradients_equal_finite_differences_twice(moves):
    problem = random_problem(1, 2, 4, moves=moves, blocked=0.2, dtype=torch.float64, seed=3)

    def results(costs):
        found = plan(CostMap(costs, problem.terminals, problem.allowed), moves)
        return found.q, found.value.square()

    costs = problem.costs.requires_grad_()
    assert torch.autograd.gradcheck(results, costs)
    assert torch.autograd.gradgradcheck(results, costs)


def test_second_derivatives_equal_those_of_unrolled_backups():
    problem = with_gradient(random_problem(2, 5, 6, blocked=0.3, dtype=torch.float64))
    products = []
    found = plan(problem)
    for q, value in ((found.q, found.value), unrolled_plan(problem, EIGHT, 30)):
        loss = (q.clamp(min=-1e3) ** 2).sum() + (value.clamp(min=-1e3) ** 3).sum()
        (gradient,) = torch.autograd.grad(loss, problem.costs, create_graph=True)
        products.append(torch.autograd.grad(gradient.square().sum(), problem.costs)[0])
    assert products[1].abs().max() > 0
    torch.testing.assert_close(*products)


def test_a_missing_or_strided_gradient_is_served():
    problem = with_gradient(random_problem(2, 6, 5))
    turned = CostMap(problem.costs.transpose(2, 3), problem.terminals.transpose(1, 2))
    for results in (lambda p: p.value.sum(), lambda p: p.q.transpose(2, 3).square().sum()):
        (ours,) = torch.autograd.grad(results(plan(turned)), problem.costs)
        (theirs,) = torch.autograd.grad(
            results(ShortestPathPlan(turned.costs, *reference_plan(turned, EIGHT)[:2])), problem.costs
        )
        torch.testing.assert_close(ours, theirs)


def test_threads_do_not_change_a_bit():
    problem = with_gradient(random_problem(37, 31, 20, blocked=0.2))
    before, found = torch.get_num_threads(), []
    try:
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            planned = plan(problem)
            loss = planned.q.sum() + planned.value.sum()
            found.append((planned.q, planned.value, torch.autograd.grad(loss, problem.costs)[0]))
    finally:
        torch.set_num_threads(before)
    for others in found[1:]:
        assert all(torch.equal(*pair) for pair in zip(others, found[0], strict=True))


@settings(max_examples=30, deadline=None)
@given(
    batch=st.integers(1, 5),
    rows=st.integers(1, 17),
    cols=st.integers(1, 17),
    goals=st.integers(1, 4),
    blocked=st.floats(0, 0.9),
    moves=st.sampled_from([EIGHT, FOUR, LEAPS]),
    seed=st.integers(0, 1000),
)
def test_the_search_is_the_reference_for_any_size(batch, rows, cols, goals, blocked, moves, seed):
    problem = random_problem(batch, rows, cols, goals=goals, blocked=blocked, moves=moves, seed=seed)
    found, (q, value, greedy) = plan(problem, moves), reference_plan(problem, moves)
    torch.testing.assert_close(found.q, q, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(found.value, value, rtol=1e-5, atol=1e-5)
    assert torch.equal(found.moves.long(), greedy)


def test_memory_for_the_gradient_does_not_grow_with_the_length_of_paths():
    def bytes_kept(problem):
        sizes = []
        with torch.autograd.graph.saved_tensors_hooks(lambda t: sizes.append(t.nbytes) or t, lambda t: t):
            plan(with_gradient(problem))
        return sum(sizes)

    short = CostMap(torch.ones(1, 8, 40, 40), torch.ones(1, 40, 40, dtype=torch.bool))
    long = CostMap(short.costs, terminals_at(np.array([[[0, 0]]]), 40, 40))
    assert bytes_kept(short) == bytes_kept(long) <= 75 * 40 * 40


def test_what_the_search_does_not_serve_the_reference_serves():
    problem = random_problem(2, 5, 6)
    assert is_searchable(problem)
    assert not is_searchable(CostMap(problem.costs.half(), problem.terminals))
    half = plan(CostMap(problem.costs.bfloat16(), problem.terminals))
    assert half.q.dtype == torch.float32
    tangent = torch.ones_like(problem.costs)
    _, slope = torch.func.jvp(
        lambda costs: plan(CostMap(costs, problem.terminals)).value, (problem.costs,), (tangent,)
    )
    steps = plan(CostMap(problem.costs + 1e-3, problem.terminals)).value - plan(problem).value
    torch.testing.assert_close(slope, steps / 1e-3, rtol=0.02, atol=0.02)


def test_no_problems_give_no_plans():
    none = CostMap(torch.ones(0, 8, 3, 4), torch.ones(0, 3, 4, dtype=torch.bool))
    found = plan(none)
    assert found.q.shape == (0, 8, 3, 4)
    assert found.value.shape == (0, 1, 3, 4)


def poisoned(value):
    costs = torch.ones(2, 8, 3, 4)
    costs[1, 7, 2, 3] = value
    return CostMap(costs, torch.ones(2, 3, 4, dtype=torch.bool))


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (float("nan"), "expected finite costs, got nan"),
        (float("inf"), "expected finite costs, got inf"),
        (0.0, "expected costs above zero, got 0.0"),
        (-2.0, "expected costs above zero, got -2.0"),
        (10 * MOST_COST, r"expected costs of at most 1e\+20, got 1e\+21"),
    ],
)
def test_bad_costs_are_named(value, sentence):
    with pytest.raises(InputError, match=sentence):
        plan(poisoned(value))


def test_bad_goals_are_named():
    no_goal = CostMap(torch.ones(2, 8, 3, 4), terminals_at(np.zeros((2, 1, 2), int), 3, 4))
    no_goal.terminals[1] = False
    with pytest.raises(InputError, match="at least one goal for each problem, got none for problem 1 of 2"):
        plan(no_goal)
    for goal in ((3, 0), (0, 4), (-1, 0)):
        with pytest.raises(InputError, match=rf"inside the map of 3 x 4 cells, got \({goal[0]}, {goal[1]}\)"):
            terminals_at(np.array([[(0, 0), goal]]), 3, 4)


@pytest.mark.parametrize(
    ("offsets", "sentence"),
    [
        ([(0, 1, 2)], "whole .row, col. offset each, got int64"),
        ([(0.5, 1.0)], "whole .row, col. offset each, got float64"),
        (np.zeros((0, 2), int), "expected 1 to 127 moves, got 0"),
        (np.zeros((128, 2), int), "expected 1 to 127 moves, got 128"),
    ],
)
def test_a_bad_table_of_moves_is_named(offsets, sentence):
    with pytest.raises(InputError, match=sentence):
        MoveTable.of(offsets)


def test_parts_that_do_not_fit_are_named():
    problem = random_problem(2, 3, 4)
    with pytest.raises(InputError, match="one cost for each of the 4 moves, got 8"):
        plan(problem, FOUR)
    with pytest.raises(InputError, match=r"terminal cells of the shape \(2, 3, 4\), got \(1, 3, 4\)"):
        plan(CostMap(problem.costs, problem.terminals[:1]))
    with pytest.raises(InputError, match=r"allowed moves of the shape \(2, 8, 3, 4\), got \(1, 8, 3, 4\)"):
        plan(CostMap(problem.costs, problem.terminals, torch.ones(1, 8, 3, 4, dtype=torch.bool)))
    with pytest.raises(InputError, match=r"expected no number of iterations, .* got 5"):
        plan(problem, iterations=5)


def test_more_cells_than_memory_are_refused():
    big = CostMap(
        torch.ones(1).expand(1, 8, 5000, 5000), torch.ones(1, dtype=torch.bool).expand(1, 5000, 5000)
    )
    with pytest.raises(InputError, match=r"planned in 1.0 GiB, got 1 of 5000 x 5000 cells .* need 3.6 GiB"):
        ShortestPathPlanner(memory_limit=2**30)(big)
    assert memory_needed((1, 8, 4096, 4096), item=4) < 2.5 * 2**30


def test_numba_is_not_imported_until_it_is_needed():
    code = "import sys, vinlab.planning.shortest_path; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("least", [1e-18, 1e-9, 1.0])
@pytest.mark.parametrize("most", [1.0, 1e9, 1e20])
@pytest.mark.parametrize("even", [True, False])
def test_costs_may_differ_by_any_factor(least, most, even):
    source = torch.Generator().manual_seed(0)
    share = torch.rand((1, 8, 9, 7), generator=source, dtype=torch.float64)
    # Over all orders of magnitude, or nearly all as large as the largest, so that costs to go are too.
    costs = least * (most / least) ** share if even else most * (0.1 + 0.9 * share)
    costs[0, 0, 4, 4], costs[0, 1, 2, 2] = least, most
    problem = CostMap(costs, terminals_at(np.array([[[4, 3]]]), 9, 7))
    found = plan(problem)
    np.testing.assert_allclose(found.value[0, 0].numpy(), exact_distances(problem), rtol=1e-9)


def exact_distances(problem):
    """Minus the cost to go by Bellman and Ford, without a queue."""
    distance = np.where(problem.terminals[0].numpy(), 0.0, np.inf).ravel()
    for _ in range(len(distance)):
        for source, target, _, cost in edges(problem, 0, EIGHT):
            distance[source] = min(distance[source], cost + distance[target])
    return -distance.reshape(problem.terminals.shape[1:])


def test_a_move_may_cost_the_most_and_no_more():
    problem = CostMap(
        torch.full((1, 8, 1, 3), MOST_COST, dtype=torch.float64), terminals_at(np.array([[[0, 0]]]), 1, 3)
    )
    assert plan(problem).value.flatten().tolist() == [0.0, -MOST_COST, -2 * MOST_COST]


def test_a_plan_needs_the_bytes_that_it_keeps():
    threads = torch.get_num_threads()
    kept, searched = 3 * 8 * 4 + 4 + 13, 8 * 4 + 9
    assert memory_needed((1, 8, 30, 40), item=4) == 1200 * (kept + searched)
    assert memory_needed((9, 8, 30, 40), item=4) == 1200 * (9 * kept + min(9, threads) * searched)
    assert memory_needed((1, 4, 30, 40), item=8) == 1200 * (3 * 4 * 8 + 8 + 13 + 4 * 8 + 9)
    problem = random_problem(1, 30, 40)
    needed = memory_needed((1, 8, 30, 40), item=4)
    ShortestPathPlanner(memory_limit=needed)(problem)
    with pytest.raises(
        InputError, match=r"expected maps that can be planned in 0.0 GiB, got 1 of 30 x 40 cells"
    ):
        ShortestPathPlanner(memory_limit=needed - 1)(problem)


def test_a_move_is_as_long_as_its_offset_and_one_that_stays_as_a_step():
    assert LEAPS.lengths.tolist() == pytest.approx([1, 5**0.5, 3, 1, 1])
    assert len(LEAPS) == 5
    assert mean_cost(2.0, 3.0, 5.0) == 8.0
