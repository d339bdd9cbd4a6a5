import numpy as np
import pytest

from vinlab.domains.web.expert import UNREACHABLE, distances_from, distances_to, paths_from
from vinlab.domains.web.large_site import (
    LargeSiteConfig,
    PlanningSite,
    make_planning_site,
    open_large_site,
    plan_levels,
    write_large_site,
)
from vinlab.domains.web.link_graph import Links
from vinlab.experiments.web.scale.data import planning_view
from vinlab.types import InputError


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("large")
    write_large_site(
        folder,
        LargeSiteConfig(pages=3000, dimension=8, queries=50, planning_pages=400),
        rng=np.random.default_rng(0),
    )
    return open_large_site(folder)


def test_categories_link_to_what_is_in_them_and_everything_links_up(site):
    for page in (1, 17, 200, 2999):
        assert site.full.of(page)[0] == site.parents.of(page)[0]
        assert page in site.full.of(int(site.parents.of(page)[0]))
    articles = np.flatnonzero(site.levels == -1)
    assert (site.full.counts(articles) == 26).all()
    assert 115 <= len(site.index()) <= 121


def test_every_page_is_found_from_the_root_at_its_own_depth(site):
    targets = np.arange(1, site.num_pages)
    steps = paths_from(site.full, 0, targets)
    lengths = np.bincount(steps.problems, minlength=len(targets))
    assert lengths.min() >= 1
    categories = site.levels[targets] > 0
    assert (lengths[categories] == site.levels[targets][categories]).all()


def test_a_page_is_like_its_category(site):
    pages = np.flatnonzero(site.levels == -1)
    above = np.array([site.parents.of(page)[0] for page in pages])
    features = site.features.astype(np.float32)
    near = (features[pages] * features[above]).sum(axis=1).mean()
    far = (features[pages] * features[np.roll(above, 700)]).sum(axis=1).mean()
    assert near > far + 3


@pytest.mark.parametrize("pages", [5_000, 50_000, 500_000, 4_800_000])
def test_no_page_has_more_links_than_the_widest_may(pages):
    levels = plan_levels(pages)
    assert sum(level.count for level in levels) == pages
    assert max(level.fan for level in levels) <= 50


def test_too_small_is_refused(tmp_path):
    with pytest.raises(InputError, match="expected a site of 1,000 pages or more, got 10"):
        LargeSiteConfig(pages=10)
    with pytest.raises(
        InputError, match="planning_pages: expected 200 to 2000, the size of the site, got 5000"
    ):
        LargeSiteConfig(pages=2000, planning_pages=5000)
    with pytest.raises(InputError, match="expected a generated site of format 2, got none that can be read"):
        open_large_site(tmp_path)


def test_mapped_files_of_another_version_are_refused(tmp_path):
    for content, found in (('{"format": 1}', "got format 1"), ("[]", "got none that can be read")):
        (tmp_path / "site.json").write_text(content)
        with pytest.raises(InputError, match=rf"site\.json: expected a generated site of format 2, {found}"):
            open_large_site(tmp_path)


def test_distances_from_the_root_equal_the_table_on_every_shortest_path(site):
    targets = np.array([5, 130, 2500, 2999])
    found, table = distances_from(site.full, 0, targets), distances_to(site.full, targets)
    pages = np.arange(site.num_pages)
    depths = distances_to(site.full.reversed(), np.array([0])).table[0].astype(int)
    for target in targets:
        truth = table.between(pages, np.full(len(pages), target))
        on_path = depths + truth == depths[target]
        assert on_path.sum() > 1
        wanted = np.where(on_path, truth, UNREACHABLE)
        np.testing.assert_array_equal(found.between(pages, np.full(len(pages), target)), wanted)


def test_the_links_of_a_large_site_are_never_reversed(site, monkeypatch):
    monkeypatch.setattr(Links, "reversed", lambda self: pytest.fail("all links were reversed"))
    monkeypatch.setattr("vinlab.domains.web.expert.PART", 7)  # many parts
    targets = np.array([5, 130, 2500, 2999])
    found = distances_from(site.full, 0, targets)
    steps = paths_from(site.full, 0, targets)
    lengths = np.bincount(steps.problems, minlength=len(targets))
    np.testing.assert_array_equal(found.between(np.zeros(4, dtype=int), targets), lengths)


def test_the_planning_site_is_connected_and_like_the_pages_it_was_chosen_from(site):
    planning = make_planning_site(site, 400, rng=np.random.default_rng(0))
    assert len(planning.pages) == planning.links.num_pages == 400
    assert (distances_to(planning.links, np.array([0])).table < UNREACHABLE).all()
    likeness = (planning.features * site.features[planning.pages].astype(np.float32)).sum(axis=1).mean()
    assert likeness > 6  # of 8, the square of the length of a page's features
    view = planning_view(site, planning)
    np.testing.assert_array_equal(view.node_features.numpy(), planning.features)
    assert view.transition.num_nodes == 400


def test_a_planning_site_without_a_page_that_the_large_one_knows_is_refused(site):
    planning = make_planning_site(site, 300, rng=np.random.default_rng(0))
    stranger = PlanningSite(planning.features, planning.links, np.full(300, -1))
    with pytest.raises(
        InputError, match="expected a page that the large site of 3000 pages knows, got none among 300"
    ):
        planning_view(site, stranger)


ODD_ARRAYS = {
    "targets beyond the pages": ("targets", lambda array: array + 10**6, "expected 0 to"),
    "negative targets": ("targets", lambda array: -1 - array, "expected 0 to"),
    "offsets that fall": ("offsets", lambda array: array[::-1].copy(), "rise from 0"),
    "other queries": ("query_pages", lambda array: array + 10**6, "expected 0 to"),
    "features without numbers": ("features", lambda array: array * np.nan, "finite numbers"),
    "levels of another kind": ("levels", lambda array: array.astype(float), "axes of whole numbers"),
    "a short array": ("parent", lambda array: array[:-1], "got something else"),
}


@pytest.mark.parametrize("case", ODD_ARRAYS)
def test_arrays_that_do_not_fit_are_refused_before_compiled_code_reads_them(case, tmp_path):
    name, change, sentence = ODD_ARRAYS[case]
    config = LargeSiteConfig(pages=1000, links=5, dimension=4, queries=20, planning_pages=200)
    write_large_site(tmp_path, config, rng=np.random.default_rng(0))
    np.save(tmp_path / f"{name}.npy", change(np.load(tmp_path / f"{name}.npy")))
    with pytest.raises(InputError, match=sentence):
        open_large_site(tmp_path)


def test_a_site_without_one_of_its_files_is_refused(tmp_path):
    config = LargeSiteConfig(pages=1000, links=5, dimension=4, queries=20, planning_pages=200)
    write_large_site(tmp_path, config, rng=np.random.default_rng(0))
    (tmp_path / "query_features.npy").unlink()
    with pytest.raises(
        InputError, match=r"query_features\.npy: expected an array of a site, got no regular file"
    ):
        open_large_site(tmp_path)
