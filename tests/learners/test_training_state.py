"""What trainings by epochs share: the best weights, checkpoints that go on, no loss that is not a number."""

import pytest
import torch
from torch import nn

from vinlab.learners.callbacks import NullLogger, Validation
from vinlab.learners.optimizers import make_optimiser, set_rate
from vinlab.learners.training_state import EpochTraining
from vinlab.types import InputError


class Memory(NullLogger):
    """Keeps the last checkpoint."""

    kept = None

    def save_checkpoint(self, tensors, state):
        self.kept = {name: tensor.clone() for name, tensor in tensors.items()}, dict(state)

    def load_checkpoint(self):
        return self.kept


def training(record=None):
    torch.manual_seed(0)
    policy = nn.Linear(2, 1)
    return EpochTraining(policy, make_optimiser("adam", policy.parameters()), record or NullLogger())


def move(one):
    """One step and one epoch further."""
    set_rate(one.optimiser, 0.1)
    one.optimiser.zero_grad()
    one.policy(torch.ones(1, 2)).sum().backward()
    one.optimiser.step()
    one.epoch += 1


def test_the_best_weights_are_kept_and_left_in_the_policy():
    one, seen = training(), []
    for score in (1.0, 3.0, 2.0):
        move(one)
        seen.append(one.policy.weight.detach().clone())
        one.keep_if_best(score)
    best = one.restore_best()
    assert (best.score, best.epoch) == (3.0, 2)
    assert torch.equal(one.policy.weight, seen[1])


def test_of_equally_good_weights_the_later_ones_are_kept():
    one = training()
    for _ in range(3):
        move(one)
        one.keep_if_best(0.0)
    assert one.best.epoch == 3


def test_a_checkpoint_goes_on_as_if_nothing_had_been():
    whole = training(Memory())
    move(whole)
    whole.keep_if_best(0.5)
    whole.save()
    parted = training(whole.record)
    parted.resume()
    assert (parted.epoch, parted.best.score, parted.best.epoch) == (1, 0.5, 1)
    for one in (whole, parted):
        move(one)  # the same step only if the optimiser's state was restored
    assert torch.equal(whole.policy.weight, parted.policy.weight)
    assert torch.equal(whole.best.weights["weight"], parted.best.weights["weight"])


def test_validation_sees_the_policy_as_it_acts():
    one = training()
    one.policy.train()
    found = one.validate_and_keep(lambda policy: Validation(float(policy.training), {}))
    assert found.score == one.best.score == 0.0


def test_a_loss_that_is_no_number_is_refused():
    with pytest.raises(InputError, match="became nan in epoch 1"):
        training().require_finite(torch.tensor(float("nan")))


ODD_STATES = {
    "epoch": [-1, True, 0.5, "x", None, 10**200, [1]],
    "best_epoch": [-2, "0", [1e308], None],
    "best_score": ["x", None, [1]],
}


@pytest.mark.parametrize(("field", "value"), [(name, one) for name, odd in ODD_STATES.items() for one in odd])
def test_an_odd_state_of_a_checkpoint_is_one_sentence(field, value):
    record = Memory()
    one = training(record)
    move(one)
    one.keep_if_best(1.0)
    one.save()
    record.kept[1][field] = value
    with pytest.raises(InputError, match="The checkpoint does not belong to this training"):
        training(record).resume()


@pytest.mark.parametrize("place", ["weights/weight", "best/weight", "optimiser/0.exp_avg"])
@pytest.mark.parametrize(
    "change", [lambda old: old.flatten()[:1], lambda old: old.double(), lambda old: None]
)
def test_odd_tensors_of_a_checkpoint_are_one_sentence(place, change):
    record = Memory()
    one = training(record)
    move(one)
    one.keep_if_best(1.0)
    one.save()
    tensors = record.kept[0]
    changed = change(tensors.pop(place))
    if changed is not None:
        tensors[place] = changed
    with pytest.raises(InputError, match="The checkpoint does not belong to this training"):
        training(record).resume()
