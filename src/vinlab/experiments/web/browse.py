"""A trained policy on a typed query: the links that it clicks, and its plan."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from vinlab.domains.web.environment import MAX_CLICKS, follow_links
from vinlab.domains.web.features import TextEmbedding
from vinlab.domains.web.problem import ROOT, WebProblems
from vinlab.domains.web.site import Site
from vinlab.experiments.web.data import WebData, load_site, recorded_data
from vinlab.experiments.web.view import view_for
from vinlab.models import Model
from vinlab.models.names import suggestion
from vinlab.networks.configs import network_config
from vinlab.networks.links.policies import LinkPlan, LinkPolicy
from vinlab.networks.links.view import SiteView
from vinlab.types import InputError, LinkChoices

SHOWN = 4
"""How many links of a page are named: the policy's first four."""


@dataclass(frozen=True)
class ClickPath:
    """The path of a policy for one query."""

    query: str
    pages: list[int]
    """From the start to the page found."""
    links: list[list[tuple[int, float]]]
    """On each page but the last the policy's best links with their probabilities; the first one is clicked."""
    values: np.ndarray | None
    """The value of each node of the planning graph; None without a plan."""

    @property
    def found(self) -> int:
        """The visited page that is most similar to the query."""
        return self.pages[-1]


def titled(titles: Sequence[str], title: str, word: str) -> int:
    """The number of the page or article with this title, in capitals or not."""
    folded = [name.casefold() for name in titles]
    if title.casefold() not in folded:
        raise InputError(f"There is no {word} '{title}'{suggestion(title, titles)}")
    return folded.index(title.casefold())


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
        return titled(self.site.titles, title, "page")

    def pieces_of(self, page: int) -> list[str]:
        """A few sentences each from the text of the page; a category has none."""
        queries = self.site.queries
        return [queries.texts[int(number)] for number in np.flatnonzero(queries.pages == page)]

    @torch.no_grad()
    def follow(self, query: str, *, start: int = ROOT, max_clicks: int = MAX_CLICKS) -> ClickPath:
        """Click until a page repeats or the clicks are used up."""
        features = torch.from_numpy(self.embedding.embed(query)[None])
        sparse = self.site.sparse
        words = None if sparse is None else sparse.tfidf.embed(query)
        plan = self.policy.eval().plan(self.view, features, words=words)
        graph = self.site.graph(self.data.graph)
        links: list[list[tuple[int, float]]] = []

        def choose(rows: np.ndarray, pages: np.ndarray) -> np.ndarray:
            candidates = torch.from_numpy(graph.of(int(pages[0])).astype(np.int64))
            page = torch.tensor([int(pages[0])])
            here = LinkChoices(rows=torch.tensor([0]), pages=page, candidates=candidates[None])
            logits = self.policy.logits(self.view, plan, here)[0]
            best = logits.softmax(dim=0).topk(min(SHOWN, len(candidates)))
            links.append([(int(candidates[at]), float(share)) for share, at in zip(*best, strict=True)])
            return np.array([links[-1][0][0]])

        no_target = WebProblems(np.array([0]), np.array([start]), np.array([-1]))
        visited = follow_links(choose, graph, no_target, max_clicks=max_clicks).pages[0]
        pages = list(dict.fromkeys(visited[visited >= 0].tolist()))
        end = self._most_similar(plan, features, pages)
        values = plan.value[0].numpy() if isinstance(plan, LinkPlan) else None
        return ClickPath(query, pages[: end + 1], links[:end], values)

    def _most_similar(self, plan: Any, features: torch.Tensor, visited: list[int]) -> int:
        """Which visited page has the highest reward; without one for every page, which is nearest to the query."""
        pages = torch.tensor(visited)
        if isinstance(plan, LinkPlan) and plan.reward.shape[1] == self.site.num_pages:
            return int(plan.reward[0, pages].argmax())
        return int((self.view.read(pages) @ features[0]).argmax())


def browser_of(model: Model, data: Path | None) -> Browser:
    """The model on the synthetic site of its training, or on the site in a folder."""
    web_data = recorded_data(model, data)
    site, embedding = load_site(web_data, data)
    view = view_for(network_config(model.config["network"]), site, web_data.graph)
    policy: Any = model.network
    policy.require_fitting(view)
    return Browser(policy, view, site, embedding, web_data)
