"""``vinlab browse``: a trained policy looks for the page that a query describes, or plays the player's game."""

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from tyro.conf import Positional

from vinlab.cli.browse_game import browse_game
from vinlab.cli.checks import MOST_CLICKS, require_between, require_file_name
from vinlab.types import InputError

if TYPE_CHECKING:
    from vinlab.experiments.web.browse import Browser, ClickPath


def browse(
    query: Positional[str],
    /,
    model: Path,
    data: Path | None = None,
    start: str | None = None,
    clicks: int = 10,
    out: Path | None = None,
    play: bool = False,
) -> None:
    """Let a trained policy look for the page that a query describes, and show every click.

    With a model of the player's game (web/game/…) the query is the title of the target article.

    Args:
        query: A few words or sentences that describe a page.
        model: The folder of a run of web navigation, such as runs/web/full/pages/default-paper/seed-0.
        data: Folder of the site that the run was trained on; not needed for the synthetic encyclopedia.
        start: Title of the page to start from; the root if not given.
        clicks: The largest number of clicks.
        out: Where to draw the plan on the tree of categories (.png, .pdf or .svg).
        play: In the player's game, play it yourself first.
    """
    from vinlab.experiments.web.browse import browser_of
    from vinlab.models import load

    require_between(1, clicks, MOST_CLICKS, "--clicks")
    if out is not None:
        require_file_name(out)
    loaded = load(model)
    if loaded.id.startswith("web/game/"):
        if out is not None:
            raise InputError("--out: expected a model with a plan to draw, got a player of the game.")
        return browse_game(loaded, query, data=data, start=start, clicks=clicks, play=play)
    if play:
        raise InputError(f"--play: expected a model of the player's game (web/game/…), got {loaded.id}.")
    browser = browser_of(loaded, data)
    path = browser.follow(query, start=browser.page_named(start) if start else 0, max_clicks=clicks)
    print_path(browser, path)
    if out is not None:
        from vinlab.experiments.web.figures import path_figure
        from vinlab.figures.save import save_figure

        print(f"Drawn in {save_figure(path_figure(browser, path), out)}.")
    return None


def print_path(browser: "Browser", path: "ClickPath") -> None:
    """A line for every page of the path, with the links that were considered, and a piece of the page found."""
    from rich.console import Console
    from rich.table import Table

    titles = browser.site.titles
    table = Table("", "page", "clicks", "other links", title=f"“{path.query}”", title_justify="left")
    for number, (page, ((best, probability), *others)) in enumerate(
        zip(path.pages, path.links, strict=False)
    ):
        rest = ", ".join(f"{titles[link]} {percent(share)}" for link, share in others)
        table.add_row(str(number), titles[page], f"[bold]{titles[best]}[/] {percent(probability)}", rest)
    found = f"[bold green]{titles[path.found]}[/]"
    table.add_row(str(len(path.links)), found, "[green]stops: most similar to the query[/]", "")
    console = Console()
    console.print(table)
    visited = " → ".join(titles[page] for page in path.pages)
    console.print(f"Found {found} after {len(path.links)} clicks: {visited}.")
    for piece in browser.pieces_of(path.found)[:1]:
        console.print(f"Its text: “{textwrap.shorten(piece, 240, placeholder=' …')}”", highlight=False)


def percent(share: float) -> str:
    """A share in whole per cent; <1% for small ones."""
    return "<1%" if share < 0.005 else f"{share:.0%}"
