import numpy as np
import pytest
import torch

from vinlab.domains.gridworld.expert import demonstrate_everywhere
from vinlab.domains.gridworld.problem import GridworldConfig, sample_problems
from vinlab.learners.datasets import MixedDemonstrations, MixtureLoss, TaskSet
from vinlab.learners.imitation import ImitationConfig, ImitationLoss, imitate
from vinlab.learners.optimizers import Stage
from vinlab.networks.grid.configs import VinConfig


def task_set(size: int, maps: int, iterations: int) -> TaskSet:
    problems = sample_problems(GridworldConfig(size=size), maps, rng=np.random.default_rng(size))
    return TaskSet(demonstrate_everywhere(problems), iterations)


@pytest.fixture(scope="module")
def tasks():
    return [task_set(8, 5, 4), task_set(10, 3, 6), task_set(9, 4, 5)]


def test_a_choice_gives_the_chosen_problems_of_each_set(tasks):
    mixed = MixedDemonstrations(tasks)
    assert len(mixed) == 12
    chosen = mixed[torch.tensor([11, 2, 0, 8])]
    assert [one.iterations for one in chosen] == [4, 5]
    first, last = (one.demonstrations.observations for one in chosen)
    assert torch.equal(first, tasks[0].demonstrations.observations[torch.tensor([2, 0])])
    assert torch.equal(last, tasks[2].demonstrations.observations[torch.tensor([3, 0])])


def test_the_weights_count_the_states_of_each_problem(tasks):
    weights = MixedDemonstrations(tasks).weights
    assert weights.tolist() == [float(n) for one in tasks for n in one.demonstrations.weights.sum(dim=1)]


def test_the_loss_is_the_sum_over_the_sets_each_with_its_own_k(tasks):
    torch.manual_seed(0)
    network = VinConfig(iterations=2, hidden=4).build()
    loss = MixtureLoss(network)(tasks)
    expected = 0.0
    for one in tasks:
        network.planner.iterations = one.iterations
        expected += ImitationLoss(network)(one.demonstrations)
    torch.testing.assert_close(loss, expected)


def test_the_loss_without_problems_is_zero(tasks):
    network = VinConfig(iterations=2, hidden=4).build()
    loss = MixtureLoss(network)(MixedDemonstrations(tasks)[torch.zeros(0, dtype=torch.long)])
    loss.backward()
    assert loss.item() == 0


def test_a_policy_learns_from_maps_of_several_sizes(tasks):
    torch.manual_seed(0)
    network = VinConfig(iterations=4, hidden=8).build()
    mixed = MixedDemonstrations(tasks)
    everything = mixed[torch.arange(len(mixed))]
    before = MixtureLoss(network)(everything).item()
    config = ImitationConfig(stages=(Stage(6, 1e-2),), batch_problems=4)
    imitate(network, mixed, config, seed=0, loss=MixtureLoss)
    assert MixtureLoss(network)(everything).item() < 0.7 * before
