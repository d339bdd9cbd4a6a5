import numpy as np
import pytest

from vinlab.cli.browse import browse, percent
from vinlab.experiments.base import TrainingRequest
from vinlab.experiments.runner import train
from vinlab.experiments.web import EXPERIMENT
from vinlab.experiments.web.browse import browser_of
from vinlab.experiments.web.figures import path_figure
from vinlab.models import load
from vinlab.types import InputError


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")

    def run(network):
        id = f"web/tree/{network}"
        request = TrainingRequest(id=id, out=folder / network, budget="smoke", recipe="paper")
        return train(EXPERIMENT, request).folder

    return {network: run(network) for network in ("baseline", "pages")}


@pytest.fixture(scope="module")
def browser(runs):
    return browser_of(load(runs["pages"]), None)


def test_a_typed_query_is_followed_page_by_page(browser):
    path = browser.follow(browser.site.queries.texts[3])
    assert path.pages[0] == 0
    assert path.found == path.pages[-1]
    links = browser.site.tree
    assert all(after in links.of(page) for page, after in zip(path.pages[:-1], path.pages[1:], strict=True))
    assert [best[0][0] for best in path.links] == path.pages[1:]
    assert all(0 <= share <= 1 for best in path.links for _, share in best)
    assert len(set(path.pages)) == len(path.pages)


def test_pages_are_found_by_title(browser):
    assert browser.page_named(browser.site.titles[5].upper()) == 5
    with pytest.raises(InputError, match="There is no page 'Nowhere'"):
        browser.page_named("Nowhere")


def test_the_plan_is_drawn_with_the_clicked_pages_named(browser, runs):
    path = browser.follow(browser.site.queries.texts[3])
    texts = {text.get_text() for axes in path_figure(browser, path).axes for text in axes.texts}
    for number, page in enumerate(path.pages):
        assert f"{number}  {browser.site.titles[page]}" in texts
    reactive = browser_of(load(runs["baseline"]), None)
    with pytest.raises(InputError, match="expected a VIN, got the baseline"):
        path_figure(reactive, reactive.follow("x " + browser.site.queries.texts[3]))


def test_the_command_prints_every_click_and_draws_the_plan(browser, runs, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    query, start = browser.site.queries.texts[3], browser.site.titles[20]
    browse(query, model=runs["pages"], start=start, clicks=6, out=tmp_path / "plan.png")
    said = capsys.readouterr().out
    path = browser.follow(query, start=20, max_clicks=6)
    assert all(browser.site.titles[page] in said for page in path.pages)
    assert f"after {len(path.pages) - 1} clicks" in said
    assert (tmp_path / "plan.png").exists()


def test_shares_are_whole_per_cent():
    assert (percent(0.004), percent(0.005), percent(0.666), percent(1.0)) == ("<1%", "0%", "67%", "100%")


def test_vectors_of_another_dimension_than_the_weights_are_refused(runs, tmp_path):
    from vinlab.domains.web.site import build_site
    from vinlab.domains.web.site_files import write_site
    from vinlab.domains.web.synthetic import EncyclopediaConfig, make_encyclopedia

    other = EncyclopediaConfig(branches=(3, 2), articles=40, sentences=16, dimension=8)
    corpus = make_encyclopedia(other, rng=np.random.default_rng(0))
    write_site(tmp_path / "site", *build_site(corpus, rng=np.random.default_rng(0)))
    for network in ("pages", "baseline"):
        with pytest.raises(InputError, match=r"expected a site with 50 features a page.*, got 8"):
            browser_of(load(runs[network]), tmp_path / "site")


def test_a_run_of_another_experiment_and_a_folder_without_a_corpus_are_refused(runs, tmp_path):
    with pytest.raises(InputError, match=r"got one without articles\.tsv"):
        browser_of(load(runs["pages"]), tmp_path)
    with pytest.raises(InputError, match="There is no model or run 'nowhere'"):
        browser_of(load("nowhere"), None)
    with pytest.raises(InputError, match="expected a model of web navigation"):
        browser_of(load("gridworld/8/vin"), None)
