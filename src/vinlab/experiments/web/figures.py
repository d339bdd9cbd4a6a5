"""The plan of one query, drawn on the tree of categories."""

from pathlib import Path

import numpy as np
from jaxtyping import Float, Int
from matplotlib.figure import Figure

from vinlab.domains.web.corpus import ARTICLE
from vinlab.domains.web.site import Site
from vinlab.experiments.base import require_problem
from vinlab.experiments.web.browse import Browser, ClickPath, browser_of
from vinlab.experiments.web.data import make_evaluation_sets
from vinlab.figures.save import save_figure
from vinlab.figures.tree import TreePlan, tree_figure, write_caption
from vinlab.models import Model
from vinlab.types import InputError

DRAWN_ARTICLES = 14
"""How many articles are drawn besides those clicked: those with the highest values."""


def draw_query(model: Model, out: Path, problem: int | None, data: Path | None) -> list[Path]:
    """Draw the plan of a test query that starts at a random article; the baseline has no plan to draw.

    Without ``problem`` it is the one with the longest path. The figure of a shipped model carries its id.
    """
    browser = browser_of(model, data)
    if browser.policy.iterations is None:
        return []
    test = make_evaluation_sets(browser.site, browser.data)[1].random
    longest = int(np.where(test.solvable, test.shortest, -1).argmax()) if problem is None else problem
    index = require_problem(longest, len(test.problems))
    query = browser.site.queries.texts[int(test.problems.queries[index])]
    path = browser.follow(query, start=int(test.problems.starts[index]))
    return [save_figure(path_figure(browser, path), out / f"{model.prefix}plan.png")]


def path_figure(browser: Browser, path: ClickPath) -> Figure:
    """The plan of the query on the tree of categories, and the path over it."""
    if path.values is None:
        raise InputError("expected a VIN, got the baseline, which makes no plan to draw.")
    site, values = browser.site, page_values(browser, path.values)
    drawn = drawn_pages(site, values, path.pages)
    node = {int(page): number for number, page in enumerate(drawn)}
    parents = [node[int(site.parents.of(page)[0])] if page else 0 for page in drawn]
    figure = tree_figure(
        TreePlan(
            titles=[site.titles[page] for page in map(int, drawn)],
            parents=np.array(parents),
            values=values[drawn],
            path=[node[page] for page in path.pages if page in node],
            query=path.query,
        )
    )
    clicks = len(path.pages) - 1
    write_caption(
        figure,
        f"Bright: high value in the plan. Arrows: the {clicks} clicks to “{site.titles[path.found]}”.",
    )
    return figure


def drawn_pages(site: Site, values: Float[np.ndarray, " N"], path: list[int]) -> Int[np.ndarray, " n"]:
    """All categories, the articles of the path and those with the highest values; all below the root."""
    categories = np.flatnonzero(site.levels != ARTICLE)
    articles = np.flatnonzero(site.levels == ARTICLE)
    best = articles[np.argsort(-values[articles])[:DRAWN_ARTICLES]]
    clicked = [page for page in path if site.levels[page] == ARTICLE]
    drawn = np.concatenate([categories, np.unique([*best, *clicked]).astype(np.int64)])
    return drawn[[page == 0 or len(site.parents.of(page)) > 0 for page in drawn]]


def page_values(browser: Browser, values: Float[np.ndarray, " G"]) -> Float[np.ndarray, " N"]:
    """The value of each page's node as a colour: the cube of its rank among all, from 0 to 1."""
    read = values[browser.view.membership.numpy()].max(axis=1)
    order = np.argsort(np.argsort(read, kind="stable"), kind="stable")
    return (order / max(1, len(order) - 1)) ** 3
