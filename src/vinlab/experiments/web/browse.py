"""A trained policy at work on a query that a person typed: which links it clicks, and what it thought."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from vinlab.domains.web.features import TextEmbedding
from vinlab.domains.web.site import Site
from vinlab.experiments.web.data import WebData, load_site
from vinlab.experiments.web.view import view_for
from vinlab.models.names import suggestion
from vinlab.networks.links.configs import web_network_from_plain
from vinlab.networks.links.modules import SiteView
from vinlab.networks.links.policies import LinkPolicy, WebPlan
from vinlab.recording.finished_run import WEIGHTS, open_run
from vinlab.recording.serialization import dataclass_from_plain
from vinlab.recording.weights import load_tensors
from vinlab.types import Clicks, InputError

SHOWN = 4
"""How many links of a page are named: the policy's first four."""


@dataclass(frozen=True)
class Click:
    """One page of the way: where the policy stood, and its best links with how likely it found them."""

    page: int
    links: list[tuple[int, float]]


@dataclass(frozen=True)
class Trail:
    """The way of a policy for one query."""

    query: str
    clicks: list[Click]
    found: int
    """The page of the way that is most like the query."""
    values: np.ndarray | None
    """What the plan thinks each node of its graph is worth; None without a plan."""

    @property
    def pages(self) -> list[int]:
        """The pages from the start to the one found."""
        visited = [click.page for click in self.clicks]
        return visited[: visited.index(self.found) + 1]


@dataclass(frozen=True)
class Browser:
    """A trained policy with the site that it reads."""

    policy: LinkPolicy
    view: SiteView
    site: Site
    embedding: TextEmbedding
    data: WebData

    def page_named(self, title: str) -> int:
        """The page with this title."""
        titles = [name.casefold() for name in self.site.titles]
        if title.casefold() not in titles:
            raise InputError(f"There is no page '{title}'{suggestion(title, self.site.titles)}.")
        return titles.index(title.casefold())

    def pieces_of(self, page: int) -> list[str]:
        """A few sentences each of what the page says; a category says nothing."""
        queries = self.site.queries
        return [queries.texts[int(number)] for number in np.flatnonzero(queries.pages == page)]

    @torch.no_grad()
    def follow(self, query: str, *, start: int = 0, most_clicks: int = 10) -> Trail:
        """Click until a page comes up again or the clicks are spent."""
        features = torch.from_numpy(self.embedding.embed(query)[None])
        plan = self.policy.eval().plan(self.view, features)
        clicks, page = [], start
        while len(clicks) <= most_clicks and page not in [click.page for click in clicks]:
            clicks.append(Click(page, self._best_links(plan, page)))
            if not clicks[-1].links:
                break
            page = clicks[-1].links[0][0]
        return Trail(query, clicks, self._most_wanted(plan, features, clicks), _values(plan))

    def _best_links(self, plan: Any, page: int) -> list[tuple[int, float]]:
        links = torch.from_numpy(self.site.graph(self.data.graph).of(page).astype(np.int64))
        if not len(links):
            return []
        here = Clicks(rows=torch.tensor([0]), pages=torch.tensor([page]), candidates=links[None])
        scores = self.policy.logits(self.view, plan, here)[0]
        best = scores.softmax(dim=0).topk(min(SHOWN, len(links)))
        return [(int(links[place]), float(share)) for share, place in zip(*best, strict=True)]

    def _most_wanted(self, plan: Any, features: torch.Tensor, clicks: list[Click]) -> int:
        """Of the pages visited the one with the highest reward; without a reward, the one most like the query."""
        pages = torch.tensor([click.page for click in clicks])
        if isinstance(plan, WebPlan) and plan.reward.shape[1] == self.site.num_pages:
            return int(pages[plan.reward[0, pages].argmax()])
        return int(pages[(self.view.read(pages) @ features[0]).argmax()])


def _values(plan: Any) -> np.ndarray | None:
    return plan.value[0].numpy() if isinstance(plan, WebPlan) else None


def open_browser(run: Path, data: Path | None) -> Browser:
    """The policy of a finished run and the site that it was trained on, or another one."""
    recorded = open_run(run)
    config = dict(recorded.manifest.config)
    if "encyclopedia" not in config.get("data", {}):
        raise InputError(f"{run} is no run of web navigation; one of web/… is wanted.")
    settings = {name: entry for name, entry in config["data"].items() if name != "source"}
    source = config["data"]["source"]
    if data is None and source != "synthetic":
        raise InputError(f"{run} was trained on {source}: --data must name its folder.")
    web_data = dataclass_from_plain(WebData, settings, name="data")
    site, embedding = load_site(web_data, data)
    network = web_network_from_plain(config["network"])
    view = view_for(network, site, web_data.graph)
    policy = network.build(_dimension_of(recorded.folder) or view.dimension)
    recorded.load_weights(policy)
    policy.require_fitting(view)
    return Browser(policy, view, site, embedding, web_data)


def _dimension_of(folder: Path) -> int | None:
    """How many numbers the weights want of a page."""
    shapes = {name: tensor.shape for name, tensor in load_tensors(folder / WEIGHTS).items()}
    for name in ("reactive.hidden.weight", "reward.turn.weight"):
        if name in shapes:
            return shapes[name][0]
    return None
