import numpy as np

from helpers.small_site import ten_pages
from vinlab.domains.web.environment import follow_links
from vinlab.domains.web.expert import distances_to, shortest_paths
from vinlab.domains.web.link_graph import make_links
from vinlab.domains.web.problem import WebProblems, start_anywhere


def test_the_experts_clicks_reach_every_target_by_a_shortest_path():
    site = ten_pages()
    problems = start_anywhere(site, np.arange(7), rng=np.random.default_rng(0))
    distances = distances_to(site.full, problems.targets)
    steps = shortest_paths(site.full, problems, distances)
    clicked = {
        (problem, page): link
        for problem, page, link in zip(steps.problems, steps.pages, steps.following, strict=True)
    }
    rollouts = follow_links(
        lambda rows, pages: np.array([clicked[key] for key in zip(rows, pages, strict=True)]),
        site.full,
        problems,
    )
    assert rollouts.clicks.tolist() == distances.between(problems.starts, problems.targets).tolist()
    assert rollouts.clicks.max() > 1


def test_an_episode_ends_at_a_dead_end_after_the_last_click_or_at_once_on_the_target():
    links = make_links(np.array([0, 1, 3]), np.array([1, 2, 4]), 6)  # 0 → 1 → 2, 3 → 4
    problems = WebProblems(np.zeros(3, np.int64), np.array([0, 3, 5]), np.array([2, 5, 5]))
    rollouts = follow_links(
        lambda rows, pages: np.array([links.of(page)[0] for page in pages]), links, problems, max_clicks=1
    )
    assert rollouts.pages.tolist() == [[0, 1], [3, 4], [5, -1]]
    assert rollouts.clicks.tolist() == [-1, -1, 0]
    longer = follow_links(
        lambda rows, pages: np.array([links.of(page)[0] for page in pages]), links, problems, max_clicks=3
    )
    assert longer.pages.tolist() == [[0, 1, 2, -1], [3, 4, -1, -1], [5, -1, -1, -1]]
    assert longer.clicks.tolist() == [2, -1, 0]
