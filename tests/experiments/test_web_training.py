from pathlib import Path

import numpy as np
import pytest

from vinlab.experiments.base import TrainingRequest, paper_numbers
from vinlab.experiments.web import WEB, table
from vinlab.experiments.web.browse import open_browser
from vinlab.experiments.web.data import load_site, make_sets
from vinlab.experiments.web.figures import trail_figure
from vinlab.learners.callbacks import no_progress
from vinlab.types import InputError

TRAINED = ("baseline", "vin-staged", "members", "pages", "pages-k0")


def run(folder, network="pages", seed=0, recipe="paper", graph="tree"):
    id = f"web/{graph}/{network}"
    request = TrainingRequest(
        id=id, out=folder / network / str(seed), budget="smoke", recipe=recipe, seed=seed
    )
    return WEB.train(request, no_progress)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    return {network: run(folder, network) for network in TRAINED}


def test_every_network_trains_and_is_judged_from_both_starts(runs):
    for recorded in runs.values():
        scores = recorded.result["scores"]
        assert scores["root"]["num_problems"] == 30
        assert scores["random"]["num_problems"] == 40
        assert recorded.manifest.config["data"]["source"] == "synthetic"


def test_planning_on_pages_finds_what_the_baseline_does_not_even_after_seconds(runs):
    successes = {name: one.result["scores"]["random"]["successes"] for name, one in runs.items()}
    assert successes["pages"] >= 3 * successes["baseline"]
    assert successes["pages"] > successes["pages-k0"]


def test_same_seed_same_run(runs, tmp_path):
    for network in ("members",):
        assert run(tmp_path, network).result["scores"] == runs[network].result["scores"]


def test_manifests_say_what_was_learned_first(runs):
    assert runs["vin-staged"].manifest.config["first"]["part"] == "reward"
    assert runs["members"].manifest.config["first"]["part"] == "plan"
    assert runs["pages"].manifest.config["first"] is None


def test_no_page_of_one_part_is_seen_in_another():
    config = WEB.setting("web/full/pages").configure("smoke", "default")
    site, _ = load_site(config.data, None)
    sets = make_sets(site, config.data, seed=0)
    seen = set(sets.lessons.problems.targets)
    chosen = set(sets.validation_root.problems.targets) | set(sets.validation_random.problems.targets)
    judged = set(sets.test_root.problems.targets) | set(sets.test_random.problems.targets)
    assert not seen & chosen
    assert not seen & judged
    assert not chosen & judged
    assert (sets.lessons.problems.starts != 0).any()


def test_the_table_has_a_line_for_each_network_and_the_papers_numbers(runs):
    text = table(list(runs.values()))
    for network in TRAINED:
        assert f"\n| {network} " in text
    assert "304 of 4,000" in text
    assert paper_numbers("web")["web/full/vin"] == {"root_successes": 1030, "random_successes": 346}


def test_a_typed_query_is_followed_page_by_page(runs):
    browser = open_browser(runs["pages"].folder, None)
    query = browser.site.queries.texts[3]
    trail = browser.follow(query)
    assert trail.pages[0] == 0
    links = browser.site.tree
    assert all(after in links.of(page) for page, after in zip(trail.pages[:-1], trail.pages[1:], strict=True))
    assert all(0 <= share <= 1 for click in trail.clicks for _, share in click.links)
    assert len(set(trail.pages)) == len(trail.pages)
    assert browser.page_named(browser.site.titles[5].upper()) == 5
    with pytest.raises(InputError, match="There is no page 'Nowhere'"):
        browser.page_named("Nowhere")


def test_the_plan_is_drawn_with_the_clicked_pages_named(runs):
    browser = open_browser(runs["pages"].folder, None)
    trail = browser.follow(browser.site.queries.texts[3])
    texts = {text.get_text() for axes in trail_figure(browser, trail).axes for text in axes.texts}
    for number, page in enumerate(trail.pages):
        assert f"{number}  {browser.site.titles[page]}" in texts
    reactive = open_browser(runs["baseline"].folder, None)
    with pytest.raises(InputError, match="baseline makes no plan"):
        trail_figure(reactive, reactive.follow("x " + browser.site.queries.texts[3]))


def test_vectors_of_another_dimension_than_the_weights_are_refused(runs, tmp_path):
    from vinlab.domains.web.site import build_site
    from vinlab.domains.web.site_files import write_site
    from vinlab.domains.web.synthetic import EncyclopediaConfig, make_encyclopedia

    other = EncyclopediaConfig(branches=(3, 2), articles=40, sentences=16, dimension=8)
    corpus = make_encyclopedia(other, rng=np.random.default_rng(0))
    write_site(tmp_path / "site", *build_site(corpus, rng=np.random.default_rng(0)))
    for network in ("pages", "baseline"):
        with pytest.raises(InputError, match="features have 8 numbers, but the weights want 50"):
            open_browser(runs[network].folder, tmp_path / "site")


def test_a_run_of_something_else_and_a_folder_that_is_no_corpus_are_refused(runs, tmp_path):
    with pytest.raises(InputError, match=r"lacks articles\.tsv"):
        open_browser(runs["pages"].folder, tmp_path)
    with pytest.raises(InputError, match="There is no folder"):
        open_browser(Path("nowhere"), None)


def test_ids_and_budgets_all_have_a_configuration():
    for setting in WEB.settings.values():
        for budget in ("smoke", "small", "paper"):
            for recipe in ("default", "paper"):
                assert setting.configure(budget, recipe).data.starts.startswith("root")
