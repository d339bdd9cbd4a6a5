import numpy as np
import pytest
import torch
import torch.nn.functional as functional
from torch import nn

from vinlab.learners.callbacks import Validation
from vinlab.learners.imitation import ImitationConfig, imitate, set_nll
from vinlab.learners.optimizers import Stage, TheanoRmsProp
from vinlab.networks.grid.configs import AuthorsVinConfig, HierarchicalVinConfig, UntiedVinConfig, VinConfig
from vinlab.networks.grid.cost_vin import HierarchicalCostVinConfig
from vinlab.types import Demonstrations, InputError


class Table(nn.Module):
    """A policy whose answer is known at once: the move that an observation's only channel names."""

    def __init__(self):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(3, 3))

    def forward(self, observations, states):
        named = observations[:, 0, 0, 0].long()
        return self.logits[named][:, None].expand(-1, states.shape[1], -1), None


def named_moves(count=30):
    named = torch.arange(count) % 3
    return Demonstrations(
        observations=named.float().view(-1, 1, 1, 1),
        states=torch.zeros(count, 2, 2, dtype=torch.int64),
        moves=functional.one_hot(named, 3).bool()[:, None].expand(-1, 2, -1),
        weights=torch.ones(count, 2),
    )


def quick(epochs=5, **changes):
    return ImitationConfig(stages=(Stage(epochs, 0.1, "one-cycle"),), batch_problems=8, **changes)


class Kept:
    """A record that keeps what it is given."""

    def __init__(self):
        self.lines, self.checkpoints = [], []

    def log(self, metrics):
        self.lines.append(dict(metrics))

    def save_checkpoint(self, tensors, state):
        self.checkpoints.append(({n: t.clone() for n, t in tensors.items()}, dict(state)))

    def load_checkpoint(self):
        return self.checkpoints[-1] if self.checkpoints else None


def test_it_learns_a_world_whose_answer_is_known():
    policy = Table()
    imitate(policy, named_moves(), quick(20), seed=0)
    assert torch.equal(policy.logits.argmax(dim=1), torch.arange(3))
    assert float(policy.logits.detach().softmax(dim=1).diagonal().min()) > 0.8


def test_one_right_move_costs_its_cross_entropy():
    torch.manual_seed(0)
    logits, label = torch.randn(4, 5, 8), torch.randint(8, (4, 5))
    expected = functional.cross_entropy(logits.flatten(0, 1), label.flatten(), reduction="none").view(4, 5)
    torch.testing.assert_close(set_nll(logits, functional.one_hot(label, 8).bool()), expected)


def test_several_right_moves_cost_the_surprise_that_any_of_them_is_made():
    logits = torch.tensor([[[1.0, 2.0, 0.5]]])
    either = set_nll(logits, torch.tensor([[[True, False, True]]]))
    probability = logits.softmax(dim=-1)[0, 0]
    torch.testing.assert_close(either[0, 0], -torch.log(probability[0] + probability[2]))


def test_a_state_without_a_right_move_costs_nothing_and_pulls_nowhere():
    logits = torch.randn(1, 1, 4, requires_grad=True)
    cost = set_nll(logits, torch.zeros(1, 1, 4, dtype=torch.bool))
    cost.sum().backward()
    assert float(cost.detach()) == 0
    assert torch.equal(logits.grad, torch.zeros(1, 1, 4))


def test_huge_logits_stay_finite():
    cost = set_nll(torch.tensor([[[1e4, -1e4]]]), torch.tensor([[[False, True]]]))
    assert float(cost) == pytest.approx(2e4)


@pytest.mark.parametrize(
    "config",
    [
        VinConfig(iterations=3, hidden=5),
        AuthorsVinConfig(iterations=3, hidden=5),
        UntiedVinConfig(iterations=3, hidden=5),
        HierarchicalVinConfig(iterations=(2, 3), hidden=5),
        HierarchicalCostVinConfig(iterations=(2, 3), hidden=5, move_logit=3.0),
    ],
    ids=lambda config: type(config).__name__,
)
@pytest.mark.parametrize("optimiser", ["adam", "rmsprop"])
def test_every_parameter_moves_after_one_update(config, optimiser):
    torch.manual_seed(0)
    policy = config.build()
    before = {name: weight.detach().clone() for name, weight in policy.named_parameters()}
    demonstrations = Demonstrations(
        observations=torch.rand(4, 2, 6, 6),
        states=torch.randint(6, (4, 9, 2)),
        moves=functional.one_hot(torch.randint(8, (4, 9)), 8).bool(),
        weights=torch.ones(4, 9),
    )
    imitate(policy, demonstrations, quick(1, optimiser=optimiser), seed=0)
    stood_still = [name for name, weight in policy.named_parameters() if torch.equal(weight, before[name])]
    assert stood_still == []


def test_the_same_seed_gives_the_same_weights_and_another_does_not():
    weights = []
    for seed in (0, 0, 1):
        policy = Table()
        imitate(policy, named_moves(), quick(2), seed=seed)
        weights.append(policy.logits.detach())
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


def test_a_run_taken_up_from_any_checkpoint_ends_with_the_same_weights():
    whole, kept = Table(), Kept()
    config = ImitationConfig(stages=(Stage(2, 0.1), Stage(3, 0.05, "one-cycle")), batch_problems=8)
    imitate(whole, named_moves(), config, seed=0, record=kept)
    for done in range(5):
        half, rest = Table(), Kept()
        rest.checkpoints = kept.checkpoints[: done + 1]
        imitate(half, named_moves(), config, seed=0, record=rest)
        assert torch.equal(half.logits, whole.logits)
        assert len(rest.lines) == 4 - done


def test_the_best_weights_by_validation_are_kept():
    policy, seen = Table(), []

    def validate(policy):
        seen.append(policy.logits.detach().clone())
        return Validation(score=[0.1, 0.9, 0.3][len(seen) - 1], metrics={"success": 0.0})

    best = imitate(policy, named_moves(), quick(3), seed=0, validate=validate)
    assert best.epoch == 1
    assert torch.equal(policy.logits, seen[1])


def test_states_of_weight_zero_do_not_count():
    plain, padded = Table(), Table()
    data = named_moves()
    wrong = functional.one_hot(torch.zeros(30, 3, dtype=torch.int64), 3).bool()
    filler = Demonstrations(
        observations=data.observations,
        states=torch.zeros(30, 5, 2, dtype=torch.int64),
        moves=torch.cat([data.moves, wrong], dim=1),
        weights=torch.cat([data.weights, torch.zeros(30, 3)], dim=1),
    )
    imitate(plain, data, quick(2), seed=0)
    imitate(padded, filler, quick(2), seed=0)
    torch.testing.assert_close(plain.logits, padded.logits)


def test_rmsprop_steps_as_the_authors_code_does():
    weight = nn.Parameter(torch.tensor([2.0]))
    optimiser = TheanoRmsProp([weight], lr=0.1)
    square, expected = 0.0, 2.0
    for gradient in (0.3, -0.2, 0.5):
        weight.grad = torch.tensor([gradient])
        optimiser.step()
        square = 0.9 * square + 0.1 * gradient**2
        expected -= 0.1 * gradient / (square + 1e-6) ** 0.5
    assert float(weight.detach()) == pytest.approx(expected, rel=1e-6)


def test_a_falling_rate_starts_at_its_highest():
    stage = Stage(10, 0.5, "cosine")
    rates = [stage.rate_at(step / 100) for step in range(101)]
    assert rates[0] == 0.5
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] == pytest.approx(0.0005)


def test_the_order_of_an_epoch_can_be_given_and_the_last_weights_kept():
    read, policy = [], Table()

    class Noted:
        weights = named_moves().weights

        def __len__(self):
            return 30

        def __getitem__(self, chosen):
            read.append(chosen.tolist())
            return named_moves()[chosen]

    scores = iter([3.0, 1.0])

    def validate(policy):
        return Validation(next(scores), {})

    best = imitate(
        policy,
        Noted(),
        ImitationConfig(stages=(Stage(2, 0.1),), batch_problems=4, keep="last"),
        seed=0,
        order=lambda epoch: np.arange(8) + epoch,
        validate=validate,
    )
    assert read == [[0, 1, 2, 3], [4, 5, 6, 7], [1, 2, 3, 4], [5, 6, 7, 8]]
    assert (best.epoch, best.score) == (1, 1.0)


def test_a_cycle_rises_to_its_rate_and_falls_to_almost_nothing():
    stage = Stage(10, 0.5, "one-cycle")
    rates = [stage.rate_at(step / 1000) for step in range(1001)]
    assert max(rates) == pytest.approx(0.5)
    assert rates[0] == pytest.approx(0.02)
    assert rates[-1] == pytest.approx(0.0005)


def test_a_loss_that_is_not_finite_stops_with_a_sentence():
    policy = Table()
    with torch.no_grad():
        policy.logits[0, 0] = float("nan")
    with pytest.raises(InputError, match="the loss became nan in epoch 1"):
        imitate(policy, named_moves(), quick(1), seed=0)


def test_empty_demonstrations_are_refused():
    with pytest.raises(InputError, match="at least one problem"):
        imitate(Table(), named_moves(0), quick(1), seed=0)


class Watched(Table):
    """Notes the observations that it is shown in training."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def forward(self, observations, states):
        if self.training:
            self.seen.append(observations.flatten().tolist())
        return super().forward(observations, states)


def test_every_epoch_has_every_problem_once_in_an_order_of_its_own():
    policy = Watched()
    demonstrations = named_moves(24)
    demonstrations.observations[:, 0, 0, 0] = torch.arange(24) % 3 + torch.arange(24) / 100
    imitate(policy, demonstrations, quick(3), seed=0)
    epochs = [[x for batch in policy.seen[first : first + 3] for x in batch] for first in (0, 3, 6)]
    assert all(sorted(epoch) == sorted(epochs[0]) for epoch in epochs)
    assert len({tuple(epoch) for epoch in epochs}) == 3


def test_the_loss_and_the_step_are_means_over_states_not_over_problems():
    def step(states):
        policy, record = Table(), Kept()
        demonstrations = Demonstrations(
            observations=torch.zeros(8, 1, 1, 1),
            states=torch.zeros(8, states, 2, dtype=torch.int64),
            moves=functional.one_hot(torch.zeros(8, states, dtype=torch.int64), 3).bool(),
            weights=torch.ones(8, states),
        )
        imitate(policy, demonstrations, quick(1, clip=None), seed=0, record=record)
        return policy.logits.grad, record.lines[0]["loss"]  # of the one update

    few, many = step(1), step(6)
    torch.testing.assert_close(few[0], many[0])
    assert few[1] == pytest.approx(torch.tensor(3.0).log().item(), abs=1e-5)
    assert many[1] == pytest.approx(few[1], abs=1e-5)
