"""Words and a picture for the way of a policy through a site."""

import textwrap

import numpy as np
from matplotlib.figure import Figure
from rich.console import Console
from rich.table import Table

from vinlab.domains.web.corpus import ARTICLE
from vinlab.experiments.web.browse import Browser, Trail
from vinlab.figures.tree import TreePlan, web_plan_figure, write_caption
from vinlab.types import InputError

DRAWN_ARTICLES = 14
"""Besides those clicked, the articles that the plan values most are drawn."""


def print_trail(browser: Browser, trail: Trail) -> None:
    """A line for every page of the way, with the links that were considered, and a piece of the page found."""
    titles = browser.site.titles
    table = Table("", "on the page", "clicks", "rather than", title=f"“{trail.query}”", title_justify="left")
    for number, click in enumerate(trail.clicks[: len(trail.pages) - 1]):
        (best, share), *others = click.links
        rather = ", ".join(f"{titles[page]} {percent(chance)}" for page, chance in others)
        table.add_row(str(number), titles[click.page], f"[bold]{titles[best]}[/] {percent(share)}", rather)
    found = f"[bold green]{titles[trail.found]}[/]"
    table.add_row(str(len(trail.pages) - 1), found, "[green]stays: most like the query[/]", "")
    console = Console()
    console.print(table)
    way = " → ".join(titles[page] for page in trail.pages)
    console.print(f"Found {found} after {len(trail.pages) - 1} clicks: {way}.")
    for piece in browser.pieces_of(trail.found)[:1]:
        console.print(f"It says: “{textwrap.shorten(piece, 240, placeholder=' …')}”", highlight=False)


def percent(share: float) -> str:
    """A share in whole per cent, small ones as such."""
    return "<1%" if share < 0.005 else f"{share:.0%}"


def trail_figure(browser: Browser, trail: Trail) -> Figure:
    """The plan of the query on the tree of categories, and the way over it."""
    if trail.values is None:
        raise InputError("the baseline makes no plan that could be drawn; a VIN is wanted.")
    site, worth = browser.site, worth_of_pages(browser, trail.values)
    categories = np.flatnonzero(site.levels != ARTICLE)
    articles = np.flatnonzero(site.levels == ARTICLE)
    best = articles[np.argsort(-worth[articles])[:DRAWN_ARTICLES]]
    clicked = [page for page in trail.pages if site.levels[page] == ARTICLE]
    drawn = np.concatenate([categories, np.unique([*best, *clicked]).astype(np.int64)])
    drawn = drawn[[page == 0 or len(site.parents.of(page)) > 0 for page in drawn]]
    place = {int(page): number for number, page in enumerate(drawn)}
    parents = [place[int(site.parents.of(page)[0])] if page else 0 for page in drawn]
    figure = web_plan_figure(
        TreePlan(
            titles=[site.titles[page] for page in map(int, drawn)],
            parents=np.array(parents),
            values=worth[drawn],
            path=[place[page] for page in trail.pages if page in place],
            query=trail.query,
        )
    )
    clicks = len(trail.pages) - 1
    write_caption(
        figure,
        f"Bright: what the plan values most. Arrows: the {clicks} clicks to “{site.titles[trail.found]}”.",
    )
    return figure


def worth_of_pages(browser: Browser, values: np.ndarray) -> np.ndarray:
    """The value of the node that stands for each page, as its place among all (0 least, 1 most)."""
    read = values[browser.view.membership.numpy()].max(axis=1)
    order = np.argsort(np.argsort(read, kind="stable"), kind="stable")
    return (order / max(1, len(order) - 1)) ** 3
