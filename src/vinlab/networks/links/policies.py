"""Policies that choose a link: the reactive baseline, and VINs that plan on a graph of pages."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from vinlab.networks.links.modules import ReactiveScores, SparseScores, gather_entries
from vinlab.networks.links.view import SiteView
from vinlab.planning.graph import GraphPlanner
from vinlab.types import InputError, LinkChoices


@dataclass(frozen=True)
class Asked:
    """The queries of a batch: dense features, and sparse rows where the policy reads them."""

    queries: Float[Tensor, "B D"]
    words: Any


class LinkPolicy(nn.Module, ABC):
    """A policy that plans once per query and then scores the links of any number of pages."""

    def __init__(self, dimension: int, *, words: SparseScores | None = None) -> None:
        """``words`` are the learned weights of sparse features, where the policy reads them."""
        super().__init__()
        self.dimension = dimension
        self.words = words

    def require_fitting(self, site: SiteView) -> None:
        """Refuse a site whose features have another dimension than the weights."""
        if site.dimension != self.dimension:
            raise InputError(
                f"expected a site with {self.dimension} features a page, as the weights have, got "
                f"{site.dimension}: use word vectors of dimension {self.dimension}."
            )
        if self.words is not None and site.sparse is None:
            raise InputError(
                "expected a site with sparse features, as the weights have, got dense ones alone."
            )

    def common(self, site: SiteView, asked: Asked, choices: LinkChoices) -> Float[Tensor, "S l"] | float:
        """The score of each candidate by sparse features; 0 where there are none."""
        if self.words is None:
            return 0.0
        # A batch holds the same pages many times: each is compared with the queries once.
        pages, place = torch.unique(choices.candidates, return_inverse=True)
        scores = self.words(site.similarities(asked.words, pages))
        return gather_entries(scores, choices.rows[:, None].expand_as(place), place)

    @property
    def iterations(self) -> int | None:
        """How many backups a plan takes, the reward included; None where nothing is planned."""
        return None

    def plan(
        self,
        site: SiteView,
        queries: Float[Tensor, "B D"],
        *,
        iterations: int | None = None,
        words: Any = None,
    ) -> Asked:
        """What all steps of a query share: without a plan the queries; ``words`` are these as sparse rows."""
        self.require_fitting(site)
        return Asked(queries, words)

    @abstractmethod
    def raw_logits(self, site: SiteView, plan: Any, choices: LinkChoices) -> Float[Tensor, "S l"]:
        """The logits of the candidate links; those of padding may be anything."""

    def logits(self, site: SiteView, plan: Any, choices: LinkChoices) -> Float[Tensor, "S l"]:
        """The logits of the candidate links; minus infinity for padding."""
        return self.raw_logits(site, plan, choices).masked_fill(choices.candidates < 0, -torch.inf)


class ReactivePolicy(LinkPolicy):
    """The baseline: logits from the page, the query and the link alone."""

    def __init__(self, dimension: int, *, words: SparseScores | None = None) -> None:
        super().__init__(dimension)
        self.reactive = ReactiveScores(dimension)
        self.words = words

    def raw_logits(self, site: SiteView, plan: Asked, choices: LinkChoices) -> Float[Tensor, "S l"]:
        """The reactive scores."""
        here, asked = site.read(choices.pages), plan.queries[choices.rows]
        return self.reactive(here, asked, site.read(choices.candidates)) + self.common(site, plan, choices)


@dataclass(frozen=True)
class LinkPlan(Asked):
    """The plan of each query of a batch."""

    reward: Float[Tensor, "B G"]
    value: Float[Tensor, "B G"]


class PlannedPolicy(LinkPolicy):
    """A VIN over links that follows its plan alone: what attention reads at a link is its logit."""

    def __init__(
        self,
        dimension: int,
        *,
        reward: nn.Module,
        planner: GraphPlanner,
        attention: nn.Module,
        words: SparseScores | None = None,
    ) -> None:
        super().__init__(dimension, words=words)
        self.reward = reward
        self.planner = planner
        self.attention = attention

    @property
    def iterations(self) -> int:
        """How many backups a plan takes, the reward included."""
        return self.planner.iterations

    def plan(
        self,
        site: SiteView,
        queries: Float[Tensor, "B D"],
        *,
        iterations: int | None = None,
        words: Any = None,
    ) -> LinkPlan:
        """One plan per query, for all of its steps."""
        super().plan(site, queries)
        common = None if self.words is None else self.words(site.similarities(words, site.nodes))
        reward = self.reward(queries, site.node_features, common)
        value = self.planner.values(reward, site.transition, iterations=iterations)
        return LinkPlan(queries, words, reward, value)

    def raw_logits(self, site: SiteView, plan: LinkPlan, choices: LinkChoices) -> Float[Tensor, "S l"]:
        """The plan at each candidate."""
        return self.attention(site, plan.value, choices)


class LinkValueIterationNetwork(PlannedPolicy):
    """The paper's VIN over links (Section 4.4): the plan is added to reactive scores."""

    def __init__(self, dimension: int, *, coefficient: nn.Module, reactive: nn.Module, **parts: Any) -> None:
        super().__init__(dimension, **parts)
        self.coefficient = coefficient
        self.reactive = reactive

    def raw_logits(self, site: SiteView, plan: LinkPlan, choices: LinkChoices) -> Float[Tensor, "S l"]:
        """The plan at each candidate, weighted by the gate, plus the reactive scores."""
        here, asked = site.read(choices.pages), plan.queries[choices.rows]
        planned = self.coefficient(here, asked) * self.attention(site, plan.value, choices)
        reactive = self.reactive(here, asked, site.read(choices.candidates))
        return planned + reactive + self.common(site, plan, choices)

    def without_reactive_part(self) -> PlannedPolicy:
        """The policy that follows this one's plan alone; both share their weights."""
        parts = {"reward": self.reward, "attention": self.attention}
        return PlannedPolicy(self.dimension, planner=self.planner, words=self.words, **parts)
