"""Games to train on, to choose weights by and to test on, with the shortest lengths that people had."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from vinlab.domains.web.corpus import Corpus
from vinlab.domains.web.expert import UNREACHABLE, Distances, distances_to
from vinlab.domains.web.game import Games, draw_games, right_candidates
from vinlab.domains.web.game_site import GameSite, Kind, make_game_site
from vinlab.domains.web.link_graph import Links
from vinlab.domains.web.people import FINISHED, PeoplesGames, length_shares, read_people
from vinlab.domains.web.problem import PARTS, split_texts
from vinlab.domains.web.site import find_duplicates
from vinlab.domains.web.synthetic import EncyclopediaConfig
from vinlab.experiments.web.data import PROBLEM_SEED, load_corpus
from vinlab.recording.hashing import data_hash

STATES = 8
"""Pages from which the right click is learned for each target drawn."""


@dataclass(frozen=True)
class GameData:
    """Which games to play."""

    kinds: tuple[Kind, ...]
    """How links are compared with the target."""
    training_targets: int = 8000
    validation_games: int = 500
    test_games: int = 2000
    encyclopedia: EncyclopediaConfig = field(default_factory=EncyclopediaConfig)
    """The site when no folder of real data is given."""


@dataclass(frozen=True)
class GameSet:
    """Games on one site."""

    site: GameSite
    games: Games
    distances: Distances

    @property
    def shortest(self) -> Int[np.ndarray, " B"]:
        """The fewest clicks of each game."""
        return self.distances.between(self.games.starts, self.games.targets)


@dataclass(frozen=True)
class StateBatch:
    """Pages of training games with their links, compared with the target."""

    similarities: Float[Tensor, "S L kinds"]
    found: Bool[Tensor, "S L"]
    """Where the link is the target."""
    links: Bool[Tensor, "S L"]
    """False for padding."""
    right: Bool[Tensor, "S L"]


class GameStates:
    """Training targets with some pages each, and the links there that are nearest to the target."""

    def __init__(
        self,
        site: GameSite,
        kinds: tuple[Kind, ...],
        distances: Distances,
        targets: Int[np.ndarray, " n"],
        rng: np.random.Generator,
    ) -> None:
        self.site, self.kinds, self.distances, self.targets = site, kinds, distances, targets
        self.pages = draw_states(site.links, distances, np.repeat(targets, STATES), rng).reshape(-1, STATES)
        self.weights = torch.full((len(targets),), float(STATES))

    def __len__(self) -> int:
        return len(self.targets)

    def __getitem__(self, chosen: Int[Tensor, " n"]) -> StateBatch:
        """The states of these targets; those without a path to the target are left out."""
        targets = self.targets[chosen.numpy()]
        rows, pages = np.repeat(np.arange(len(targets)), STATES), self.pages[chosen.numpy()].ravel()
        candidates = self.site.links.padded(pages)
        right = right_candidates(self.distances, targets[rows], candidates)
        solvable = right.any(axis=1)
        rows, candidates, right = rows[solvable], candidates[solvable], right[solvable]
        table = self.site.similarities(targets, self.kinds)
        similarities = table[rows[:, None], np.maximum(candidates, 0)]
        found = candidates == targets[rows][:, None]
        return StateBatch(*map(torch.from_numpy, (similarities, found, candidates >= 0, right)))


def draw_states(
    links: Links, distances: Distances, targets: Int[np.ndarray, " n"], rng: np.random.Generator
) -> Int[np.ndarray, " n"]:
    """A page for each target: pages with many links to them more often, and some moved towards the target."""
    pages_in = np.bincount(links.targets, minlength=links.num_pages) * (np.diff(links.offsets) > 0)
    weights = (pages_in + (np.diff(links.offsets) > 0)) ** 0.75
    pages = rng.choice(links.num_pages, len(targets), p=weights / weights.sum())
    for _ in range(3):
        moving = np.flatnonzero(rng.random(len(targets)) < 0.3)
        candidates = links.padded(pages[moving])
        right = right_candidates(distances, targets[moving], candidates)
        chosen = (right * rng.random(right.shape)).argmax(axis=1)
        following = candidates[np.arange(len(moving)), chosen]
        moved = right.any(axis=1) & (following != targets[moving])
        pages[moving[moved]] = following[moved]
    return pages


@dataclass(frozen=True)
class GameSets:
    """The games of a run."""

    states: GameStates
    validation: GameSet
    test: GameSet
    people: dict[str, Any] | None
    """What people did, where the folder has their games."""

    @property
    def hash(self) -> str:
        """Of the links and the titles' and texts' features."""
        site = self.test.site
        return data_hash(site.links.offsets, site.links.targets, site.vectors, site.texts.data)


def make_game_sets(data: GameData, source: Path | None, *, seed: int) -> GameSets:
    """All games; the seed changes those of training alone. Test pages are not known to the player."""
    corpus = load_corpus(data.encyclopedia, source)
    parts = article_parts(corpus)
    site = make_game_site(corpus, parts != PARTS.index("test"))
    shown, kept = site.only_known()
    people = read_people(source) if source is not None and (source / FINISHED).exists() else None
    rng = np.random.default_rng([PROBLEM_SEED, 1])
    known = distances_to(shown.links, np.arange(shown.num_pages))
    whole = distances_to(site.links, np.arange(site.num_pages))
    if people is None:
        shares = random_shares(whole, parts)
    else:  # of all games that people began
        begun = people.shortest, unfinished_lengths(people, site, whole)
        shares = length_shares(np.concatenate(begun))
    training = np.flatnonzero(parts[kept] == PARTS.index("training"))
    validation = _draw_set(shown, known, parts[kept], "validation", shares, data.validation_games, rng)
    test = _draw_set(site, whole, parts, "test", shares, data.test_games, rng)
    seeded = np.random.default_rng([PROBLEM_SEED, 2, seed])
    targets = seeded.choice(training, data.training_targets)
    states = GameStates(shown, data.kinds, known, targets, seeded)
    summary = summarise_people(people, site, whole) if people else None
    return GameSets(states, validation, test, summary)


def article_parts(corpus: Corpus) -> Int[np.ndarray, " n"]:
    """The part of every article: the same as in the search for described pages."""
    duplicates = find_duplicates(corpus.texts)
    return split_texts(duplicates, rng=np.random.default_rng(PROBLEM_SEED))[corpus.articles]


def _draw_set(
    site: GameSite,
    distances: Distances,
    parts: Int[np.ndarray, " n"],
    part: str,
    shares: Float[np.ndarray, " lengths"],
    count: int,
    rng: np.random.Generator,
) -> GameSet:
    lengths = rng.choice(len(shares), count, p=shares)
    targets = np.flatnonzero(parts == PARTS.index(part))
    return GameSet(site, draw_games(distances, np.arange(len(parts)), targets, lengths, rng=rng), distances)


def random_shares(distances: Distances, parts: Int[np.ndarray, " n"]) -> Float[np.ndarray, " lengths"]:
    """The shortest lengths of all solvable games with held-out targets, where there are no games of people."""
    held_out = np.flatnonzero(parts != PARTS.index("training"))
    lengths = distances.table[held_out].ravel()
    return length_shares(lengths[(lengths > 0) & (lengths < UNREACHABLE)].astype(np.int64))


def unfinished_lengths(people: PeoplesGames, site: GameSite, distances: Distances) -> Int[np.ndarray, " n"]:
    """The shortest lengths of unfinished games, as far as the site has their pages and a path."""
    place = {title: page for page, title in enumerate(site.titles)}
    known = [pair for pair in people.unfinished if place.keys() >= set(pair)]
    pairs = [(place[start], place[target]) for start, target in known]
    starts, targets = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    lengths = distances.between(starts, targets)
    return lengths[lengths < UNREACHABLE]


def summarise_people(people: PeoplesGames, site: GameSite, distances: Distances) -> dict[str, Any]:
    """The figures of people, for the record of a run."""
    unfinished = unfinished_lengths(people, site, distances)
    lengths = {}
    for length in range(1, int(people.shortest.max()) + 1):
        finished = people.shortest == length
        games = int(finished.sum() + (unfinished == length).sum())
        if finished.any():
            lengths[str(length)] = {
                "num_games": games,
                "finished": float(finished.sum() / games),
                "clicks": float(people.clicks[finished].mean()),
            }
    total = len(people.clicks) + len(people.unfinished)
    return {
        "num_games": total,
        "finished": people.finished_share,
        "finished_in_time": float((people.clicks <= 10).sum() / total),
        "shortest_paths": float((people.clicks == people.shortest).sum() / total),
        "clicks": float(people.clicks.mean()),
        "shortest": float(people.shortest.mean()),
        "by_length": lengths,
    }
