"""Policies that choose a link: the reactive baseline, and VINs that plan on a graph of pages."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from vinlab.design.web import ReactiveScores, SiteView
from vinlab.planning.graph import GraphPlanner
from vinlab.types import InputError

REST = 3
"""Of so many queries the reactive part rests for one, where it rests at all."""


class LinkPolicy(nn.Module, ABC):
    """A policy that looks at a query once and is then asked about links on as many pages as one likes."""

    dimension: int

    def require_fitting(self, site: SiteView) -> None:
        """The features must have as many numbers as the weights were made for."""
        if site.dimension != self.dimension:
            raise InputError(
                f"the site's features have {site.dimension} numbers, but the weights want {self.dimension}: "
                "word vectors of that dimension are wanted."
            )

    @abstractmethod
    def plan(self, site: SiteView, queries: Float[Tensor, "B D"]) -> Any:
        """What all steps of a query share."""

    @abstractmethod
    def scores(
        self,
        site: SiteView,
        plan: Any,
        rows: Int[Tensor, " S"],
        pages: Int[Tensor, " S"],
        candidates: Int[Tensor, "S L"],
    ) -> Float[Tensor, "S L"]:
        """The logits of the candidate links in some steps of each query; filler (-1) gets minus infinity."""


class ReactivePolicy(LinkPolicy):
    """The baseline: scores from the page, the query and the link alone."""

    def __init__(self, dimension: int) -> None:
        super().__init__()
        self.dimension = dimension
        self.reactive = ReactiveScores(dimension)

    def plan(self, site: SiteView, queries: Float[Tensor, "B D"]) -> Float[Tensor, "B D"]:
        """Nothing but the queries."""
        self.require_fitting(site)
        return queries

    def scores(
        self,
        site: SiteView,
        plan: Float[Tensor, "B D"],
        rows: Int[Tensor, " S"],
        pages: Int[Tensor, " S"],
        candidates: Int[Tensor, "S L"],
    ) -> Float[Tensor, "S L"]:
        """The logits of the candidate links."""
        found = self.reactive(site.read(pages), plan[rows], site.read(candidates))
        return found.masked_fill(candidates < 0, -torch.inf)


@dataclass(frozen=True)
class WebPlan:
    """The plan of each query of a batch."""

    queries: Float[Tensor, "B D"]
    reward: Float[Tensor, "B G"]
    value: Float[Tensor, "B G"]


class PlannedPolicy(LinkPolicy):
    """A VIN over pages that follows its plan alone: what attention reads at a link is the link's score."""

    def __init__(
        self, dimension: int, *, reward: nn.Module, planner: GraphPlanner, attention: nn.Module
    ) -> None:
        super().__init__()
        self.dimension = dimension
        self.reward = reward
        self.planner = planner
        self.attention = attention

    def plan(self, site: SiteView, queries: Float[Tensor, "B D"]) -> WebPlan:
        """One plan per query, to be read on as many pages as one likes."""
        self.require_fitting(site)
        reward = self.reward(queries, site.node_features)
        return WebPlan(queries, reward, self.planner.values(reward, site.transition))

    def scores(
        self,
        site: SiteView,
        plan: WebPlan,
        rows: Int[Tensor, " S"],
        pages: Int[Tensor, " S"],
        candidates: Int[Tensor, "S L"],
    ) -> Float[Tensor, "S L"]:
        """The logits of the candidate links."""
        planned = self.attention(site, plan.value, rows, candidates)
        return planned.masked_fill(candidates < 0, -torch.inf)


class WebValueIterationNetwork(PlannedPolicy):
    """The paper's VIN over pages (Section 4.4): the plan adds to what a reactive part says.

    While it learns, one query of three goes without the reactive part if ``reactive_rest`` is set: from the root
    the reactive part alone does so well that it would leave the planner no gradient.
    """

    def __init__(
        self,
        dimension: int,
        *,
        reward: nn.Module,
        planner: GraphPlanner,
        attention: nn.Module,
        coefficient: nn.Module,
        reactive: nn.Module,
        reactive_rest: bool = False,
    ) -> None:
        super().__init__(dimension, reward=reward, planner=planner, attention=attention)
        self.coefficient = coefficient
        self.reactive = reactive
        self.reactive_rest = reactive_rest

    def scores(
        self,
        site: SiteView,
        plan: WebPlan,
        rows: Int[Tensor, " S"],
        pages: Int[Tensor, " S"],
        candidates: Int[Tensor, "S L"],
    ) -> Float[Tensor, "S L"]:
        """The logits of the candidate links."""
        here, asked = site.read(pages), plan.queries[rows]
        reactive = self.reactive(here, asked, site.read(candidates))
        if self.training and self.reactive_rest:
            reactive = reactive * (rows % REST > 0)[:, None]
        planned = self.coefficient(here, asked) * self.attention(site, plan.value, rows, candidates)
        return (planned + reactive).masked_fill(candidates < 0, -torch.inf)
