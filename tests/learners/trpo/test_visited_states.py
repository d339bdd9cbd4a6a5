"""Steps added up by state and move say the same as the steps one by one."""

import numpy as np
import torch

from vinlab.learners.trpo.advantages import Episodes
from vinlab.learners.trpo.trust_region import divergence, objective
from vinlab.learners.trpo.visited_states import VisitStatistics, aggregate, unique_states


def crowded_episodes(rng: np.random.Generator) -> Episodes:
    made = np.arange(6) < rng.integers(1, 7, size=(3, 4))[..., None]
    return Episodes(
        states=rng.integers(0, 3, size=(3, 4, 7, 2)),
        moves=rng.integers(0, 4, size=(3, 4, 6)),
        rewards=np.zeros((3, 4, 6)),
        made=made,
        ended=np.zeros((3, 4, 6), bool),
        num_moves=4,
    )


def test_every_passed_state_is_found_among_its_problems_sites():
    passed = np.random.default_rng(0).integers(0, (4, 6), size=(5, 3, 8, 2))
    sites = unique_states(passed)
    found = sites.states.numpy()[np.arange(5)[:, None, None], sites.index]
    np.testing.assert_array_equal(found, passed)
    for problem in range(5):
        different = len(np.unique(passed[problem].reshape(-1, 2), axis=0))
        assert len(np.unique(sites.states[problem].numpy(), axis=0)) == different


def test_objective_and_divergence_are_those_of_the_single_steps():
    rng = np.random.default_rng(1)
    episodes = crowded_episodes(rng)
    advantages, targets = rng.normal(size=(2, 3, 4, 6))
    sites = unique_states(episodes.states)
    visits, wanted = aggregate(episodes, sites, advantages, targets)
    old_table, new_table = torch.randn(2, 3, 3, 3, 4)  # problem, row, col, move
    problem = torch.arange(3)[:, None]
    tables = [t[problem, visits.states[..., 0], visits.states[..., 1]] for t in (old_table, new_table)]
    old, new = (table.log_softmax(-1) for table in tables)

    steps = [index for index in np.ndindex(3, 4, 6) if episodes.made[index]]
    ratios, distances = [], []
    for b, s, t in steps:
        row, col = episodes.states[b, s, t]
        p, q = (table[b, row, col].log_softmax(-1) for table in (old_table, new_table))
        ratios.append(float(advantages[b, s, t] * (q - p)[episodes.moves[b, s, t]].exp()))
        distances.append(float((p.exp() * (p - q)).sum()))
    assert np.isclose(float(objective(new, old, visits)), np.mean(ratios), rtol=1e-5)
    assert np.isclose(float(divergence(new, old, visits.counts)), np.mean(distances), rtol=1e-5)
    assert float(visits.counts.sum()) == len(steps)
    total = sum(targets[index] for index in steps)
    assert np.isclose(float((wanted * visits.counts).sum()), total, rtol=1e-5)


def test_filler_repeats_the_last_state_and_counts_nothing():
    states = np.zeros((2, 1, 3, 2), np.int64)
    states[0, 0] = [[1, 1], [1, 2], [1, 3]]
    states[1, 0] = [[2, 2], [2, 2], [2, 2]]
    sites = unique_states(states)
    assert sites.states[1].tolist() == [[2, 2], [2, 2], [2, 2]]
    episodes = Episodes(
        states,
        np.zeros((2, 1, 2), np.int64),
        np.zeros((2, 1, 2)),
        np.ones((2, 1, 2), bool),
        np.zeros((2, 1, 2), bool),
        4,
    )
    visits, _ = aggregate(episodes, sites, np.ones((2, 1, 2)), np.ones((2, 1, 2)))
    assert isinstance(visits, VisitStatistics)
    assert visits.counts.tolist() == [[1, 1, 0], [2, 0, 0]]
