"""The player's game: from a start article to a target article, seeing only the links of the pages visited.

A click follows a link of the current page or goes back to the page before it, as the button of a browser does.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int

from vinlab.domains.web.environment import MAX_CLICKS
from vinlab.domains.web.expert import UNREACHABLE, Distances
from vinlab.domains.web.link_graph import Links
from vinlab.types import Batch, InputError


@dataclass(frozen=True)
class Games(Batch):
    """Games on one site."""

    starts: Int[np.ndarray, " B"]
    targets: Int[np.ndarray, " B"]


@dataclass(frozen=True)
class SeenGraph:
    """What the players of some games have seen: the pages visited and the links on them, as one graph.

    Nodes are pages of games; the nodes of different games are not connected.
    """

    games: Int[np.ndarray, " n"]
    """The game of each node."""
    pages: Int[np.ndarray, " n"]
    """The page of each node."""
    visited: Bool[np.ndarray, " n"]
    sources: Int[np.ndarray, " E"]
    targets: Int[np.ndarray, " E"]
    choosing: Int[np.ndarray, " S"]
    """The games that go on."""
    candidates: Int[np.ndarray, "S L"]
    """Nodes that the next click of these games may lead to, padded with -1; the last column is the way back."""


class Players:
    """The state of some games while they are played."""

    def __init__(self, links: Links, games: Games) -> None:
        self.links, self.games = links, games
        count = len(games)
        self.clicks = np.where(games.starts == games.targets, 0, -1)
        self.paths = [[int(page)] for page in games.starts]
        """The pages from the start to the current page: what a click on *back* takes the last one from."""
        self.history = [[int(page)] for page in games.starts]
        """All pages in the order of the visits."""
        self.seen_games, self.seen_pages = np.arange(count), games.starts.astype(np.int64)
        self.seen_before = np.full(count, -1)
        """The pages visited, by game, and the page before each at its first visit; -1 for starts."""

    @property
    def choosing(self) -> Int[np.ndarray, " S"]:
        """The games that go on and have somewhere to go."""
        going = np.flatnonzero(self.clicks < 0)
        here = np.array([self.paths[game][-1] for game in going], dtype=np.int64)
        can_go_back = np.array([len(self.paths[game]) > 1 for game in going], dtype=bool)
        return going[(self.links.counts(here) > 0) | can_go_back]

    def look(self) -> SeenGraph:
        """The graph seen so far in the games that go on."""
        choosing, pages_count = self.choosing, self.links.num_pages
        known = np.isin(self.seen_games, choosing)
        games, pages, before = (part[known] for part in (self.seen_games, self.seen_pages, self.seen_before))
        row, linked = self.links.rows_of(pages)
        back = before >= 0
        sources = np.concatenate([(games * pages_count + pages)[row], (games * pages_count + pages)[back]])
        targets = np.concatenate([games[row] * pages_count + linked, (games * pages_count + before)[back]])
        nodes = np.unique(np.concatenate([games * pages_count + pages, sources, targets]))
        return SeenGraph(
            games=nodes // pages_count,
            pages=nodes % pages_count,
            visited=np.isin(nodes, games * pages_count + pages),
            sources=np.searchsorted(nodes, sources),
            targets=np.searchsorted(nodes, targets),
            choosing=choosing,
            candidates=self._candidates(choosing, nodes),
        )

    def _candidates(
        self, choosing: Int[np.ndarray, " S"], nodes: Int[np.ndarray, " n"]
    ) -> Int[np.ndarray, "S L"]:
        here = np.array([self.paths[game][-1] for game in choosing], dtype=np.int64)
        before = np.array([path[-2] if len(path := self.paths[game]) > 1 else -1 for game in choosing])
        pages = np.concatenate([self.links.padded(here), before[:, None].astype(np.int64)], axis=1)
        keys = choosing[:, None] * self.links.num_pages + pages
        return np.where(pages >= 0, np.searchsorted(nodes, keys), -1)

    def click(self, seen: SeenGraph, chosen: Int[np.ndarray, " S"]) -> None:
        """Click a candidate in every game that goes on."""
        last = seen.candidates.shape[1] - 1
        nodes = seen.candidates[np.arange(len(chosen)), chosen]
        moves = zip(seen.choosing.tolist(), chosen.tolist(), seen.pages[nodes].tolist(), strict=True)
        for game, place, page in moves:
            path = self.paths[game]
            before = path[-1]
            if place == last:
                path.pop()
            else:
                path.append(page)
            self.history[game].append(page)
            if page == self.games.targets[game]:
                self.clicks[game] = len(self.history[game]) - 1
            elif page not in self.seen_pages[self.seen_games == game]:
                self.seen_games = np.append(self.seen_games, game)
                self.seen_pages = np.append(self.seen_pages, page)
                self.seen_before = np.append(self.seen_before, before)


ChooseCandidates = Callable[[SeenGraph], np.ndarray]
"""A player: from what was seen to the column of the candidate that each game clicks."""


def play(links: Links, games: Games, choose: ChooseCandidates, *, max_clicks: int = MAX_CLICKS) -> Players:
    """Play all games at once, to the target or to the last click."""
    players = Players(links, games)
    for _ in range(max_clicks):
        seen = players.look()
        if not len(seen.choosing):
            break
        players.click(seen, choose(seen))
    return players


def follow_distances(games: Games, distances: Distances) -> ChooseCandidates:
    """A player that knows the whole graph: it clicks a page nearest to the target."""

    def choose(seen: SeenGraph) -> Int[np.ndarray, " S"]:
        pages = np.where(seen.candidates >= 0, seen.pages[seen.candidates], -1)
        return right_candidates(distances, games.targets[seen.choosing], pages).argmax(axis=1)

    return choose


def draw_games(
    distances: Distances,
    starts: Int[np.ndarray, " n"],
    targets: Int[np.ndarray, " m"],
    lengths: Int[np.ndarray, " count"],
    *,
    rng: np.random.Generator,
) -> Games:
    """A game for each of the shortest lengths asked for: a random target, and a random start so far from it."""
    drawn = []
    for length in lengths:
        for target in rng.permutation(targets):
            far = starts[distances.between(starts, np.full(len(starts), target)) == length]
            if len(far):
                drawn.append((rng.choice(far), target))
                break
        else:
            raise InputError(f"games: expected targets {length} clicks from a start, got none.")
    pairs = np.array(drawn, dtype=np.int64).reshape(-1, 2)
    return Games(pairs[:, 0], pairs[:, 1])


def right_candidates(
    distances: Distances, targets: Int[np.ndarray, " S"], candidates: Int[np.ndarray, "S L"]
) -> Bool[np.ndarray, "S L"]:
    """The candidate pages nearest to the target; padding (-1) never is, nor a page that cannot reach it."""
    wide = np.broadcast_to(targets[:, None], candidates.shape)
    far = np.where(candidates >= 0, distances.between(np.maximum(candidates, 0), wide), UNREACHABLE)
    return (far == far.min(axis=1, keepdims=True)) & (far < UNREACHABLE)
