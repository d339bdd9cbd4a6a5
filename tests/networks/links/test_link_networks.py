import numpy as np
import pytest
import torch

from helpers.small_site import ten_pages
from vinlab.domains.web.demonstrations import ClickLessons
from vinlab.domains.web.expert import distances_to, shortest_paths
from vinlab.domains.web.problem import start_at_root
from vinlab.experiments.web.train import one_cycle
from vinlab.experiments.web.view import index_view, page_view, view_for
from vinlab.learners.imitation import imitate
from vinlab.learners.link_imitation import LinkLoss
from vinlab.networks.links.configs import (
    IndexVinConfig,
    MemberVinConfig,
    PageVinConfig,
    ReactiveConfig,
    web_network_from_plain,
    web_network_to_plain,
)
from vinlab.types import Clicks, InputError

CONFIGS = [
    ReactiveConfig(),
    IndexVinConfig(3),
    MemberVinConfig(3),
    PageVinConfig(4),
]


@pytest.fixture(params=CONFIGS, ids=lambda config: type(config).__name__)
def config(request):
    return request.param


def lessons(site):
    problems = start_at_root(site, np.arange(7))
    distances = distances_to(site.full, problems.targets)
    return ClickLessons(site, site.full, problems, shortest_paths(site.full, problems, distances))


def make(config, site):
    torch.manual_seed(0)
    return config.build(4), view_for(config, site, "full")


def test_filler_is_never_chosen_and_each_step_reads_its_own_query(config):
    site = ten_pages()
    network, view = make(config, site)
    queries = torch.from_numpy(site.queries.features)
    two = Clicks(torch.tensor([2, 5]), torch.tensor([1, 3]), torch.tensor([[0, 3, 4, 5], [1, 6, -1, -1]]))
    network.eval()
    together = network.scores(view, network.plan(view, queries), two)
    assert torch.isinf(together[1, 2:]).all()
    second = Clicks(torch.tensor([0]), two.pages[1:], two.candidates[1:, :2])
    alone = network.scores(view, network.plan(view, queries[5:6]), second)
    torch.testing.assert_close(together[1, :2], alone[0])


def test_every_weight_moves_after_one_update(config):
    site = ten_pages()
    network, view = make(config, site)
    before = {name: weight.clone() for name, weight in network.named_parameters()}
    taught = lessons(site)
    imitate(network, taught, one_cycle(1, 1e-2, 7), seed=0, loss=lambda policy: LinkLoss(policy, view))
    assert [name for name, weight in network.named_parameters() if weight.equal(before[name])] == []


def test_it_learns_a_site_of_ten_pages_by_heart(config):
    site = ten_pages()
    network, view = make(config, site)
    taught, loss = lessons(site), LinkLoss(network, view)
    batch = taught[torch.arange(7)]
    network.eval()
    before = float(loss(batch).detach())
    imitate(network, taught, one_cycle(60, 3e-2, 7), seed=0, loss=lambda policy: LinkLoss(policy, view))
    network.eval()
    assert float(loss(batch).detach()) < 0.5 * before


def test_features_of_another_dimension_are_refused(config):
    network, _ = make(config, ten_pages())
    other = view_for(config, ten_pages(dimension=6), "full")
    with pytest.raises(InputError, match="features have 6 numbers, but the weights want 4"):
        network.plan(other, torch.zeros(1, 6))


def test_settings_survive_a_manifest(config):
    assert web_network_from_plain(web_network_to_plain(config)) == config


def test_unknown_settings_are_refused():
    with pytest.raises(InputError, match="kind of web network must be one of"):
        web_network_from_plain({"kind": "oracle"})
    with pytest.raises(InputError, match="do not fit a page-vin"):
        web_network_from_plain({"kind": "page-vin", "depth": 3})


def test_a_plan_that_learns_alone_teaches_the_network_that_it_belongs_to():
    site = ten_pages()
    network, view = make(MemberVinConfig(3), site)
    before = {name: weight.clone() for name, weight in network.named_parameters()}
    alone = network.without_reactive_part()
    imitate(alone, lessons(site), one_cycle(1, 1e-2, 7), seed=0, loss=lambda policy: LinkLoss(policy, view))
    moved = {
        name.split(".")[0] for name, weight in network.named_parameters() if not weight.equal(before[name])
    }
    assert moved == {"reward", "attention"}


def test_a_page_plan_points_to_the_page_with_the_reward():
    """With a sharp reward the scores of links fall with the distance to the page that is wanted."""
    site = ten_pages()
    network, view = make(PageVinConfig(7), site)
    value = network.planner.values(
        torch.nn.functional.one_hot(torch.tensor([9]), 10).float(), view.transition
    )
    distances = distances_to(site.full, np.array([9])).table[0]
    # Around the target the plan may pass it again within K backups; first arrivals still order the pages.
    order = np.argsort(-value[0].numpy(), kind="stable")
    assert (np.diff(distances[order].astype(int)) >= 0).all()


def test_lessons_hold_every_step_once():
    site = ten_pages()
    taught = lessons(site)
    batch = taught[torch.tensor([6, 2, 4])]
    assert sum(len(clicks.rows) for clicks, _ in batch.lessons) == int(taught.weights[[6, 2, 4]].sum())
    assert all(right.sum(dim=1).eq(1).all() for _, right in batch.lessons)
    torch.testing.assert_close(batch.queries, torch.from_numpy(site.queries.features[[6, 2, 4]]))


def test_only_the_rows_of_a_batch_are_read_and_half_precision_will_do():
    site = ten_pages()
    half = type(site)(**{**vars(site), "features": site.features.astype(np.float16)})
    for make_view in (lambda s: index_view(s, 1.0), lambda s: page_view(s, "full", 0.5)):
        assert make_view(half).read(torch.tensor([[1, -1]])).dtype == torch.float32
        torch.testing.assert_close(
            make_view(half).read(torch.tensor([3])),
            make_view(site).read(torch.tensor([3])),
            atol=1e-2,
            rtol=1e-2,
        )
