"""The players of the game and how they are trained."""

from dataclasses import dataclass, replace
from functools import partial

from vinlab.domains.web.game_site import KINDS, Kind
from vinlab.domains.web.synthetic import EncyclopediaConfig
from vinlab.experiments.base import Budget, Recipe, Setting, by_id
from vinlab.experiments.web.game.data import GameData
from vinlab.learners.imitation import ImitationConfig, one_cycle
from vinlab.networks.links.game import SeenGraphVinConfig

INITIAL: dict[Kind, float] = {
    "title vectors": 4.0,
    "title words": 4.0,
    "links": 1.0,
    "titles behind": 4.0,
    "text": 40.0,
    "texts behind": 100.0,
    "title in target's text": 20.0,
    "text and target's text": 20.0,
}
"""The weights before training."""

TITLES: tuple[Kind, ...] = KINDS[:2]
PLAYERS: dict[str, tuple[tuple[Kind, ...], int, str]] = {
    "similarity": (
        TITLES,
        1,
        "reactive: the link whose title is most similar to the target's, never one twice",
    ),
    "vin-titles": (TITLES, 6, "VIN on the graph seen so far, K = 5, reads titles alone"),
    "vin-links": (KINDS[:4], 6, "the same, remembers titles and links of training pages"),
    "vin": (KINDS[:6], 6, "the same, remembers their texts too"),
    "vin-text": (KINDS, 6, "the same, the target is known by its text too"),
}
"""What a player compares, how many backups it plans with (the reward included), and what it is."""


@dataclass(frozen=True)
class GameTraining:
    """The configuration of a run."""

    network: SeenGraphVinConfig
    data: GameData
    learning: ImitationConfig


def configure(player: str, budget: Budget, recipe: Recipe) -> GameTraining:
    """Both recipes are the same: the paper has no such game."""
    kinds, iterations, _ = PLAYERS[player]
    data = GameData(kinds=kinds, training_targets={"smoke": 64, "small": 2000, "paper": 8000}[budget])
    if budget == "smoke":
        small = EncyclopediaConfig(branches=(4, 3), articles=150, sentences=24)
        data = replace(data, validation_games=20, test_games=40, encyclopedia=small)
    network = SeenGraphVinConfig(iterations, tuple(INITIAL[kind] for kind in kinds))
    return GameTraining(network, data, one_cycle(1, 3e-2, batch=32))


SETTINGS = by_id(
    Setting(f"web/game/{player}", f"the player's game; {about}", partial(configure, player), ("default",))
    for player, (_, _, about) in PLAYERS.items()
)
