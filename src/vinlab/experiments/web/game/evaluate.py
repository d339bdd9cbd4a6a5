"""How well a player finishes games: the share, the clicks against the shortest, by shortest length."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Int

from vinlab.domains.web.environment import MAX_CLICKS
from vinlab.domains.web.game import Games, Players, SeenGraph, follow_distances, play
from vinlab.domains.web.game_site import GameSite, Kind
from vinlab.evaluation.metrics import share
from vinlab.experiments.base import EvaluateRequest, Evaluation, recorded_data, require_folder
from vinlab.experiments.results import RunResult
from vinlab.experiments.web.data import SYNTHETIC
from vinlab.experiments.web.evaluate import asked_iterations
from vinlab.experiments.web.game.data import GameData, GameSet, GameSets, make_game_sets
from vinlab.experiments.web.game.settings import GameTraining
from vinlab.learners.callbacks import Validation
from vinlab.models import Model
from vinlab.networks.links.game import SeenGraphVin

BATCH = 100
"""Games that are played together."""


@dataclass(frozen=True)
class Player:
    """A trained network in some games: it keeps what it expects of every page for every target."""

    network: SeenGraphVin
    site: GameSite
    kinds: Sequence[Kind]
    iterations: int | None = None

    @torch.no_grad()
    def play(self, games: Games, *, max_clicks: int = MAX_CLICKS) -> Players:
        """Play all of these games."""
        self.network.eval()
        targets = torch.from_numpy(games.targets)
        found = torch.arange(self.site.num_pages)[None] == targets[:, None]
        compared = torch.from_numpy(self.site.similarities(games.targets, self.kinds))
        expected = self.network.expect(compared, found)

        def choose(seen: SeenGraph) -> np.ndarray:
            return self.logits(expected, seen).argmax(axis=1)

        return play(self.site.links, games, choose, max_clicks=max_clicks)

    def logits(self, expected: torch.Tensor, seen: SeenGraph) -> np.ndarray:
        """The logits of the candidates of every game that goes on."""
        values = self.network.plan(
            expected[seen.games, seen.pages],
            torch.from_numpy(seen.visited),
            torch.from_numpy(seen.sources),
            torch.from_numpy(seen.targets),
            iterations=self.iterations,
        )
        logits = self.network.logits(values)[torch.from_numpy(np.maximum(seen.candidates, 0))].numpy()
        return np.where(seen.candidates >= 0, logits, -np.inf)


def play_set(player: Player, games: Games) -> Int[np.ndarray, " B"]:
    """The clicks of each game; -1 where the target is not reached."""
    parts = np.split(np.arange(len(games)), range(BATCH, len(games), BATCH))
    return np.concatenate([player.play(games[part]).clicks for part in parts])


def game_scores(clicks: Int[np.ndarray, " B"], shortest: Int[np.ndarray, " B"]) -> dict[str, Any]:
    """The finished share and the clicks of finished games beside the shortest, in all and by shortest length."""

    def measured(chosen: np.ndarray) -> dict[str, Any]:
        finished = clicks[chosen] >= 0
        return {
            "num_games": int(chosen.sum()),
            "finished": share(finished),
            "shortest_paths": share(clicks[chosen] == shortest[chosen]),
            "clicks": float(clicks[chosen][finished].mean()) if finished.any() else None,
            "shortest": float(shortest[chosen][finished].mean()) if finished.any() else None,
        }

    lengths = {str(length): measured(shortest == length) for length in np.unique(shortest)}
    return {**measured(np.ones(len(clicks), dtype=bool)), "by_length": lengths}


def validate_games(games: GameSet, kinds: Sequence[Kind], network: Any) -> Validation:
    """The finished share of validation games."""
    clicks = play_set(Player(network, games.site, kinds), games.games)
    finished = share(clicks >= 0)
    return Validation(finished, {"validation_finished": finished})


def score(config: GameTraining, data: GameSets, network: SeenGraphVin, seed: int) -> RunResult:
    """The scores on the test games with and without backups, those of a player that knows the graph, and of people."""
    test, planned = data.test, {"games": None, "games_without_backups": 1}
    scores = {
        name: _scores(Player(network, test.site, config.data.kinds, iterations), test)
        for name, iterations in planned.items()
    }
    knowing = play(test.site.links, test.games, follow_distances(test.games, test.distances))
    scores["games_whole_graph"] = game_scores(knowing.clicks, test.shortest)
    extra = {"training_targets": len(data.states), "known_pages": int(data.test.site.known.sum())}
    return RunResult(scores=scores, extra=extra if data.people is None else {**extra, "people": data.people})


def _scores(player: Player, games: GameSet) -> dict[str, Any]:
    return game_scores(play_set(player, games.games), games.shortest)


def evaluate(model: Model, request: EvaluateRequest) -> Evaluation:
    """The scores of a model on the test games of its site."""
    reason = "its test problems are games on its site"
    request.refuse(model.id, problems=reason, corner_cutting=reason)
    iterations = asked_iterations(model, request)
    data = recorded_games(model, request.data)
    sets = make_game_sets(data, request.data, seed=0)
    network: Any = model.network
    player = Player(network, sets.test.site, data.kinds, iterations)
    scores = {"games": _scores(player, sets.test)}
    return Evaluation(scores, {"iterations": iterations or network.iterations})


def recorded_games(model: Model, source: Path | None) -> GameData:
    """The data of a model; one that was trained on real data needs their folder."""
    require_folder(model, source, SYNTHETIC)
    return recorded_data(GameData, model.config)
