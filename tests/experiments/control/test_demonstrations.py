"""The teachers' demonstrations: how they vary, how they are weighted, and their file."""

import dataclasses

import numpy as np
import pytest
import torch

from vinlab.domains.control.environment import ParticleWorlds
from vinlab.experiments.control.data import make_problems
from vinlab.experiments.control.demonstrations import (
    clip_precisions,
    demonstrations_key,
    load_demonstrations,
    make_demonstrations,
    save_demonstrations,
)
from vinlab.experiments.control.settings import configure
from vinlab.learners.callbacks import no_progress
from vinlab.types import InputError


@pytest.fixture
def worlds():
    config = configure("control/vin", "smoke", "paper")
    return ParticleWorlds(make_problems(config.data, 4999, 2), config.physics)


def test_the_noise_of_the_paper_teacher_spreads_its_states(worlds):
    teacher = configure("control/vin", "smoke", "paper").teacher

    def spread(noise: float) -> float:
        noisy = dataclasses.replace(teacher, noise=noise)
        shown, _ = make_demonstrations(noisy, worlds, seed=0, progress=no_progress)
        positions = shown.states[..., :2].reshape(2, teacher.search.samples, -1, 2)
        return float(positions.std(dim=1).mean())

    assert spread(0.5) > 10 * spread(1e-4) > 0


def test_precisions_keep_their_directions_within_bounds():
    precisions = np.array([[[1e6, 0.0], [0.0, 1e-6]], [[1.0, 0.5], [0.5, 1.0]]])
    found = np.linalg.eigvalsh(clip_precisions(precisions, 0.1))
    assert found.min() >= 0.1 - 1e-9
    assert found.max() <= 10 + 1e-9


def test_a_file_gives_back_what_was_saved_to_the_same_key_alone(worlds, tmp_path):
    teacher = configure("control/vin", "smoke", "default").teacher
    shown, record = make_demonstrations(teacher, worlds, seed=0, progress=no_progress)
    keys = [demonstrations_key(teacher, worlds.problems, seed) for seed in (0, 1)]
    save_demonstrations(tmp_path / "file.safetensors", (shown, record), keys[0])
    again, same_record = load_demonstrations(tmp_path / "file.safetensors", keys[0])
    assert same_record == record
    assert torch.equal(again.actions, shown.actions)
    with pytest.raises(InputError, match="expected the demonstrations of this teacher, seed"):
        load_demonstrations(tmp_path / "file.safetensors", keys[1])
