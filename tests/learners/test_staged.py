"""Each stage of a run resumes from its own checkpoint and ignores those of the others."""

from dataclasses import dataclass
from typing import ClassVar

import pytest
import torch

from vinlab.learners.callbacks import NullLogger
from vinlab.learners.imitation import ImitationConfig
from vinlab.learners.optimizers import Stage
from vinlab.learners.staged import StageLogger, TrainingStage, train_in_stages


class Memory(NullLogger):
    def __init__(self) -> None:
        self.kept = None
        self.logged = []

    def log(self, metrics):
        self.logged.append(dict(metrics))

    def save_checkpoint(self, tensors, state):
        self.kept = ({name: tensor.clone() for name, tensor in tensors.items()}, dict(state))

    def load_checkpoint(self):
        return self.kept


def test_a_stage_sees_its_own_checkpoint_alone():
    memory = Memory()
    first, second = StageLogger(memory, "first"), StageLogger(memory, "second")
    assert not first.started
    first.save_checkpoint({"weight": torch.ones(1)}, {"epoch": 2})
    assert first.started
    assert not second.started
    found = first.load_checkpoint()
    assert found is not None
    assert found[1] == {"epoch": 2, "stage": "first"}
    second.save_checkpoint({}, {"epoch": 1})
    assert second.started
    assert not first.started


def test_metrics_name_their_stage():
    memory = Memory()
    StageLogger(memory, "second").log({"loss": 1.0})
    assert memory.logged == [{"stage": "second", "loss": 1.0}]


class Numbers:
    """A dataset of numbers, each of weight 1."""

    def __init__(self) -> None:
        self.weights = torch.ones(6)
        self.values = torch.arange(6.0)

    def __len__(self):
        return 6

    def __getitem__(self, chosen):
        return self.values[chosen]


class Distance(torch.nn.Module):
    def __init__(self, policy, power):
        super().__init__()
        self.policy, self.power = policy, power

    def forward(self, batch):
        return ((self.policy.weight - batch).abs() ** self.power).sum()


@dataclass(frozen=True)
class Squared:
    kind: ClassVar[str] = "squared"

    def build(self, policy):
        return Distance(policy, 2)


@dataclass(frozen=True)
class Absolute:
    kind: ClassVar[str] = "absolute"

    def build(self, policy):
        return Distance(policy, 1)


class Policy(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(1))


LEARNING = ImitationConfig(stages=(Stage(2, 0.1),), batch_problems=2)
STAGES = (TrainingStage(Squared(), LEARNING), TrainingStage(Absolute(), LEARNING))


def run(memory, stages=STAGES):
    policy = Policy()
    best = train_in_stages(policy, Numbers(), stages, seed=0, record=memory)
    return policy.weight.item(), best


def test_stages_follow_each_other_and_are_named():
    memory = Memory()
    weight, best = run(memory)
    assert [(line["stage"], line["epoch"]) for line in memory.logged] == [
        ("squared", 1),
        ("squared", 2),
        ("absolute", 1),
        ("absolute", 2),
    ]
    assert best.weights["weight"].item() == weight
    assert weight > run(Memory(), STAGES[:1])[0] > 0


def test_a_single_stage_needs_no_name():
    memory = Memory()
    run(memory, STAGES[:1])
    assert all("stage" not in line for line in memory.logged)
    assert memory.kept is not None
    assert "stage" not in memory.kept[1]


@pytest.mark.parametrize("kill_after", [1, 2, 3, 4])
def test_a_killed_run_resumes_in_its_stage_and_ends_the_same(kill_after):
    expected, _ = run(Memory())
    memory = Memory()
    save, saved = memory.save_checkpoint, []

    def save_and_die(tensors, state):
        save(tensors, state)
        saved.append(state)
        if len(saved) == kill_after:
            raise KeyboardInterrupt

    memory.save_checkpoint = save_and_die
    with pytest.raises(KeyboardInterrupt):
        run(memory)
    memory.save_checkpoint = save
    assert run(memory)[0] == expected


def test_no_stage_is_refused():
    with pytest.raises(ValueError, match="expected at least one stage, got none"):
        run(Memory(), ())
