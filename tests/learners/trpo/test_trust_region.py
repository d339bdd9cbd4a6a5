"""TRPO's step against closed forms, explicit matrices and another implementation."""

from collections import OrderedDict

import numpy as np
import pytest
import torch
from torch import nn

from vinlab.learners.trpo.trust_region import (
    EVERYTHING,
    FisherProduct,
    TrustRegionConfig,
    conjugate_gradient,
    divergence,
    flat_gradient,
    mean_entropy,
    objective,
    trust_region_step,
)
from vinlab.learners.trpo.visited_states import VisitStatistics
from vinlab.networks.grid.rl import ValueVinConfig


def visits_of(counts: torch.Tensor, advantages: torch.Tensor) -> VisitStatistics:
    return VisitStatistics(
        torch.zeros(*counts.shape, 2, dtype=torch.int64), counts.float(), advantages.float()
    )


def random_visits(problems: int, sites: int, moves: int) -> VisitStatistics:
    counts = torch.randint(1, 9, (problems, sites)).float()
    return visits_of(counts, torch.randn(problems, sites, moves))


def test_the_step_is_the_natural_gradient_in_closed_form():
    """A bandit with one state: the logits are the parameters, and F = diag(p) - p p'."""
    torch.manual_seed(0)
    logits = nn.Parameter(torch.randn(4, dtype=torch.float64))
    advantages = torch.tensor([0.3, -0.2, 0.5, -0.1], dtype=torch.float64)
    visits = VisitStatistics(
        torch.zeros(1, 1, 2, dtype=torch.int64), torch.ones(1, 1), advantages[None, None]
    )
    p = logits.detach().softmax(0)
    gradient = advantages * 1.0 - p * advantages.sum()  # of sum_m A_m pi(m) / pi_old(m)
    fisher = torch.diag(p) - torch.outer(p, p)
    direction = torch.linalg.pinv(fisher) @ gradient
    bound = 1e-7
    expected = (2 * bound / (direction @ fisher @ direction)).sqrt() * direction
    before = logits.detach().clone()

    def read(*_: slice) -> torch.Tensor:
        return logits[None, None] * 1.0

    config = TrustRegionConfig(
        divergence=bound, damping=0.0, conjugate_steps=4, backtrack_ratio=0.999, backtracks=50
    )
    step = trust_region_step(read(EVERYTHING, EVERYTHING), read, visits, [logits], config)
    assert step.accepted
    assert step.divergence == pytest.approx(bound, rel=5e-3)
    # A step that is a trifle too long for the true divergence is shortened by a few thousandths.
    moved = logits.detach() - before
    torch.testing.assert_close(moved / moved.norm(), expected / expected.norm(), rtol=1e-6, atol=1e-6)
    assert float(moved.norm() / expected.norm()) == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize("make", ["mlp", "vin"])
def test_the_product_is_the_explicit_fisher_matrix_times_the_vector(make):
    torch.manual_seed(1)
    if make == "mlp":
        network = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 4)).double()
        logits = network(torch.randn(2, 3, 3, dtype=torch.float64))
    else:
        network = ValueVinConfig(iterations=3, hidden=2, std=0.1, reward_scale=1.0).build()
        states = torch.tensor([[[1, 1], [2, 3]], [[0, 2], [3, 3]]])
        logits, _ = network(torch.randn(2, 2, 5, 5), states)
    parameters = list(network.parameters())
    counts = torch.randint(1, 6, logits.shape[:2]).to(logits.dtype)
    flat = logits.reshape(-1, 4)
    jacobian = torch.stack([flat_gradient(one, parameters) for one in flat.reshape(-1)])
    p = flat.detach().softmax(-1)
    blocks = [
        w * (torch.diag(q) - torch.outer(q, q))
        for w, q in zip(counts.flatten() / counts.sum(), p, strict=True)
    ]
    fisher = jacobian.T @ torch.block_diag(*blocks) @ jacobian
    product = FisherProduct(logits, counts, parameters, damping=0.3)
    for _ in range(3):
        vector = torch.randn(len(fisher), dtype=fisher.dtype)
        expected = fisher @ vector + 0.3 * vector
        torch.testing.assert_close(product(vector), expected, rtol=1e-4, atol=1e-5)


def test_the_fisher_matrix_is_the_curvature_of_the_divergence():
    torch.manual_seed(2)
    network = nn.Linear(3, 4).double()
    inputs, counts = torch.randn(2, 3, 3, dtype=torch.float64), torch.rand(2, 3, dtype=torch.float64)
    parameters = list(network.parameters())
    logits = network(inputs)
    slope = flat_gradient(
        divergence(logits, logits.detach().log_softmax(-1), counts), parameters, create_graph=True
    )
    vector = torch.randn(len(slope), dtype=torch.float64)
    by_definition = flat_gradient(slope @ vector, parameters)
    torch.testing.assert_close(FisherProduct(logits, counts, parameters)(vector), by_definition)


def test_conjugate_gradients_solve_a_linear_system():
    torch.manual_seed(3)
    root = torch.randn(6, 6, dtype=torch.float64)
    matrix, target = root @ root.T + torch.eye(6), torch.randn(6, dtype=torch.float64)
    found = conjugate_gradient(lambda vector: matrix @ vector, target, 6, tolerance=1e-20)
    torch.testing.assert_close(found, torch.linalg.solve(matrix, target))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("bound", [0.001, 0.05])
def test_the_bound_is_never_exceeded_and_the_objective_never_falls(seed, bound):
    torch.manual_seed(seed)
    network, inputs = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 4)), torch.randn(5, 7, 3)
    visits = random_visits(5, 7, 4)
    old = network(inputs).detach().log_softmax(-1)
    config = TrustRegionConfig(divergence=bound, fisher_share=0.4)
    step = trust_region_step(
        network(inputs), lambda *chosen: network(inputs[chosen]), visits, list(network.parameters()), config
    )
    measured = float(divergence(network(inputs).detach(), old, visits.counts))
    assert measured <= bound
    assert step.divergence == pytest.approx(measured, abs=1e-6)
    gained = float(objective(network(inputs).detach(), old, visits) - objective(old, old, visits))
    assert gained >= 0
    assert step.accepted == (gained > 0)


def test_without_advantages_a_bonus_raises_the_entropy():
    torch.manual_seed(0)
    network, inputs = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 4)), torch.randn(5, 7, 3)
    visits = visits_of(torch.ones(5, 7), torch.zeros(5, 7, 4))

    def entropy() -> float:
        return float(mean_entropy(network(inputs).detach().log_softmax(-1), visits.counts))

    def step(bonus: float) -> float:
        before = entropy()
        config = TrustRegionConfig(divergence=0.01, entropy_bonus=bonus)
        found = trust_region_step(
            network(inputs),
            lambda *chosen: network(inputs[chosen]),
            visits,
            list(network.parameters()),
            config,
        )
        assert found.entropy == pytest.approx(before, abs=1e-6)
        return entropy() - before

    assert step(0.0) == 0.0
    assert step(0.1) > 1e-4


def test_every_parameter_moves_whatever_its_name():
    torch.manual_seed(0)
    network = ValueVinConfig(iterations=4, hidden=3, std=0.1, reward_scale=1.0).build()
    assert any("value" in name for name, _ in network.named_parameters())
    images, states = torch.rand(3, 2, 6, 6), torch.randint(1, 5, (3, 9, 2))
    visits = VisitStatistics(states, torch.ones(3, 9), torch.randn(3, 9, 4))
    before = {name: parameter.detach().clone() for name, parameter in network.named_parameters()}

    def read(problems: slice, chosen: slice) -> torch.Tensor:
        return network(images[problems], states[problems, chosen])[0]

    assert trust_region_step(
        read(EVERYTHING, EVERYTHING), read, visits, list(network.parameters()), TrustRegionConfig()
    ).accepted
    for name, parameter in network.named_parameters():
        assert not torch.equal(parameter, before[name]), name


def test_what_is_not_finite_stops_the_step_and_is_reported():
    network, inputs = nn.Linear(3, 4), torch.randn(2, 3, 3)
    before = network.weight.detach().clone()
    spoilt = random_visits(2, 3, 4)
    spoilt.advantages[0, 0, 0] = torch.nan
    step = trust_region_step(
        network(inputs),
        lambda *chosen: network(inputs[chosen]),
        spoilt,
        list(network.parameters()),
        TrustRegionConfig(),
    )
    assert (step.accepted, step.reason) == (False, "the gradient is not finite")
    assert torch.equal(network.weight, before)


def test_a_search_without_success_restores_the_parameters():
    network, inputs = nn.Linear(3, 4), torch.randn(2, 3, 3)
    before = network.weight.detach().clone()
    config = TrustRegionConfig(backtracks=3)

    def read(
        *_: slice,
    ) -> torch.Tensor:  # the world changes as soon as the policy does: nothing ever improves
        return network(inputs) if torch.equal(network.weight, before) else network(inputs) * torch.nan

    step = trust_region_step(
        read(EVERYTHING, EVERYTHING), read, random_visits(2, 3, 4), list(network.parameters()), config
    )
    assert not step.accepted
    assert "no step" in step.reason
    assert torch.equal(network.weight, before)


def test_one_update_agrees_with_sb3_contrib_from_the_same_batch():
    sb3_contrib = pytest.importorskip("sb3_contrib", reason="the reference implementation is an extra")
    reference = sb3_contrib.TRPO(
        "MlpPolicy",
        "CartPole-v1",
        n_steps=256,
        batch_size=256,
        seed=0,
        device="cpu",
        cg_damping=0.1,
        target_kl=0.01,
        n_critic_updates=0,
        policy_kwargs={"net_arch": {"pi": [16], "vf": [16]}},
    )
    _, callback = reference._setup_learn(256, None)
    reference.collect_rollouts(reference.env, callback, reference.rollout_buffer, 256)
    parts = ("policy_net", "action_net")
    network = nn.Sequential(OrderedDict(first=nn.Linear(4, 16), tanh=nn.Tanh(), last=nn.Linear(16, 2)))
    theirs = [p for name, p in reference.policy.named_parameters() if any(part in name for part in parts)]
    with torch.no_grad():
        for ours, other in zip(network.parameters(), theirs, strict=True):
            ours.copy_(other)

    (batch,) = reference.rollout_buffer.get(None)
    scaled = (batch.advantages - batch.advantages.mean()) / (batch.advantages.std() + 1e-8)
    advantages = torch.zeros(256, 1, 2)
    advantages[torch.arange(256), 0, batch.actions.long().flatten()] = scaled
    visits = visits_of(torch.ones(256, 1), advantages)
    inputs = batch.observations[:, None].float()
    config = TrustRegionConfig(
        divergence=0.01, conjugate_steps=15, damping=0.1, backtrack_ratio=0.8, backtracks=10
    )
    trust_region_step(
        network(inputs), lambda *chosen: network(inputs[chosen]), visits, list(network.parameters()), config
    )
    before = [one.detach().clone() for one in theirs]
    reference.train()
    for ours, other, old in zip(network.parameters(), theirs, before, strict=True):
        assert not torch.equal(other, old)
        np.testing.assert_allclose(ours.detach().numpy(), other.detach().numpy(), rtol=2e-3, atol=1e-5)


@pytest.mark.parametrize(
    ("share", "stride", "expected"),
    [(1.0, 1, (10, 6)), (0.5, 1, (5, 6)), (0.01, 1, (1, 6)), (1.0, 4, (10, 2)), (0.3, 3, (3, 2))],
)
def test_the_fisher_matrix_is_that_of_a_share_of_the_problems_and_states(share, stride, expected):
    torch.manual_seed(0)
    logits = nn.Parameter(torch.randn(10, 6, 4))
    asked = []

    def read(problems: slice, states: slice) -> torch.Tensor:
        asked.append(tuple(logits[problems, states].shape[:2]))
        return logits[problems, states] * 1.0

    config = TrustRegionConfig(fisher_share=share, fisher_stride=stride)
    trust_region_step(read(EVERYTHING, EVERYTHING), read, random_visits(10, 6, 4), [logits], config)
    assert asked[:2] == [(10, 6), expected]
