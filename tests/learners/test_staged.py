"""Each chapter of a run goes on from its own checkpoint and knows nothing of the others'."""

import torch

from vinlab.learners.callbacks import NoRecord
from vinlab.learners.staged import Chapter


class Memory(NoRecord):
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
    first, second = Chapter(memory, "first"), Chapter(memory, "second")
    assert not first.begun
    first.save_checkpoint({"weight": torch.ones(1)}, {"epoch": 2})
    assert first.begun
    assert not second.begun
    found = first.load_checkpoint()
    assert found is not None
    assert found[1]["epoch"] == 2
    second.save_checkpoint({}, {"epoch": 1})
    assert second.begun
    assert not first.begun


def test_metrics_say_which_chapter_they_belong_to():
    memory = Memory()
    Chapter(memory, "second").log({"loss": 1.0})
    assert memory.logged == [{"chapter": "second", "loss": 1.0}]
