"""The player's game in the terminal: a trained player, and a person beside it."""

from pathlib import Path
from typing import TYPE_CHECKING

from vinlab.types import InputError

if TYPE_CHECKING:
    from vinlab.experiments.web.game.browse import GamePath, GameTable
    from vinlab.models import Model

BACK, QUIT = "b", "q"


def browse_game(
    model: "Model", target: str, *, data: Path | None, start: str | None, clicks: int, play: bool
) -> None:
    """Play from the start to the target, a person first if they like."""
    from vinlab.experiments.web.game.browse import game_table_of

    if start is None:
        raise InputError("--start: expected the title of an article to start the game from, got none.")
    table = game_table_of(model, data)
    game = table.game(start, target)
    if play:
        print(f"From {start} to {target}. Type the number of a link, {BACK} to go back or {QUIT} to give up.")
        _print_path(table, "You", table.ask(game, ask_person, max_clicks=clicks))
    _print_path(table, model.id, table.follow(game, max_clicks=clicks))
    shortest = table.shortest(game)
    print("There is no path." if shortest is None else f"A shortest path has {_clicks(shortest)}.")


def ask_person(page: str, links: list[str], can_go_back: bool) -> int:
    """The number of the link that a person types."""
    from vinlab.experiments.web.game.browse import GivenUp

    _print_links(page, links)
    while True:
        try:
            typed = input("> ").strip().casefold()
        except EOFError:
            raise GivenUp from None
        if typed == QUIT:
            raise GivenUp
        if typed == BACK and can_go_back:
            return len(links)
        if typed.isdecimal() and 1 <= int(typed) <= len(links):
            return int(typed) - 1
        print(f"Expected 1 to {len(links)}{f', {BACK}' if can_go_back else ''} or {QUIT}, got '{typed}'.")


def _print_links(page: str, links: list[str]) -> None:
    """The links in columns, downwards, as wide as the terminal."""
    from rich.columns import Columns
    from rich.console import Console
    from rich.text import Text

    numbered = [Text(f"{number:>3} {title}") for number, title in enumerate(links, start=1)]
    console = Console()
    console.print(Text(f"\n{page}", style="bold"))
    console.print(Columns(numbered, equal=True, column_first=True))


def _print_path(table: "GameTable", player: str, path: "GamePath") -> None:
    visited = " → ".join(table.site.titles[page] for page in path.pages)
    outcome = "finished" if path.finished else "gave up" if path.given_up else "not finished"
    print(f"{player}: {outcome} after {_clicks(len(path.pages) - 1)}: {visited}.")


def _clicks(count: int) -> str:
    return "1 click" if count == 1 else f"{count} clicks"
