import numpy as np
import pytest

from vinlab.domains.web.site import build_site
from vinlab.domains.web.site_files import open_site, write_site
from vinlab.domains.web.synthetic import EncyclopediaConfig, make_encyclopedia
from vinlab.types import InputError


def test_a_site_comes_back_from_disk_as_it_was(tmp_path):
    small = EncyclopediaConfig(branches=(3, 2), articles=40, sentences=16, dimension=8)
    site, embedding = build_site(
        make_encyclopedia(small, rng=np.random.default_rng(0)), rng=np.random.default_rng(1)
    )
    write_site(tmp_path / "site", site, embedding)
    again, words = open_site(tmp_path / "site")
    np.testing.assert_array_equal(again.features, site.features)
    np.testing.assert_array_equal(again.full.targets, site.full.targets)
    assert again.titles == list(site.titles)
    assert again.queries.texts == list(site.queries.texts)
    np.testing.assert_array_equal(words.embed(site.queries.texts[0]), embedding.embed(site.queries.texts[0]))
    with pytest.raises(InputError, match="expected a new folder for the site"):
        write_site(tmp_path / "site", site, embedding)
    (tmp_path / "site" / "levels.npy").unlink()
    with pytest.raises(InputError, match=r"levels\.npy: expected an array of a site"):
        open_site(tmp_path / "site")
