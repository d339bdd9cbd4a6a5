import numpy as np
import pytest
import torch

from vinlab.planning import GraphPlanner, GraphTransition, GridPlanner, SharedKernels
from vinlab.planning.graph import group_edges
from vinlab.types import MOVE_OFFSETS, InputError


def lattice(rows, cols, discount):
    """Every cell linked to itself and to its neighbours on the map."""
    cells = np.arange(rows * cols).reshape(rows, cols)
    edges = [
        (cells[r, c], cells[r + dr, c + dc])
        for r in range(rows)
        for c in range(cols)
        for dr, dc in [(0, 0), *MOVE_OFFSETS]
        if 0 <= r + dr < rows and 0 <= c + dc < cols
    ]
    sources, targets = torch.tensor(np.array(edges).T)
    weights = torch.full((len(edges),), discount, dtype=torch.float64)
    return GraphTransition(sources, targets, weights, rows * cols)


def grid_kernels(discount):
    kernels = SharedKernels(torch.zeros(9, 1, 3, 3).double(), torch.zeros(9, 1, 3, 3).double())
    kernels.reward[:, 0, 1, 1] = 1.0
    for action, (row, col) in enumerate([(0, 0), *MOVE_OFFSETS]):
        kernels.value[action, 0, 1 + row, 1 + col] = discount
    return kernels


@pytest.mark.parametrize("iterations", [1, 2, 7])
def test_on_a_lattice_it_equals_the_grid_planner(iterations):
    torch.manual_seed(0)
    # Rewards above zero, so that leaving the map, where the grid planner sees zeros, is never the best.
    reward = torch.rand(3, 1, 5, 6, dtype=torch.float64) + 0.1
    grid = GridPlanner(iterations=iterations)(reward, grid_kernels(0.9))
    graph = GraphPlanner(iterations=iterations)(reward.flatten(1), lattice(5, 6, 0.9))
    torch.testing.assert_close(graph.value, grid.value.flatten(1))


def random_graph(nodes=7, edges=20):
    sources, targets = torch.randint(nodes, (2, edges))
    return sources, targets


def test_gradients_equal_finite_differences_twice():
    torch.manual_seed(1)
    sources, targets = random_graph()
    reward = torch.randn(2, 7, dtype=torch.float64, requires_grad=True)
    weights = torch.rand(20, dtype=torch.float64, requires_grad=True)

    def plan(reward, weights):
        found = GraphPlanner(iterations=3)(reward, GraphTransition(sources, targets, weights, 7))
        return found.q, found.value

    assert torch.autograd.gradcheck(plan, (reward, weights))
    assert torch.autograd.gradgradcheck(plan, (reward, weights))


def test_weights_may_differ_from_problem_to_problem():
    torch.manual_seed(2)
    sources, targets = random_graph()
    reward, weights = torch.randn(2, 7), torch.rand(2, 20)
    planner = GraphPlanner(iterations=4)
    together = planner(reward, GraphTransition(sources, targets, weights, 7)).value
    alone = [
        planner(reward[i : i + 1], GraphTransition(sources, targets, weights[i], 7)).value for i in range(2)
    ]
    torch.testing.assert_close(together, torch.cat(alone))


def test_the_value_of_a_node_without_edges_is_its_reward():
    transition = GraphTransition(torch.tensor([0]), torch.tensor([1]), torch.tensor([1.0]), 3)
    plan = GraphPlanner(iterations=5)(torch.tensor([[1.0, 2.0, -3.0]]), transition)
    assert plan.value.tolist() == [[3.0, 2.0, -3.0]]
    assert plan.q.tolist() == [[3.0]]


def test_tables_hold_every_edge_at_its_own_node_with_little_padding():
    sources = torch.tensor([2] * 9 + [0] + [4] * 3)
    groups = group_edges(sources, 5)
    held = {(int(n), int(e)) for g in groups for n, row in zip(g.nodes, g.edges, strict=True) for e in row}
    assert held == {(int(source), edge) for edge, source in enumerate(sources)}
    assert all(g.edges.shape[1] < 2 * min(int((sources == n).sum()) for n in g.nodes) for g in groups)


def test_what_does_not_fit_is_named():
    with pytest.raises(InputError, match=r"targets: expected nodes from 0 to 2"):
        GraphTransition(torch.tensor([0]), torch.tensor([3]), torch.tensor([1.0]), 3)
    transition = GraphTransition(torch.tensor([0]), torch.tensor([1]), torch.tensor([1.0]), 3)
    with pytest.raises(InputError, match="reward: expected 3 nodes"):
        GraphPlanner(iterations=1)(torch.zeros(1, 2), transition)
    with pytest.raises(InputError, match="iterations: expected at least 1"):
        GraphPlanner(iterations=0)(torch.zeros(1, 3), transition)
