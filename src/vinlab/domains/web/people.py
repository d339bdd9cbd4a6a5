"""What people did in the same game: finished and unfinished games of Wikispeedia's players."""

import csv
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

import numpy as np
from jaxtyping import Float, Int

from vinlab.domains.web.corpus import WIKISPEEDIA_ADDRESS
from vinlab.recording.files import read_bytes
from vinlab.types import InputError

LARGEST_TABLE, MOST_CLICKS = 16 * 2**20, 1_000_000
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
    if not rows:
        raise InputError(f"{folder / FINISHED}: expected finished games, got none.")
    numbers = np.array([[_clicks(text, folder / FINISHED) for text in row[:2]] for row in rows])
    pairs = [(_title(start), _title(target)) for start, target, *_ in _rows(folder / UNFINISHED, "\t", 4)]
    return PeoplesGames(numbers[:, 0], numbers[:, 1], pairs)


def length_shares(lengths: Int[np.ndarray, " n"]) -> Float[np.ndarray, " longest"]:
    """The share of games of each shortest length, from 0 on."""
    return np.bincount(lengths) / len(lengths)


def _clicks(text: str, path: Path) -> int:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number <= MOST_CLICKS:
        raise InputError(f"{path}: expected numbers of clicks from 0 to {MOST_CLICKS}, got '{text[:40]}'.")
    return int(number)


def _title(name: str) -> str:
    return unquote(name).replace("_", " ")


def _rows(path: Path, delimiter: str, columns: int) -> Iterator[list[str]]:
    if not path.is_file():
        raise InputError(
            f"expected the games of people in {path}, got no file; the originals are at {WIKISPEEDIA_ADDRESS}."
        )
    try:
        text = read_bytes(path, most=LARGEST_TABLE).decode()
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quoting=csv.QUOTE_NONE)
        for number, row in enumerate(lines, start=1):
            if len(row) != columns:
                raise InputError(f"{path}, line {number}: expected {columns} columns, got {len(row)}.")
            yield row
    except (csv.Error, UnicodeDecodeError) as error:
        raise InputError(f"{path}: expected a table of games in UTF-8, got: {error}.") from None
