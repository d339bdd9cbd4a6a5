import numpy as np
import pytest

from large_site import LargeSiteConfig, open_large_site, plan_levels, write_large_site
from vinlab.domains.web.expert import paths_from
from vinlab.types import InputError


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("large")
    write_large_site(
        folder, LargeSiteConfig(pages=3000, dimension=8, queries=50), rng=np.random.default_rng(0)
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
    with pytest.raises(InputError, match="expected a folder with a generated site"):
        open_large_site(tmp_path)
