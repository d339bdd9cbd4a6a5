"""One game between two named articles: what a trained player clicks, and a person's game beside it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vinlab.domains.web.environment import MAX_CLICKS
from vinlab.domains.web.expert import UNREACHABLE, distances_to
from vinlab.domains.web.game import Games, SeenGraph, play
from vinlab.domains.web.game_site import GameSite, make_game_site
from vinlab.domains.web.problem import PARTS
from vinlab.experiments.web.browse import titled
from vinlab.experiments.web.data import load_corpus
from vinlab.experiments.web.game.data import article_parts
from vinlab.experiments.web.game.evaluate import Player, recorded_games
from vinlab.models import Model
from vinlab.types import InputError


@dataclass(frozen=True)
class GamePath:
    """The pages of one game, in the order of the visits."""

    pages: list[int]
    finished: bool
    given_up: bool = False


class GivenUp(Exception):
    """A person ended the game."""


Ask = Callable[[str, list[str], bool], int]
"""A person: from the title of the page, those of its links and whether one can go back to the number of the link
clicked; the number of links stands for the way back."""


@dataclass(frozen=True)
class GameTable:
    """A site with a trained player."""

    player: Player

    @property
    def site(self) -> GameSite:
        """Where the game is played."""
        return self.player.site

    def article(self, title: str) -> int:
        """The article with this title."""
        return titled(self.site.titles, title, "article")

    def game(self, start: str, target: str) -> Games:
        """The game from one article to another."""
        first, last = self.article(start), self.article(target)
        if first == last:
            raise InputError(f"expected two different articles, got '{start}' as start and target.")
        return Games(np.array([first]), np.array([last]))

    def shortest(self, game: Games) -> int | None:
        """The fewest clicks of the game; None without a path."""
        found = int(distances_to(self.site.links, game.targets).between(game.starts, game.targets)[0])
        return None if found == UNREACHABLE else found

    def follow(self, game: Games, *, max_clicks: int = MAX_CLICKS) -> GamePath:
        """The player's game."""
        played = self.player.play(game, max_clicks=max_clicks)
        return GamePath(played.history[0], bool(played.clicks[0] >= 0))

    def ask(self, game: Games, ask: Ask, *, max_clicks: int = MAX_CLICKS) -> GamePath:
        """A person's game; they see what the player sees, and may give up."""
        visited = [int(game.starts[0])]

        def choose(seen: SeenGraph) -> np.ndarray:
            nodes = seen.candidates[0]
            links = [column for column in range(len(nodes) - 1) if nodes[column] >= 0]
            titles = [self.site.titles[int(seen.pages[nodes[column]])] for column in links]
            clicked = ask(self.site.titles[visited[-1]], titles, bool(nodes[-1] >= 0))
            column = links[clicked] if clicked < len(links) else len(nodes) - 1
            visited.append(int(seen.pages[nodes[column]]))
            return np.array([column])

        try:
            play(self.site.links, game, choose, max_clicks=max_clicks)
        except GivenUp:
            return GamePath(visited, finished=False, given_up=True)
        return GamePath(visited, visited[-1] == int(game.targets[0]))


def game_table_of(model: Model, source: Path | None) -> GameTable:
    """The model on the synthetic site of its training, or on the site in a folder."""
    data = recorded_games(model, source)
    corpus = load_corpus(data.encyclopedia, source)
    site = make_game_site(corpus, article_parts(corpus) != PARTS.index("test"))
    network: Any = model.network
    return GameTable(Player(network, site, data.kinds))
