"""Scores of a link policy: how it ranks the links of shortest paths, and where its own clicks lead."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

from vinlab.domains.web.demonstrations import ClickDemonstrations, make_tables
from vinlab.domains.web.environment import follow_links
from vinlab.domains.web.expert import optimal_links
from vinlab.domains.web.link_graph import Links
from vinlab.evaluation.link_ranking import (
    LinkRanks,
    LinkScores,
    best_links,
    link_scores,
    rank_links,
    top_links,
)
from vinlab.experiments.base import EvaluateRequest, Evaluation
from vinlab.experiments.results import RunResult
from vinlab.experiments.web.browse import browser_of
from vinlab.experiments.web.data import EvaluationProblems, EvaluationSet, WebSets, make_evaluation_sets
from vinlab.experiments.web.settings import WebTraining
from vinlab.learners.callbacks import Progress, Validation, no_progress
from vinlab.models import Model
from vinlab.networks.links.policies import LinkPolicy
from vinlab.networks.links.view import SiteView
from vinlab.types import InputError

BATCH = 128
"""Queries that are planned for together."""

TIE_SEED = 0
"""Seed of the order of links with the same logit."""


def validate(data: WebSets, policy: Any) -> Validation:
    """The success on validation problems; starts at the root and at random articles count the same."""
    parts = (data.validation.root, data.validation.random)
    root, random = (evaluate_links(policy, data.shown.view, part) for part in parts)
    metrics = {
        "validation_root_success": root.success_rate,
        "validation_random_success": random.success_rate,
        "validation_root_arrival": root.arrival_rate,
        "validation_random_arrival": random.arrival_rate,
    }
    return Validation(root.success_rate + random.success_rate, metrics)


def score(config: WebTraining, data: WebSets, network: LinkPolicy, seed: int) -> RunResult:
    """The scores on the test problems."""
    return RunResult(_test_scores(network, data.view, data.test), extra=training_size(data.demonstrations))


def training_size(demonstrations: ClickDemonstrations) -> dict[str, int]:
    """How much a run was trained on."""
    steps = int(demonstrations.weights.sum())
    return {"training_queries": len(demonstrations), "training_steps": steps}


def evaluate(model: Model, request: EvaluateRequest) -> Evaluation:
    """The scores of a model on the test problems of its site."""
    reason = "its test problems are queries of its site"
    request.refuse(model.id, problems=reason, corner_cutting=reason)
    iterations = asked_iterations(model, request)
    browser = browser_of(model, request.data)
    _, test = make_evaluation_sets(browser.site, browser.data)
    scores = _test_scores(
        browser.policy, browser.view, test, iterations=iterations, progress=request.progress
    )
    return Evaluation(scores, {"iterations": iterations or browser.policy.iterations})


def asked_iterations(model: Model, request: EvaluateRequest) -> int | None:
    """The iterations that are asked for: one number, and only of a network that plans."""
    if model.network.iterations is None:
        request.refuse(model.id, iterations="it plans nothing")
    if not isinstance(request.iterations, int | None):
        raise InputError(f"--iterations: expected one number, got {request.iterations}.")
    return request.iterations


def _test_scores(policy: LinkPolicy, view: SiteView, test: EvaluationSet, **options: Any) -> dict[str, Any]:
    parts = {"root": test.root, "random": test.random}
    return {start: asdict(evaluate_links(policy, view, part, **options)) for start, part in parts.items()}


@dataclass(frozen=True)
class Planned:
    """A policy on a site, with its plan for a batch of queries."""

    policy: LinkPolicy
    view: SiteView
    links: Links
    plan: Any

    @torch.no_grad()
    def tables(
        self, rows: Int[np.ndarray, " S"], pages: Int[np.ndarray, " S"]
    ) -> Iterator[tuple[Int[np.ndarray, " s"], Float[np.ndarray, "s L"], Int[np.ndarray, "s L"]]]:
        """The logits and the pages of the links of some pages, in tables with the numbers of their steps."""
        for steps, choices in make_tables(self.links, rows, pages):
            logits = self.policy.logits(self.view, self.plan, choices)
            yield steps, logits.numpy(), choices.candidates.numpy()

    def click(
        self, rows: Int[np.ndarray, " S"], pages: Int[np.ndarray, " S"], *, rng: np.random.Generator
    ) -> Int[np.ndarray, " S"]:
        """The pages of the links that the policy clicks."""
        following = np.zeros(len(pages), dtype=np.int64)
        for steps, logits, candidates in self.tables(rows, pages):
            best = best_links(logits, rng=rng)
            following[steps] = candidates[np.arange(len(best)), best]
        return following


@torch.no_grad()
def evaluate_links(
    policy: LinkPolicy,
    view: SiteView,
    evaluated: EvaluationProblems,
    *,
    iterations: int | None = None,
    progress: Progress = no_progress,
) -> LinkScores:
    """The scores of the policy."""
    policy.eval()
    rng = np.random.default_rng(TIE_SEED)
    steps, count, asked = evaluated.steps, len(evaluated.problems), evaluated.site.queries
    fixed, any_link = np.zeros(len(steps), dtype=np.int64), np.zeros(len(steps), dtype=np.int64)
    clicks, reached = np.full(count, -1), np.zeros(count, dtype=bool)
    for first in range(0, count, BATCH):
        chosen = np.arange(first, min(first + BATCH, count))
        numbers = evaluated.problems.queries[chosen]
        queries = torch.from_numpy(np.asarray(asked.features[numbers], dtype=np.float32))
        words = None if asked.sparse is None else asked.sparse[numbers]
        plan = policy.plan(view, queries, iterations=iterations, words=words)
        planned = Planned(policy, view, evaluated.links, plan)
        inside = np.flatnonzero((steps.problems >= chosen[0]) & (steps.problems <= chosen[-1]))
        fixed[inside], any_link[inside] = _rank_batch(planned, evaluated, inside, rng)
        choose = partial(planned.click, rng=rng)
        clicks[chosen] = follow_links(choose, evaluated.links, evaluated.problems[chosen]).clicks
        reached[chosen] = reach_by_top_links(planned, evaluated, chosen)
        progress(int(chosen[-1]) + 1, count, "queries")
    ranks = LinkRanks(steps.problems, fixed, any_link)
    return link_scores(ranks, clicks, evaluated.shortest, evaluated.solvable, reached)


def _rank_batch(
    planned: Planned, evaluated: EvaluationProblems, inside: Int[np.ndarray, " s"], rng: np.random.Generator
) -> tuple[Int[np.ndarray, " s"], Int[np.ndarray, " s"]]:
    """The ranks of the fixed path's link and of the best optimal link, in the given steps of one batch."""
    problems, pages, following = (
        getattr(evaluated.steps, name)[inside] for name in ("problems", "pages", "following")
    )
    targets = evaluated.problems.targets[problems]
    fixed, any_link = np.zeros(len(inside), dtype=np.int64), np.zeros(len(inside), dtype=np.int64)
    for steps, logits, candidates in planned.tables(problems % BATCH, pages):
        optimal = optimal_links(evaluated.distances, pages[steps], targets[steps], candidates)
        fixed[steps] = rank_links(logits, candidates == following[steps, None], rng=rng)
        any_link[steps] = rank_links(logits, optimal, rng=rng)
    return fixed, any_link


def reach_by_top_links(
    planned: Planned, evaluated: EvaluationProblems, chosen: Int[np.ndarray, " b"]
) -> Bool[np.ndarray, " b"]:
    """The problems of a batch whose target is reached by a shortest path, four clicks on every page.

    Only pages on a shortest path are followed: from others the target cannot be reached in time.
    """
    rng = np.random.default_rng([TIE_SEED, int(chosen[0])])
    problems = evaluated.problems[chosen]
    rows = np.flatnonzero(evaluated.solvable[chosen])
    pages, reached = problems.starts[rows], np.zeros(len(chosen), dtype=bool)
    while len(rows):
        reached[rows[pages == problems.targets[rows]]] = True
        rows, pages = rows[~reached[rows]], pages[~reached[rows]]
        nearer = [np.zeros((2, 0), dtype=np.int64)]
        for steps, logits, candidates in planned.tables(rows, pages):
            clicked, targets = top_links(logits, rng=rng), problems.targets[rows[steps]]
            clicked &= optimal_links(evaluated.distances, pages[steps], targets, candidates)
            step, link = np.nonzero(clicked)
            nearer.append(np.stack([rows[steps][step], candidates[step, link]]))
        rows, pages = np.unique(np.concatenate(nearer, axis=1), axis=1)
    return reached
