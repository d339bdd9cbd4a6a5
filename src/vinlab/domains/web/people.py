"""What people did in the same game: finished and unfinished games of Wikispeedia's players."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

import numpy as np
from jaxtyping import Float, Int

from vinlab.domains.web.corpus import WIKISPEEDIA_ADDRESS
from vinlab.types import InputError

FINISHED, UNFINISHED = "human_games_finished.csv", "human_games_unfinished.tsv"


@dataclass(frozen=True)
class PeoplesGames:
    """Clicks (back clicks removed) and shortest lengths of finished games, and the pages of unfinished ones."""

    clicks: Int[np.ndarray, " F"]
    shortest: Int[np.ndarray, " F"]
    unfinished: list[tuple[str, str]]
    """The titles of start and target."""

    @property
    def finished_share(self) -> float:
        """Of all games."""
        return len(self.clicks) / (len(self.clicks) + len(self.unfinished))


def read_people(folder: Path) -> PeoplesGames:
    """The games of people in a folder."""
    rows = list(_rows(folder / FINISHED, ",", 3))[1:]
    try:
        numbers = np.array([(int(float(clicks)), int(float(shortest))) for clicks, shortest, _ in rows])
    except ValueError as error:
        raise InputError(f"{folder / FINISHED}: expected numbers of clicks, got {error}.") from error
    if not len(numbers):
        raise InputError(f"{folder / FINISHED}: expected finished games, got none.")
    pairs = [(_title(start), _title(target)) for start, target, *_ in _rows(folder / UNFINISHED, "\t", 4)]
    return PeoplesGames(numbers[:, 0], numbers[:, 1], pairs)


def length_shares(lengths: Int[np.ndarray, " n"]) -> Float[np.ndarray, " longest"]:
    """The share of games of each shortest length, from 0 on."""
    return np.bincount(lengths) / len(lengths)


def _title(name: str) -> str:
    return unquote(name).replace("_", " ")


def _rows(path: Path, delimiter: str, columns: int) -> Iterator[list[str]]:
    if not path.is_file():
        raise InputError(
            f"expected the games of people in {path}, got no file; the originals are at {WIKISPEEDIA_ADDRESS}."
        )
    with path.open(encoding="utf-8", newline="") as file:
        for number, row in enumerate(csv.reader(file, delimiter=delimiter, quoting=csv.QUOTE_NONE), start=1):
            if len(row) != columns:
                raise InputError(f"{path}, line {number}: expected {columns} columns, got {len(row)}.")
            yield row
