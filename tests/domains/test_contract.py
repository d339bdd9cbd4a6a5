"""Every domain keeps the contract: problems from a generator, an expert that solves them, one dynamics."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vinlab.domains
from helpers.domains import DOMAINS

COUNT = 12


@pytest.fixture(params=DOMAINS)
def domain(request):
    return DOMAINS[request.param]()


def contents(problems: Any) -> bytes:
    """All arrays of a record, one after the other."""
    values = [getattr(problems, field.name) for field in dataclasses.fields(problems)]
    return b"".join(np.ascontiguousarray(value).tobytes() for value in values)


def test_the_registry_holds_every_domain():
    folder = Path(vinlab.domains.__file__).parent
    assert set(DOMAINS) == {file.parent.name for file in folder.glob("*/problem.py")}


def test_there_are_as_many_problems_as_asked_for(domain):
    assert len(domain.sample(COUNT, rng=np.random.default_rng(0))) == COUNT


def test_the_same_seed_gives_the_same_problems_and_another_seed_others(domain):
    first, again, other = (
        contents(domain.sample(COUNT, rng=np.random.default_rng(seed))) for seed in (1, 1, 2)
    )
    assert first == again != other


def test_the_expert_reaches_every_goal_in_the_environment(domain):
    problems = domain.sample(COUNT, rng=np.random.default_rng(3))
    environment, expert = domain.environment(problems), domain.expert(problems)
    states = environment.starts
    solved = environment.reached(states)
    for _ in range(domain.horizon):
        if solved.all():
            break
        # The expert has no action at a goal: a solved problem keeps its state.
        following = environment.step(states, np.where(expand(solved, expert(states)), 0, expert(states)))
        states = np.where(expand(solved, states), states, following)
        solved = environment.reached(states)
    assert solved.all()


def test_a_step_depends_on_state_and_action_alone_and_changes_neither(domain):
    problems = domain.sample(COUNT, rng=np.random.default_rng(4))
    environment, expert = domain.environment(problems), domain.expert(problems)
    states = environment.starts
    actions = expert(states)
    before = states.copy(), actions.copy()
    first, again = environment.step(states, actions), environment.step(states, actions)
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(states, before[0])
    np.testing.assert_array_equal(actions, before[1])
    assert (first != states).reshape(COUNT, -1).any(axis=1).all()


def expand(mask: np.ndarray, like: np.ndarray) -> np.ndarray:
    """The mask of the problems with the further axes of an array."""
    return mask.reshape(-1, *[1] * (like.ndim - 1))
