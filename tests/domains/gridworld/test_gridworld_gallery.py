"""The maps of the gallery are the same everywhere, and the default model solves each by a shortest path."""

import numpy as np
import pytest

import vinlab
from vinlab.domains.gridworld.gallery import GALLERY, gallery_problem
from vinlab.domains.gridworld.problem import content_hash
from vinlab.planning.exact import cost_to_go
from vinlab.types import InputError

CONTENT = {
    "offices": "84b1acad00d93f66",
    "laboratory": "16bc96cbabca5d50",
    "warehouse": "57deed6dc05f67ea",
    "city": "18f77999e0cb32fa",
    "maze": "7d708bb2a6604c7a",
    "cave": "3a377cfe4755addd",
    "rooms": "3a604c5f4a4345d9",
    "obstacles": "a627100b09212a2f",
    "mountains": "5b7efb1eae72289d",
    "harbour": "74b011d06add735c",
}
"""Links to a map must not lead to another one."""


@pytest.mark.parametrize("name", GALLERY)
def test_a_map_and_its_ends_do_not_change(name):
    assert content_hash(gallery_problem(name))[:16] == CONTENT[name]


def test_there_are_ten_kinds_of_maps():
    assert list(CONTENT) == list(GALLERY)
    assert len(GALLERY) == 10
    assert len({entry.draw for entry in GALLERY.values()}) == 10


@pytest.mark.parametrize("name", GALLERY)
def test_start_and_goal_lie_far_apart(name):
    problem = gallery_problem(name)
    costs = cost_to_go(problem.obstacles, problem.goals)[0]
    length = costs[tuple(problem.starts[0])]
    assert length >= max(problem.obstacles.shape[1:])
    assert length >= 0.9 * costs[np.isfinite(costs)].max()


@pytest.mark.parametrize("name", GALLERY)
def test_the_default_model_finds_a_shortest_path(name):
    problem = gallery_problem(name)
    route = vinlab.navigate(
        vinlab.load("grid/any"), problem.obstacles[0], problem.starts[0], problem.goals[0]
    )
    assert route.reached
    assert route.cost == pytest.approx(route.optimal_cost, rel=1e-12)


def test_an_unknown_name_is_refused():
    with pytest.raises(InputError, match=r"map: expected one of offices, .*, got 'moon'"):
        gallery_problem("moon")
