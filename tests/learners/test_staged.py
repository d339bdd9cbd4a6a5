"""Each chapter of a run goes on from its own checkpoint and knows nothing of the others'."""

import torch

from vinlab.learners.callbacks import NullLogger
from vinlab.learners.staged import StageLogger


class Memory(NullLogger):
    def __init__(self) -> None:
        self.kept = None
        self.logged = []

    def log(self, metrics):
        self.logged.append(dict(metrics))

    def save_checkpoint(self, tensors, state):
        self.kept = (dict(tensors), dict(state))

    def load_checkpoint(self):
        return self.kept


def test_a_chapter_sees_its_own_checkpoint_alone():
    memory = Memory()
    first, second = StageLogger(memory, "first"), StageLogger(memory, "second")
    assert not first.started
    first.save_checkpoint({"weight": torch.ones(1)}, {"epoch": 2})
    assert first.started
    assert not second.started
    found = first.load_checkpoint()
    assert found is not None
    assert found[1]["epoch"] == 2
    second.save_checkpoint({}, {"epoch": 1})
    assert second.started
    assert not first.started


def test_metrics_say_which_chapter_they_belong_to():
    memory = Memory()
    StageLogger(memory, "second").log({"loss": 1.0})
    assert memory.logged == [{"chapter": "second", "loss": 1.0}]
