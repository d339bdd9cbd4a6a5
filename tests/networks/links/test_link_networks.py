import numpy as np
import pytest
import torch

from helpers.small_site import ten_pages
from vinlab.domains.web.demonstrations import ClickDemonstrations
from vinlab.domains.web.expert import distances_to, shortest_paths
from vinlab.domains.web.problem import start_at_root
from vinlab.experiments.web.view import index_view, page_view, view_for
from vinlab.learners.imitation import imitate, one_cycle
from vinlab.learners.losses import LinkLoss
from vinlab.networks.configs import network_config
from vinlab.networks.links.configs import (
    IndexVinConfig,
    MemberVinConfig,
    PageVinConfig,
    ReactiveConfig,
    SoftmaxVinConfig,
)
from vinlab.networks.links.modules import DiagonalBilinear, SoftmaxAttention
from vinlab.recording.serialization import to_plain
from vinlab.types import InputError, LinkChoices

CONFIGS = [
    ReactiveConfig(dimension=4),
    IndexVinConfig(3, dimension=4),
    MemberVinConfig(3, dimension=4),
    SoftmaxVinConfig(3, dimension=4),
    PageVinConfig(4, dimension=4),
]


@pytest.fixture(params=CONFIGS, ids=lambda config: type(config).__name__)
def config(request):
    return request.param


def demonstrations(site):
    problems = start_at_root(site, np.arange(7))
    distances = distances_to(site.full, problems.targets)
    return ClickDemonstrations(site, site.full, problems, shortest_paths(site.full, problems, distances))


def make(config, site):
    torch.manual_seed(0)
    return config.build(), view_for(config, site, "full")


def test_padding_is_never_chosen_and_each_step_reads_its_own_query(config):
    site = ten_pages()
    network, view = make(config, site)
    queries = torch.from_numpy(site.queries.features)
    two = LinkChoices(
        torch.tensor([2, 5]), torch.tensor([1, 3]), torch.tensor([[0, 3, 4, 5], [1, 6, -1, -1]])
    )
    network.eval()
    together = network.logits(view, network.plan(view, queries), two)
    assert torch.isinf(together[1, 2:]).all()
    second = LinkChoices(torch.tensor([0]), two.pages[1:], two.candidates[1:, :2])
    alone = network.logits(view, network.plan(view, queries[5:6]), second)
    torch.testing.assert_close(together[1, :2], alone[0])


def test_every_weight_moves_after_one_update(config):
    site = ten_pages()
    network, view = make(config, site)
    before = {name: weight.clone() for name, weight in network.named_parameters()}
    shown = demonstrations(site)
    imitate(network, shown, one_cycle(1, 1e-2, batch=7), seed=0, loss=lambda policy: LinkLoss(policy, view))
    assert [name for name, weight in network.named_parameters() if weight.equal(before[name])] == []


def test_it_fits_a_site_of_ten_pages(config):
    site = ten_pages()
    network, view = make(config, site)
    shown, loss = demonstrations(site), LinkLoss(network, view)
    batch = shown[torch.arange(7)]
    network.eval()
    before = float(loss(batch).detach())
    imitate(network, shown, one_cycle(60, 3e-2, batch=7), seed=0, loss=lambda policy: LinkLoss(policy, view))
    network.eval()
    assert float(loss(batch).detach()) < 0.5 * before


def test_features_of_another_dimension_are_refused(config):
    network, _ = make(config, ten_pages())
    other = view_for(config, ten_pages(dimension=6), "full")
    with pytest.raises(
        InputError, match="expected a site with 4 features a page, as the weights have, got 6"
    ):
        network.plan(other, torch.zeros(1, 6))


def test_settings_survive_a_manifest(config):
    assert network_config(to_plain(config)) == config


def test_unknown_settings_are_refused():
    with pytest.raises(InputError, match=r"expected the fields of PageVinConfig .*, got depth"):
        network_config({"kind": "page-vin", "depth": 3})


def test_settings_without_a_dimension_take_that_of_the_weights(config):
    weights = config.build().state_dict()
    plain = {name: entry for name, entry in to_plain(config).items() if name != "dimension"}
    assert network_config(plain).for_weights(weights) == config


def test_a_plan_takes_the_iterations_that_are_asked_for():
    site = ten_pages()
    network, view = make(PageVinConfig(4, dimension=4), site)
    queries = torch.from_numpy(site.queries.features)
    short = network.plan(view, queries, iterations=1)
    torch.testing.assert_close(short.value, short.reward)
    assert not torch.equal(network.plan(view, queries).value, short.value)
    assert (network.iterations, ReactiveConfig().build().iterations) == (4, None)


def test_training_the_plan_alone_changes_the_network_that_it_belongs_to():
    site = ten_pages()
    network, view = make(MemberVinConfig(3, dimension=4), site)
    before = {name: weight.clone() for name, weight in network.named_parameters()}
    alone = network.without_reactive_part()
    imitate(
        alone,
        demonstrations(site),
        one_cycle(1, 1e-2, batch=7),
        seed=0,
        loss=lambda policy: LinkLoss(policy, view),
    )
    moved = {
        name.split(".")[0] for name, weight in network.named_parameters() if not weight.equal(before[name])
    }
    assert moved == {"reward", "attention"}


@pytest.mark.parametrize("many_times", [0, 10**6])
def test_softmax_attention_is_a_mean_of_values_however_often_pages_occur(many_times, monkeypatch):
    monkeypatch.setattr("vinlab.networks.links.modules.MANY_TIMES", many_times)
    view = page_view(ten_pages(), "full", 1.0)
    attention = SoftmaxAttention(DiagonalBilinear(4, initial=0.7), scale=3.0)
    value = torch.arange(20.0).reshape(2, 10)
    choices = LinkChoices(torch.tensor([1, 0]), torch.tensor([1, 3]), torch.tensor([[0, 3, 4], [1, 6, 9]]))
    read = attention(view, value, choices)
    for step, (row, candidates) in enumerate(((1, (0, 3, 4)), (0, (1, 6, 9)))):
        for place, page in enumerate(candidates):
            weights = torch.softmax(0.7 * view.features[page] @ view.features.T, dim=0)
            torch.testing.assert_close(read[step, place], 3.0 * (weights @ value[row]))
    constant = attention(view, torch.full((2, 10), 5.0), choices)
    torch.testing.assert_close(constant, torch.full((2, 3), 15.0))


def test_a_page_plan_points_to_the_page_with_the_reward():
    """With a sharp reward the scores of links fall with the distance to the target."""
    site = ten_pages()
    network, view = make(PageVinConfig(7, dimension=4), site)
    value = network.planner.values(
        torch.nn.functional.one_hot(torch.tensor([9]), 10).float(), view.transition
    )
    distances = distances_to(site.full, np.array([9])).table[0]
    # Around the target the plan may pass it again within K backups; first visits still order the pages.
    order = np.argsort(-value[0].numpy(), kind="stable")
    assert (np.diff(distances[order].astype(int)) >= 0).all()


def test_a_batch_holds_every_step_once():
    site = ten_pages()
    shown = demonstrations(site)
    batch = shown[torch.tensor([6, 2, 4])]
    assert sum(len(clicks.rows) for clicks, _ in batch.steps) == int(shown.weights[[6, 2, 4]].sum())
    assert all(right.sum(dim=1).eq(1).all() for _, right in batch.steps)
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
