"""The curriculum of the recipe noise: near states first, with few backups, from the best of several starts."""

import dataclasses

import pytest
import torch

from vinlab.experiments.base import FitContext, TrainingRequest
from vinlab.experiments.gridworld import EXPERIMENT, curriculum
from vinlab.experiments.gridworld.curriculum import SEEDS_APART, near_goal, train_near_goal
from vinlab.experiments.gridworld.settings import NearGoal
from vinlab.learners.callbacks import NullLogger, no_progress
from vinlab.learners.datasets import StateRows
from vinlab.learners.optimizers import Stage
from vinlab.modules import LinearPolicy, LinearReward, SharedTransition, StateAttention
from vinlab.modules.transition import move_kernels
from vinlab.networks.vin import ValueIterationNetwork
from vinlab.planning import GridPlanner
from vinlab.types import InputError


class Log(NullLogger):
    def __init__(self, checkpoint=None):
        self.lines, self.checkpoint = [], checkpoint

    def log(self, metrics):
        self.lines.append(dict(metrics))

    def load_checkpoint(self):
        return self.checkpoint


@pytest.fixture(scope="module")
def noise(tmp_path_factory):
    config = EXPERIMENT.settings["gridworld/8/vin"].configured("smoke", "noise")
    request = TrainingRequest("gridworld/8/vin", tmp_path_factory.mktemp("noise"), "smoke", "noise")
    return config, EXPERIMENT.make_data(config, request)


def rows(states):
    """Rows on one map of 6 x 7 whose goal is the cell (2, 3)."""
    observation = torch.zeros(1, 2, 6, 7)
    observation[0, 1, 2, 3] = 10.0
    states = torch.tensor(states)
    moves = torch.zeros(*states.shape[:2], 8, dtype=torch.bool)
    return StateRows(
        observation, torch.zeros(len(states), dtype=torch.long), states, moves, torch.ones(states.shape[:2])
    )


def test_states_near_the_goal_are_packed_into_full_rows():
    found = near_goal(rows([[[2, 4], [4, 3], [2, 6]], [[5, 3], [0, 0], [2, 0]], [[0, 1], [4, 5], [1, 2]]]), 2)
    assert found.states.tolist() == [[[2, 4], [4, 3], [0, 1]], [[4, 5], [1, 2], [0, 0]]]
    assert found.weights.tolist() == [[1, 1, 1], [1, 1, 0]]


def test_rows_hold_states_of_one_problem_with_their_own_moves(noise):
    data = noise[1]
    found = near_goal(data.rows, 3)
    goals = torch.tensor([(row[1] > 0).nonzero()[0].tolist() for row in data.rows.observations])
    distance = (found.states - goals[found.owners, None]).abs().amax(dim=-1)
    assert (distance[found.weights > 0] <= 3).all()

    def labelled(rows):
        parts = (
            rows.owners[:, None].expand(rows.weights.shape),
            *rows.states.unbind(-1),
            rows.moves.int().argmax(-1),
        )
        return sorted(zip(*(part[rows.weights > 0].tolist() for part in parts), strict=True))

    near = [
        entry
        for entry in labelled(data.rows)
        if (torch.tensor(entry[1:3]) - goals[entry[0]]).abs().max() <= 3
    ]
    assert labelled(found) == near


def test_a_far_distance_keeps_every_state(noise):
    data = noise[1]
    found = near_goal(data.rows, 8)
    assert found.weights.sum() == data.rows.weights.sum()
    assert len(found) <= len(data.rows)


@pytest.mark.parametrize(
    ("losses", "moves", "chosen"),
    [
        ([0.3, 0.2, 0.4], [6, 6, 6], 1),  # the least loss
        ([0.20, 0.24, 0.24], [6, 8, 7], 1),  # more moves at nearly the same loss
        ([0.20, 0.26, 0.21], [6, 8, 6], 0),  # more moves, but a loss that is too high
        ([0.20, 0.22, 0.21], [6, 8, 8], 2),  # of as many moves the lower loss
    ],
)
def test_of_the_starts_with_a_low_loss_the_one_with_the_most_moves_goes_on(
    noise, monkeypatch, tmp_path, losses, moves, chosen
):
    config, data = noise
    parts = (NearGoal(2, 3, Stage(1, 0.01)), NearGoal(8, 5, Stage(2, 0.005)))
    config = dataclasses.replace(config, starts=3, curriculum=parts)
    network = config.network.build()
    calls, seen = [], []
    logged = iter([0.01] * 3 + losses)
    counted = iter([9] * 3 + moves)

    def imitate(policy, demonstrations, learning, *, seed, loss, record, progress):
        record.log({"loss": next(logged), "cpu_seconds": 1.5})
        calls.append((seed, loss(policy).options["iterations"], learning.epochs, learning.stages[0].rate))
        seen.append({name: entry.clone() for name, entry in policy.state_dict().items()})

    monkeypatch.setattr(curriculum, "imitate", imitate)
    monkeypatch.setattr(curriculum, "moves_in_use", lambda network, data: next(counted))
    log = Log()
    train_near_goal(config, data, network, FitContext(7, tmp_path, log, no_progress))
    starts = [7, 7 + SEEDS_APART, 7 + 2 * SEEDS_APART]
    assert calls == [(start, 3, 1, 0.01) for start in starts] + [(start, 5, 2, 0.005) for start in starts]
    assert [line["start"] for line in log.lines] == starts * 2
    assert all(line["cpu_seconds"] == 1.5 for line in log.lines)
    last = seen[3 + chosen]
    assert all(torch.equal(last[name], entry) for name, entry in network.state_dict().items())
    assert not torch.equal(seen[0]["policy.moves.weight"], seen[1]["policy.moves.weight"])


def test_after_a_part_the_best_starts_alone_go_on(noise, monkeypatch, tmp_path):
    config, data = noise
    parts = (NearGoal(2, 3, Stage(1, 0.01), kept=2), NearGoal(8, 5, Stage(2, 0.005)))
    config = dataclasses.replace(config, starts=4, curriculum=parts)
    logged = iter([0.30, 0.22, 0.20, 0.21, 0.5, 0.4])
    counted = iter([8, 7, 6, 8, 8, 8])
    trained = []

    def imitate(policy, demonstrations, learning, *, seed, loss, record, progress):
        record.log({"loss": next(logged), "cpu_seconds": 1.0})
        with torch.no_grad():
            policy.policy.moves.weight += 1.0
        trained.append((seed, policy.policy.moves.weight.clone()))

    monkeypatch.setattr(curriculum, "imitate", imitate)
    monkeypatch.setattr(curriculum, "moves_in_use", lambda network, data: next(counted))
    network = config.network.build()
    train_near_goal(config, data, network, FitContext(0, tmp_path, Log(), no_progress))
    assert [seed for seed, _ in trained] == [0, 1000, 2000, 3000, 3000, 1000]
    # What a part has learned is what the next one begins with.
    assert torch.equal(trained[5][1], trained[1][1] + 1.0)
    assert torch.equal(network.policy.moves.weight, trained[5][1])


def test_the_moves_in_use_are_those_that_win(noise):
    data = noise[1]
    network = ValueIterationNetwork(
        reward=LinearReward(),
        transition=SharedTransition(move_kernels(actions=8, std=0.0)),
        planner=GridPlanner(iterations=8),
        attention=StateAttention(),
        policy=LinearPolicy(actions=8),
    )
    with torch.no_grad():
        for weights in (
            network.reward.features.weight,
            network.reward.features.bias,
            network.reward.reward.weight,
        ):
            weights.zero_()
        network.reward.features.weight[0, 1, 1, 1] = network.reward.reward.weight[0, 0] = 1.0
        network.reward.features.weight[0, 0, 1, 1] = -10.0
        network.reward.features.bias[0] = -0.1
    assert curriculum.moves_in_use(network, data) == 8
    with torch.no_grad():
        for kernels in (network.transition.value, network.transition.reward):
            kernels[4:8] = kernels[:1].clone()  # the diagonal moves become the first one
    assert curriculum.moves_in_use(network, data) == 4


def test_a_resumed_run_has_the_curriculum_behind_it(noise, tmp_path):
    config, data = noise
    network, log = config.network.build(), Log(checkpoint=({}, {}))
    before = {name: entry.clone() for name, entry in network.state_dict().items()}
    train_near_goal(config, data, network, FitContext(0, tmp_path, log, no_progress))
    assert not log.lines
    assert all(torch.equal(before[name], entry) for name, entry in network.state_dict().items())


def test_a_curriculum_without_rows_is_refused(noise, tmp_path):
    config, data = noise
    data, context = dataclasses.replace(data, rows=None), FitContext(0, tmp_path, Log(), no_progress)
    network = config.network.build()
    with pytest.raises(InputError, match="expected a training on rows of states"):
        train_near_goal(config, data, network, context)
