"""The compiled backups over edges equal the reference, and both equal textbook value iteration."""

import numpy as np
import pytest
import torch

from vinlab.planning import GraphPlanner, GraphTransition
from vinlab.planning.exact import exact_value_iteration
from vinlab.planning.graph import compiled_values, is_compiled_for, reference_values


def random_graph(seed, nodes=40, edges=130):
    generator = torch.Generator().manual_seed(seed)
    sources, targets = torch.randint(nodes - 3, (2, edges), generator=generator)  # three nodes without edges
    return GraphTransition(sources, targets, torch.rand(edges, generator=generator), nodes)


@pytest.mark.parametrize("backups", [0, 1, 5])
@pytest.mark.parametrize("seed", range(4))
def test_values_and_gradients_equal_the_references(seed, backups):
    transition = random_graph(seed)
    reward = torch.randn(9, 40, generator=torch.Generator().manual_seed(seed), requires_grad=True)
    towards = torch.randn(9, 40)
    found = [values(reward, transition, backups) for values in (reference_values, compiled_values)]
    torch.testing.assert_close(found[1], found[0])
    slopes = [torch.autograd.grad((values * towards).sum(), reward)[0] for values in found]
    torch.testing.assert_close(slopes[1], slopes[0], atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_the_planner_equals_exact_value_iteration_on_random_graphs(seed):
    rng = np.random.default_rng(seed)
    nodes, choices, discount = 12, 4, 0.9
    targets = rng.integers(0, nodes, (nodes, choices))
    reward = rng.standard_normal(nodes).astype(np.float32)
    probabilities = np.zeros((choices, nodes, nodes))
    for node in range(nodes):
        probabilities[np.arange(choices), node, targets[node]] = 1
    transition = GraphTransition(
        torch.arange(nodes).repeat_interleave(choices),
        torch.from_numpy(targets.ravel()),
        torch.full((nodes * choices,), discount),
        nodes,
    )
    for iterations in (1, 2, 6):
        plan = GraphPlanner(iterations=iterations)(torch.from_numpy(reward)[None], transition)
        exact = exact_value_iteration(reward, probabilities, discount=discount, iterations=iterations)
        np.testing.assert_allclose(plan.value[0].numpy(), exact, rtol=1e-4, atol=1e-5)


def test_the_compiled_backups_are_used_only_where_they_apply():
    transition = random_graph(0)
    reward = torch.zeros(2, 40)
    assert is_compiled_for(reward, transition)
    assert not is_compiled_for(reward.double(), transition)
    learned = GraphTransition(transition.sources, transition.targets, transition.weights.requires_grad_(), 40)
    assert not is_compiled_for(reward, learned)
    crowded = GraphTransition(torch.zeros(40000).long(), torch.ones(40000).long(), torch.ones(40000), 40)
    assert not is_compiled_for(reward, crowded)


@pytest.mark.parametrize("poisoned", range(4))
def test_a_value_that_is_no_number_is_never_hidden(poisoned):
    # Node 0 leads to all others: whichever of them is poisoned, node 0 must not look sound.
    transition = GraphTransition(
        torch.tensor([0, 0, 0, 1, 2, 3]), torch.tensor([1, 2, 3, 0, 0, 0]), torch.ones(6), 4
    )
    reward = torch.zeros(1, 4)
    reward[0, poisoned] = float("nan")
    for backups in (1, 2, 3):
        ours = compiled_values(reward, transition, backups)
        assert torch.equal(ours.isnan(), reference_values(reward, transition, backups).isnan())
        assert ours.isnan().any()
