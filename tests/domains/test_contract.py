"""Every domain keeps the contract: problems from a seed, an expert for each, a world that answers."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from vinlab.domains.contract import Demonstrator, Sampler, Stepper
from vinlab.domains.gridworld.environment import step
from vinlab.domains.gridworld.expert import demonstrate_everywhere, demonstrate_trajectories
from vinlab.domains.gridworld.problem import GridworldConfig, sample_problems


@dataclass(frozen=True)
class Domain:
    config: Any
    sample: Sampler
    demonstrate: Demonstrator
    step: Stepper


DOMAINS = {
    "gridworld, along trajectories": Domain(
        GridworldConfig(8), sample_problems, demonstrate_trajectories, step
    ),
    "gridworld, everywhere": Domain(GridworldConfig(8), sample_problems, demonstrate_everywhere, step),
}


@pytest.fixture(params=DOMAINS.values(), ids=DOMAINS.keys())
def domain(request):
    return request.param


def demonstrations(domain, seed):
    rng = np.random.default_rng(seed)
    problems = domain.sample(domain.config, 20, rng=rng)
    return problems, domain.demonstrate(problems, rng=rng)


def test_each_problem_is_demonstrated(domain):
    problems, shown = demonstrations(domain, 0)
    assert len(problems) == len(shown) == 20
    assert (shown.weights.sum(dim=1) > 0).all()
    assert shown.moves.any(dim=-1).all()


def test_same_seed_same_demonstrations_and_another_seed_others(domain):
    first, second, other = (demonstrations(domain, seed)[1] for seed in (1, 1, 2))
    assert first.observations.equal(second.observations)
    assert first.states.equal(second.states)
    assert first.moves.equal(second.moves)
    assert not first.observations.equal(other.observations)


def test_the_experts_moves_change_the_state(domain):
    problems, shown = demonstrations(domain, 3)
    states = shown.states[:, 0].numpy()
    moves = shown.moves[:, 0].int().argmax(dim=-1).numpy()
    assert (domain.step(problems.obstacles, states, moves) != states).any(axis=1).all()
