"""A policy on a site: how it ranks the links of known paths, and where it gets to when it clicks by itself."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Int

from vinlab.domains.web.demonstrations import make_tables
from vinlab.domains.web.expert import (
    UNREACHABLE,
    Distances,
    ExpertSteps,
    distances_to,
    optimal_links,
    shortest_paths,
)
from vinlab.domains.web.link_graph import Links
from vinlab.domains.web.problem import WebProblems
from vinlab.domains.web.site import Site
from vinlab.evaluation.link_ranking import LinkScores, all_within, best_links, ranks
from vinlab.evaluation.metrics import share
from vinlab.networks.links.modules import SiteView
from vinlab.networks.links.policies import LinkPolicy

MOST_CLICKS = 10
BATCH = 128
"""Queries that are planned for together."""


@dataclass(frozen=True)
class EvaluationProblems:
    """A set of problems with all that is needed to judge a policy on it."""

    site: Site
    links: Links
    problems: WebProblems
    distances: Distances
    steps: ExpertSteps
    solvable: Bool[np.ndarray, " B"]


def make_evaluation_problems(
    site: Site, links: Links, problems: WebProblems, distances: Distances | None = None
) -> EvaluationProblems:
    """The problems with their shortest paths; those without any path keep no step."""
    distances = distances or distances_to(links, problems.targets)
    solvable = distances.between(problems.starts, problems.targets) < UNREACHABLE
    kept = np.flatnonzero(solvable)
    steps = shortest_paths(links, problems[kept], distances)
    steps = ExpertSteps(kept[steps.problems], steps.pages, steps.following)
    return EvaluationProblems(site, links, problems, distances, steps, solvable)


@torch.no_grad()
def evaluate_links(
    policy: LinkPolicy, view: SiteView, judged: EvaluationProblems, *, seed: int = 0
) -> LinkScores:
    """The scores of the policy; equal scores of links are settled by the seed."""
    policy.eval()
    rng = np.random.default_rng(seed)
    steps, count = judged.steps, len(judged.problems)
    fixed, free = np.zeros(len(steps), dtype=np.int64), np.zeros(len(steps), dtype=np.int64)
    arrived = np.full(count, -1)
    for chosen, plan in _plans(policy, view, judged):
        inside = np.flatnonzero((steps.problems >= chosen[0]) & (steps.problems <= chosen[-1]))
        fixed[inside], free[inside] = _rank_batch(policy, view, judged, plan, inside, int(chosen[0]), rng)
        arrived[chosen] = browse(policy, view, judged.links, plan, judged.problems[chosen], rng)[1]
    shortest = judged.distances.between(judged.problems.starts, judged.problems.targets)
    return LinkScores(
        num_problems=count,
        num_unsolvable=int((~judged.solvable).sum()),
        successes=int((all_within(fixed, steps.problems, count) & judged.solvable).sum()),
        any_successes=int((all_within(free, steps.problems, count) & judged.solvable).sum()),
        top1_error=share(fixed > 0),
        top4_error=share(fixed >= 4),
        average_reward=share((arrived == shortest) & judged.solvable),
        arrival_rate=share(arrived >= 0),
    )


def _plans(
    policy: LinkPolicy, view: SiteView, judged: EvaluationProblems
) -> Iterator[tuple[np.ndarray, Any]]:
    features = judged.site.queries.features
    for start in range(0, len(judged.problems), BATCH):
        chosen = np.arange(start, min(start + BATCH, len(judged.problems)))
        queries = np.asarray(features[judged.problems.queries[chosen]], dtype=np.float32)
        yield chosen, policy.plan(view, torch.from_numpy(queries))


def _rank_batch(
    policy: LinkPolicy,
    view: SiteView,
    judged: EvaluationProblems,
    plan: Any,
    inside: Int[np.ndarray, " s"],
    first: int,
    rng: np.random.Generator,
) -> tuple[Int[np.ndarray, " s"], Int[np.ndarray, " s"]]:
    """The ranks of the fixed path's links, and of the best right link, in the given steps."""
    problems, pages, following = (
        getattr(judged.steps, name)[inside] for name in ("problems", "pages", "following")
    )
    targets = judged.problems.targets[problems]
    fixed, free = np.zeros(len(inside), dtype=np.int64), np.zeros(len(inside), dtype=np.int64)
    for steps, clicks in make_tables(judged.links, problems - first, pages):
        scores, candidates = policy.logits(view, plan, clicks).numpy(), clicks.candidates.numpy()
        right = optimal_links(judged.distances, pages[steps], targets[steps], candidates)
        fixed[steps] = ranks(scores, candidates == following[steps, None], rng=rng)
        free[steps] = ranks(scores, right, rng=rng)
    return fixed, free


@torch.no_grad()
def browse(
    policy: LinkPolicy,
    view: SiteView,
    links: Links,
    plan: Any,
    problems: WebProblems,
    rng: np.random.Generator,
    *,
    most_clicks: int = MOST_CLICKS,
) -> tuple[Int[np.ndarray, "B T"], Int[np.ndarray, " B"]]:
    """The pages visited from the start on, and after how many clicks each problem arrived, -1 where it did not."""
    trail = np.full((len(problems), most_clicks + 1), -1)
    trail[:, 0] = problems.starts
    arrived = np.where(problems.starts == problems.targets, 0, -1)
    for click in range(1, most_clicks + 1):
        pages = trail[:, click - 1]
        active = np.flatnonzero((arrived < 0) & (links.counts(np.maximum(pages, 0)) > 0) & (pages >= 0))
        trail[active, click] = click_once(policy, view, links, plan, active, pages[active], rng)
        arrived[active[trail[active, click] == problems.targets[active]]] = click
    return trail, arrived


def click_once(
    policy: LinkPolicy,
    view: SiteView,
    links: Links,
    plan: Any,
    rows: Int[np.ndarray, " S"],
    pages: Int[np.ndarray, " S"],
    rng: np.random.Generator,
) -> Int[np.ndarray, " S"]:
    """The pages that the policy goes to next."""
    following = np.zeros(len(pages), dtype=np.int64)
    for steps, clicks in make_tables(links, rows, pages):
        chosen = best_links(policy.logits(view, plan, clicks).numpy(), rng=rng)
        following[steps] = clicks.candidates.numpy()[np.arange(len(chosen)), chosen]
    return following
