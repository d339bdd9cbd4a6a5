import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import shortest_path

from helpers.small_site import ten_pages
from vinlab.domains.web.expert import UNREACHABLE, distances_to, optimal_links, paths_from, shortest_paths
from vinlab.domains.web.link_graph import make_links
from vinlab.domains.web.problem import WebProblems


def random_links(seed, pages=60, count=150):
    return make_links(*np.random.default_rng(seed).integers(0, pages, (2, count)), pages)


def scipy_distances(links):
    matrix = csr_matrix((np.ones(len(links)), links.targets, links.offsets), shape=(links.num_pages,) * 2)
    return shortest_path(matrix, unweighted=True)


@pytest.mark.parametrize("seed", range(5))
def test_distances_and_right_links_equal_scipys(seed):
    links = random_links(seed)
    truth = scipy_distances(links)
    found = distances_to(links, np.arange(60))
    np.testing.assert_array_equal(np.where(found.table == UNREACHABLE, np.inf, found.table), truth.T)
    starts, targets = np.nonzero(np.isfinite(truth) & (truth > 0))
    candidates = links.padded(starts)
    right = optimal_links(found, starts, targets, candidates)
    for row, (start, target) in enumerate(zip(starts, targets, strict=True)):
        wanted = {page for page in links.of(start) if 1 + truth[page, target] == truth[start, target]}
        assert set(candidates[row, right[row]]) == wanted


@pytest.mark.parametrize("seed", range(3))
def test_paths_are_shortest_and_follow_links(seed):
    links = random_links(seed)
    truth = scipy_distances(links)
    starts, targets = np.nonzero(np.isfinite(truth))
    problems = WebProblems(np.arange(len(starts)), starts, targets)
    steps = shortest_paths(links, problems, distances_to(links, targets))
    lengths = np.bincount(steps.problems, minlength=len(starts))
    np.testing.assert_array_equal(lengths, truth[starts, targets])
    assert all(after in links.of(page) for page, after in zip(steps.pages, steps.following, strict=True))


def test_the_search_tree_gives_shortest_paths_too():
    links = random_links(7)
    truth = scipy_distances(links)[0]
    targets = np.arange(60)
    steps = paths_from(links, 0, targets)
    lengths = np.bincount(steps.problems, minlength=60)
    reached = np.isfinite(truth) & (targets > 0)
    np.testing.assert_array_equal(lengths[reached], truth[reached])
    assert lengths[~np.isfinite(truth)].sum() == 0


def test_the_ten_pages_by_hand():
    site = ten_pages()
    distances = distances_to(site.full, np.array([9]))
    # From 4: up to A (1), root (0), B (2), down to 9; 5 → 4 is a detour, and 3 → 6 → 9 helps only from 3 or A.
    assert distances.table[0].tolist() == [2, 3, 1, 2, 4, 4, 1, 2, 2, 0]
    right = optimal_links(distances, np.array([1, 3]), np.array([9, 9]), site.full.padded(np.array([1, 3])))
    assert site.full.padded(np.array([1, 3]))[right].tolist() == [0, 3, 6]
