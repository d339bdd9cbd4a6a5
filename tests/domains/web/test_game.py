import numpy as np
import pytest

from vinlab.domains.web.expert import distances_to
from vinlab.domains.web.game import Games, Players, draw_games, play, right_candidates
from vinlab.domains.web.link_graph import make_links
from vinlab.types import InputError

# 0 → 1, 2;  1 → 3 (a dead end);  2 → 4;  4 → 5
LINKS = make_links(np.array([0, 0, 1, 2, 4]), np.array([1, 2, 3, 4, 5]), 6)


def first_unvisited(seen):
    """The first candidate that was not visited, else the way back."""
    chosen = []
    for row in seen.candidates:
        fresh = [
            column for column in range(len(row) - 1) if row[column] >= 0 and not seen.visited[row[column]]
        ]
        chosen.append(fresh[0] if fresh else len(row) - 1)
    return np.array(chosen)


def test_a_player_that_goes_back_from_a_dead_end_finishes_and_every_click_counts():
    players = play(LINKS, Games(np.array([0, 4]), np.array([5, 5])), first_unvisited)
    assert players.history == [[0, 1, 3, 1, 0, 2, 4, 5], [4, 5]]
    assert players.clicks.tolist() == [7, 1]
    late = play(LINKS, Games(np.array([0]), np.array([5])), first_unvisited, max_clicks=6)
    assert late.clicks.tolist() == [-1]


def test_only_links_of_visited_pages_are_seen():
    players = Players(LINKS, Games(np.array([0]), np.array([5])))
    seen = players.look()
    assert seen.pages.tolist() == [0, 1, 2]
    assert seen.visited.tolist() == [True, False, False]
    assert seen.candidates.tolist() == [[1, 2, -1]]
    players.click(seen, np.array([0]))
    seen = players.look()
    assert seen.pages.tolist() == [0, 1, 2, 3]
    edges = set(zip(seen.sources.tolist(), seen.targets.tolist(), strict=True))
    assert edges == {(0, 1), (0, 2), (1, 3), (1, 0)}  # the last one is the way back
    assert seen.candidates.tolist() == [[3, 0]]


def test_a_start_without_a_link_ends_the_game_and_the_target_itself_needs_no_click():
    players = play(LINKS, Games(np.array([3, 5]), np.array([5, 5])), first_unvisited)
    assert players.clicks.tolist() == [-1, 0]


def test_games_have_the_lengths_asked_for():
    distances, pages = distances_to(LINKS, np.arange(6)), np.arange(6)
    games = draw_games(
        distances, pages, np.array([4, 5]), np.array([1, 2, 3, 1]), rng=np.random.default_rng(0)
    )
    assert distances.between(games.starts, games.targets).tolist() == [1, 2, 3, 1]
    with pytest.raises(InputError, match="expected targets 4 clicks from a start, got none"):
        draw_games(distances, pages, pages, np.array([4]), rng=np.random.default_rng(0))


def test_right_candidates_are_nearest_to_the_target():
    right = right_candidates(
        distances_to(LINKS, np.array([5])), np.array([5, 5]), np.array([[1, 2, 4], [3, 1, -1]])
    )
    assert right.tolist() == [[False, False, True], [False, False, False]]
