from functools import partial

import numpy as np

from helpers.small_site import ten_pages
from vinlab.domains.web.environment import follow_links
from vinlab.domains.web.link_graph import make_links
from vinlab.domains.web.problem import WebProblems
from vinlab.experiments.web.data import make_evaluation_problems
from vinlab.experiments.web.evaluate import Planned, evaluate_links
from vinlab.experiments.web.view import index_view, page_view
from vinlab.networks.links.policies import LinkPolicy


class HighestNumber(LinkPolicy):
    """Prefers the link with the highest number: its every click is known."""

    def __init__(self):
        super().__init__(dimension=4)

    def plan(self, site, queries, *, iterations=None, words=None):
        return None

    def raw_logits(self, site, plan, choices):
        return choices.candidates.float()


def problems():
    pairs = [(0, 4), (0, 9), (3, 9), (2, 1), (5, 9), (0, 3)]
    starts, targets = np.array(pairs).T
    return WebProblems(np.zeros(len(pairs), dtype=np.int64), starts, targets)


def test_the_scores_on_ten_pages_equal_those_computed_by_hand():
    """Ranks of the links on the fixed paths, page by page; links are ordered from the highest number down.

    0→1→4: 1 1. 0→2→9: 0 0. 3→6→9: 0 0. 2→0→1: 4 1 (but 2→9→1 is as short: 0). 5→1→0→2→9: 1 3 0 0. 0→1→3: 1 2.
    Its own clicks are 0→2→9→3→6→9…, so it reaches 9 from 0 and 3 by shortest paths and 3 from 0 by a detour.
    """
    site = ten_pages()
    evaluated = make_evaluation_problems(site, site.full, problems())
    assert evaluated.steps.following[evaluated.steps.problems == 4].tolist() == [1, 0, 2, 9]
    scores = evaluate_links(HighestNumber(), index_view(site, 1.0), evaluated)
    assert (scores.num_problems, scores.num_unsolvable) == (6, 0)
    assert (scores.successes, scores.any_successes) == (5, 6)
    assert (scores.top1_error, scores.top4_error) == (8 / 14, 1 / 14)
    assert (scores.average_reward, scores.arrival_rate) == (2 / 6, 3 / 6)
    assert scores.success_rate == 5 / 6


def test_the_papers_reward_clicks_four_links_on_every_page():
    """Page 2 links to 0, 6, 7, 8, 9: its four best are 6 to 9, so 0 is out of reach and the paths over it fail.

    All six problems are solved: 2→1 over 9, which links to 1, and 5→1→0→2→9, since 1 has four links. Without the link
    9→1 the only shortest paths are 2→0→1, 8→2→0→1→5 and 0→1→5: the first two need the fifth link of page 2.
    """
    site = ten_pages()
    evaluated = make_evaluation_problems(site, site.full, problems())
    assert evaluate_links(HighestNumber(), index_view(site, 1.0), evaluated).average_reward_top4 == 1
    pairs = set(zip(site.full.sources().tolist(), site.full.targets.tolist(), strict=True)) - {(9, 1)}
    fewer = make_links(*np.array(sorted(pairs)).T, 10)
    asked = WebProblems(np.zeros(3, np.int64), np.array([2, 8, 0]), np.array([1, 5, 5]))
    evaluated = make_evaluation_problems(site, fewer, asked)
    assert evaluate_links(HighestNumber(), index_view(site, 1.0), evaluated).average_reward_top4 == 1 / 3


def test_a_problem_without_a_path_counts_and_is_no_success():
    site = ten_pages()
    none = WebProblems(np.array([0]), np.array([3]), np.array([5]))
    links = site.full
    lonely = type(links)(
        np.where(np.arange(11) > 3, links.offsets[3], links.offsets), links.targets[: links.offsets[3]]
    )
    scores = evaluate_links(
        HighestNumber(), index_view(site, 1.0), make_evaluation_problems(site, lonely, none)
    )
    counts = (scores.num_problems, scores.num_unsolvable, scores.successes, scores.arrival_rate)
    assert counts == (1, 1, 0, 0.0)


def test_a_rollout_holds_every_page_visited():
    site = ten_pages()
    view = page_view(site, "full", 0.5)
    planned = Planned(HighestNumber(), view, site.full, None)
    choose = partial(planned.click, rng=np.random.default_rng(0))
    rollouts = follow_links(choose, site.full, problems())
    assert rollouts.pages[5, :5].tolist() == [0, 2, 9, 3, -1]
    assert rollouts.clicks.tolist() == [-1, 2, 2, -1, -1, 3]
    assert rollouts.pages[0].tolist() == [0, 2, 9, 3, 6, 9, 3, 6, 9, 3, 6]


def test_the_index_graph_and_the_nodes_that_stand_for_each_page():
    site = ten_pages()
    view = index_view(site, 1.0)
    assert view.nodes.tolist() == [0, 1, 2]
    edges = set(zip(view.transition.sources.tolist(), view.transition.targets.tolist(), strict=True))
    assert edges == {(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 0), (2, 0)}
    assert view.membership[:, 0].tolist() == [0, 1, 2, 1, 1, 1, 2, 2, 2, 2]
