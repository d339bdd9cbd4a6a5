import numpy as np
import pytest

from vinlab.domains.web.link_graph import make_links
from vinlab.types import InputError


def test_links_are_sorted_once_each_and_never_to_the_page_itself():
    links = make_links(np.array([2, 0, 2, 2, 1]), np.array([1, 2, 0, 1, 1]), 3)
    assert [links.of(page).tolist() for page in range(3)] == [[2], [], [0, 1]]
    assert links.sources().tolist() == [0, 2, 2]
    assert links.padded(np.array([2, 1, 0])).tolist() == [[0, 1], [-1, -1], [2, -1]]


def test_turning_twice_changes_nothing_and_joining_adds():
    rng = np.random.default_rng(0)
    links = make_links(*rng.integers(0, 30, (2, 200)), 30)
    back = links.reversed()
    pairs = set(zip(links.sources().tolist(), links.targets.tolist(), strict=True))
    assert {(b, a) for a, b in pairs} == set(zip(back.sources().tolist(), back.targets.tolist(), strict=True))
    np.testing.assert_array_equal(back.reversed().targets, links.targets)
    assert len(links.joined(back)) == len(pairs | {(b, a) for a, b in pairs})


def test_pages_that_do_not_exist_are_refused():
    with pytest.raises(InputError, match="targets of links: expected 0 to 2, got 3 to 3"):
        make_links(np.array([0]), np.array([3]), 3)
