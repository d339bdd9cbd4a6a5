"""Mirrored demonstrations are what the teacher does in the mirrored square."""

import itertools

import numpy as np
import pytest
import torch

pytest.importorskip("mujoco")

from vinlab.domains.control.environment import ParticleWorlds
from vinlab.domains.control.problem import ControlConfig, ControlProblems, observe, sample_problems
from vinlab.experiments.control.augmentation import mirror, mirror_at_random
from vinlab.types import ContinuousDemonstrations

SYMMETRIES = [
    {"rows": rows, "cols": cols, "transposed": transposed}
    for rows, cols, transposed in itertools.product((False, True), repeat=3)
]


def mirrored_problems(problems, *, rows, cols, transposed):
    signs = np.array([-1.0 if rows else 1.0, -1.0 if cols else 1.0])
    order = [1, 0] if transposed else [0, 1]
    boxes = np.concatenate(
        [(problems.boxes[..., :2] * signs)[..., order], problems.boxes[..., 2:][..., order]], -1
    )
    return ControlProblems(boxes, (problems.starts * signs)[:, order], (problems.goals * signs)[:, order])


@pytest.mark.parametrize("symmetry", SYMMETRIES)
def test_the_mirrored_world_does_what_the_mirrored_demonstrations_say(symmetry):
    problems = sample_problems(ControlConfig(), 3, rng=np.random.default_rng(0))
    rng = np.random.default_rng(1)
    states = np.concatenate([rng.uniform(-0.9, 0.9, (3, 6, 2)), rng.normal(size=(3, 6, 2))], axis=-1)
    forces = rng.uniform(-1, 1, (3, 6, 2))
    following, _ = ParticleWorlds(problems).step(states, forces)

    def shown(some_states):
        precisions = torch.eye(2).expand(3, 6, 2, 2)
        return ContinuousDemonstrations(
            observe(problems),
            torch.as_tensor(some_states).float(),
            torch.as_tensor(forces).float(),
            precisions,
        )

    before, after = mirror(shown(states), **symmetry), mirror(shown(following), **symmetry)
    turned = mirrored_problems(problems, **symmetry)
    torch.testing.assert_close(before.observations, observe(turned))
    found, _ = ParticleWorlds(turned).step(before.states.double().numpy(), before.actions.double().numpy())
    np.testing.assert_allclose(found, after.states.numpy(), atol=1e-4)


@pytest.mark.parametrize("symmetry", SYMMETRIES)
def test_the_weighted_error_is_the_same_in_the_mirror(symmetry):
    root = torch.randn(2, 5, 2, 2)
    shown = ContinuousDemonstrations(
        torch.rand(2, 2, 16, 16), torch.randn(2, 5, 4), torch.randn(2, 5, 2), root @ root.mT
    )
    found = mirror(shown, **symmetry)
    expected = torch.einsum("bsi,bsij,bsj->bs", shown.actions, shown.precisions, shown.actions)
    torch.testing.assert_close(
        torch.einsum("bsi,bsij,bsj->bs", found.actions, found.precisions, found.actions), expected
    )


def test_all_eight_symmetries_are_drawn():
    shown = ContinuousDemonstrations(
        torch.rand(1, 2, 4, 4), torch.randn(1, 1, 4), torch.randn(1, 1, 2), torch.eye(2)[None, None]
    )
    rng = np.random.default_rng(0)
    assert len({mirror_at_random(shown, rng).states.numpy().tobytes() for _ in range(100)}) == 8
