"""Policies that choose a link: the reactive baseline, and VINs that plan on a graph of pages."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from vinlab.networks.links.modules import ReactiveScores, SiteView
from vinlab.planning.graph import GraphPlanner
from vinlab.types import Clicks, InputError


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
    def raw_logits(self, site: SiteView, plan: Any, clicks: Clicks) -> Float[Tensor, "S l"]:
        """How good each candidate link seems; what filler gets does not matter."""

    def logits(self, site: SiteView, plan: Any, clicks: Clicks) -> Float[Tensor, "S l"]:
        """The logits of the candidate links; filler gets minus infinity."""
        return self.raw_logits(site, plan, clicks).masked_fill(clicks.candidates < 0, -torch.inf)


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

    def raw_logits(self, site: SiteView, plan: Float[Tensor, "B D"], clicks: Clicks) -> Float[Tensor, "S l"]:
        """What the page, the query and the link say."""
        return self.reactive(site.read(clicks.pages), plan[clicks.rows], site.read(clicks.candidates))


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

    def raw_logits(self, site: SiteView, plan: WebPlan, clicks: Clicks) -> Float[Tensor, "S l"]:
        """What the plan says."""
        return self.attention(site, plan.value, clicks)


class WebValueIterationNetwork(PlannedPolicy):
    """The paper's VIN over pages (Section 4.4): the plan adds to what a reactive part says."""

    def __init__(
        self,
        dimension: int,
        *,
        reward: nn.Module,
        planner: GraphPlanner,
        attention: nn.Module,
        coefficient: nn.Module,
        reactive: nn.Module,
    ) -> None:
        super().__init__(dimension, reward=reward, planner=planner, attention=attention)
        self.coefficient = coefficient
        self.reactive = reactive

    def raw_logits(self, site: SiteView, plan: WebPlan, clicks: Clicks) -> Float[Tensor, "S l"]:
        """What the plan says, as far as it counts on this page, and what the reactive part says."""
        here, asked = site.read(clicks.pages), plan.queries[clicks.rows]
        planned = self.coefficient(here, asked) * self.attention(site, plan.value, clicks)
        return planned + self.reactive(here, asked, site.read(clicks.candidates))

    def without_reactive_part(self) -> PlannedPolicy:
        """A policy that follows the plan of this one without its reactive part; they share their weights."""
        return PlannedPolicy(
            self.dimension, reward=self.reward, planner=self.planner, attention=self.attention
        )
