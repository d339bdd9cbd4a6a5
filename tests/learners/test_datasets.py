import numpy as np
import pytest
import torch

from vinlab.domains.gridworld.expert import demonstrate_everywhere
from vinlab.domains.gridworld.problem import GridworldConfig, sample_problems
from vinlab.learners.datasets import MixedDemonstrations, MixtureLoss, TaskSet
from vinlab.learners.imitation import ImitationConfig, ImitationLoss, imitate
from vinlab.learners.optimizers import Stage
from vinlab.networks.grid.configs import VinConfig


def course(size: int, maps: int, iterations: int) -> TaskSet:
    problems = sample_problems(GridworldConfig(size=size), maps, rng=np.random.default_rng(size))
    return TaskSet(demonstrate_everywhere(problems), iterations)


@pytest.fixture(scope="module")
def courses():
    return [course(8, 5, 4), course(10, 3, 6), course(9, 4, 5)]


def test_a_choice_gives_the_chosen_problems_of_each_kind(courses):
    lessons = MixedDemonstrations(courses)
    assert len(lessons) == 12
    chosen = lessons[torch.tensor([11, 2, 0, 8])]
    assert [one.iterations for one in chosen] == [4, 5]
    first, last = (one.demonstrations.observations for one in chosen)
    assert torch.equal(first, courses[0].demonstrations.observations[torch.tensor([2, 0])])
    assert torch.equal(last, courses[2].demonstrations.observations[torch.tensor([3, 0])])


def test_the_weights_count_the_states_of_each_problem(courses):
    weights = MixedDemonstrations(courses).weights
    assert weights.tolist() == [float(n) for one in courses for n in one.demonstrations.weights.sum(dim=1)]


def test_the_loss_is_the_sum_over_the_kinds_each_with_its_own_k(courses):
    torch.manual_seed(0)
    network = VinConfig(iterations=2, hidden=4).build()
    loss = MixtureLoss(network)(courses)
    expected = 0.0
    for one in courses:
        network.planner.iterations = one.iterations
        expected += ImitationLoss(network)(one.demonstrations)
    torch.testing.assert_close(loss, expected)


def test_nobody_is_at_a_loss_without_problems(courses):
    network = VinConfig(iterations=2, hidden=4).build()
    loss = MixtureLoss(network)(MixedDemonstrations(courses)[torch.zeros(0, dtype=torch.long)])
    loss.backward()
    assert loss.item() == 0


def test_a_policy_learns_from_maps_of_several_sizes(courses):
    torch.manual_seed(0)
    network = VinConfig(iterations=4, hidden=8).build()
    lessons = MixedDemonstrations(courses)
    everything = lessons[torch.arange(len(lessons))]
    before = MixtureLoss(network)(everything).item()
    config = ImitationConfig(stages=(Stage(6, 1e-2),), batch_problems=4)
    imitate(network, lessons, config, seed=0, loss=MixtureLoss)
    assert MixtureLoss(network)(everything).item() < 0.7 * before
