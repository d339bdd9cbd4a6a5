"""The table of the player's game: our players beside people and the shortest paths."""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from vinlab.experiments.tables import NONE, Column, counts_text, group_runs, mean_or_none, render, scores_of
from vinlab.experiments.web.game.settings import PLAYERS, SETTINGS
from vinlab.recording.finished_run import FinishedRun

WIDTH = 120
TEXT = """\
Start and target are articles, the target is known by its title, and a player sees the links of the pages that it has
been to; a click follows one of them or goes back, and both count. {games} games with held-out targets and the shortest
lengths that people had. Nothing of a test page, neither text nor title nor links, is seen in training or remembered.
`similarity` and `vin-titles` read titles alone; `vin-links` remembers titles and links of the {known} articles that are
not held out for the test, `vin` their texts too; `vin-text` also reads the target's text. *Finished*: within 10 clicks,
for people at any number of clicks (back clicks not counted); *by a shortest path*: of all games; *clicks*, *shortest*:
of finished games. *K = 0*: the same weights without backups. *Whole graph known*: clicks a page nearest to the
target."""

LENGTHS = ("1", "2", "3", "4", "5")
DIGITS = {"finished": 3, "shortest_paths": 3, "clicks": 2, "shortest": 2}


@dataclass(frozen=True)
class Row:
    """A player: its figures in each seed."""

    player: str
    seeds: str
    scores: Sequence[Mapping[str, Any]]

    def text(self, name: str) -> str:
        """Mean and deviation over the seeds."""
        found = [float(scores[name]) for scores in self.scores if scores.get(name) is not None]
        return mean_or_none(found, DIGITS[name])

    def by_length(self, name: str, digits: int) -> str:
        """The mean over the seeds at each shortest length."""
        lengths = [scores["by_length"] for scores in self.scores]
        known = [[each[length].get(name) for each in lengths if length in each] for length in LENGTHS]
        found = [[number for number in each if number is not None] for each in known]
        return " / ".join(f"{fmean(numbers):.{digits}f}" if numbers else NONE for numbers in found)


COLUMNS: tuple[Column[Row], ...] = (
    Column("player", lambda row: row.player),
    Column("seeds", lambda row: row.seeds),
    Column("finished", lambda row: row.text("finished")),
    Column("by a shortest path", lambda row: row.text("shortest_paths")),
    Column("clicks", lambda row: row.text("clicks")),
    Column("shortest", lambda row: row.text("shortest")),
    Column(f"finished at shortest length {' / '.join(LENGTHS)}", lambda row: row.by_length("finished", 2)),
    Column("clicks at these", lambda row: row.by_length("clicks", 1)),
)


def game_section(runs: Sequence[FinishedRun]) -> list[str]:
    """The heading, the explanation and a table for each site."""
    parts = []
    for source, found in group_runs(runs, lambda run: str(run.manifest.config["data"]["source"])).items():
        games = counts_text(scores["games"]["num_games"] for scores in scores_of(found))
        known = counts_text(run.result["known_pages"] for run in found)
        about = TEXT.replace("\n", " ").format(games=games, known=known)
        text = textwrap.fill(about, WIDTH, break_on_hyphens=False)
        data = "" if source == "synthetic" else f" --data FOLDER/{source}"
        parts += [f"## {source}, the player's game", ""]
        command = f"Command: `vinlab train web/game/vin{data} --seed 0`, likewise for the others."
        parts += [f"{text}\n", render(COLUMNS, _rows(found)), command, ""]
    return parts


def _rows(runs: Sequence[FinishedRun]) -> list[Row]:
    groups = group_runs(runs, lambda run: run.manifest.id)
    rows = [row for id in SETTINGS if id in groups for row in _player_rows(id.rpartition("/")[2], groups[id])]
    whole = Row("whole graph known", NONE, [scores_of(runs)[0]["games_whole_graph"]])
    return [*rows, whole, *_people_rows(runs)]


def _player_rows(player: str, runs: Sequence[FinishedRun]) -> list[Row]:
    scores, seeds = scores_of(runs), str(len(runs))
    planned = Row(player, seeds, [found["games"] for found in scores])
    if PLAYERS[player][1] == 1:
        return [planned]
    return [planned, Row(f"{player}, K = 0", seeds, [found["games_without_backups"] for found in scores])]


def _people_rows(runs: Sequence[FinishedRun]) -> list[Row]:
    people = runs[0].result.get("people")
    if people is None:
        return []
    in_time = {**people, "finished": people["finished_in_time"], "by_length": {}}
    in_time |= {"clicks": None, "shortest": None, "shortest_paths": None}
    name = f"people ({people['num_games']:,} games)"
    return [Row(name, NONE, [people]), Row("people, within 10 clicks", NONE, [in_time])]
