"""Shipped models answer as they did when they were shipped."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from vinlab.models import load

ANSWERS = json.loads(
    (Path(__file__).parents[1] / "golden" / "shipped_logits.json").read_text(encoding="utf-8")
)
"""Logits by model, problem and state, made by version 0.1."""


def control_problem(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    return rng.random((2, 2, 16, 16)).astype(np.float32), rng.uniform(-0.9, 0.9, (2, 3, 4)).astype(np.float32)


def map_problem(rng: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
    images = np.zeros((2, 2, size, size), np.float32)
    images[:, 0] = rng.random((2, size, size)) < 0.15
    images[:, 0, [0, -1]] = images[:, 0, :, [0, -1]] = 1
    for image, (row, col) in zip(images, [(2, 2), (size - 3, 4)], strict=True):
        image[:, row, col] = 0, 10
    return images, rng.integers(1, size - 1, (2, 4, 2))


@pytest.mark.parametrize("id", ANSWERS)
def test_the_logits_are_the_stored_ones(id):
    model, rng = load(id), np.random.default_rng(20161205)
    given = control_problem(rng) if id.startswith("control") else map_problem(rng, model.size)
    with torch.no_grad():
        logits, _ = model.network(*map(torch.from_numpy, given))
    torch.testing.assert_close(logits, torch.tensor(ANSWERS[id]), rtol=1e-5, atol=1e-4)
