"""Every example runs from scratch, prints something, and fits on a screen."""

import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

from vinlab.modules.transition import move_kernels
from vinlab.networks.grid.learned_moves import direction
from vinlab.types import MOVE_NAMES

EXAMPLES = {path.stem: path for path in sorted((Path(__file__).parents[1] / "examples").glob("*.py"))}
ARGUMENTS = {"plan_on_your_own_map": ["smoke"], "train_with_your_own_learner": ["--steps", "512"]}
"""What keeps an example short enough for a test."""

LONGEST = 80


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_runs(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [f"{name}.py", *ARGUMENTS.get(name, [])])
    runpy.run_path(str(EXAMPLES[name]), run_name="__main__")
    assert capsys.readouterr().out.strip()


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_fits_on_a_screen(name):
    assert len(EXAMPLES[name].read_text(encoding="utf-8").splitlines()) <= LONGEST


def test_every_backup_carries_the_value_one_cell_further():
    values_of = runpy.run_path(str(EXAMPLES["watch_value_spread"]))["values_of"]
    values = values_of(np.zeros((1, 40), np.uint8), np.array([0, 0]))
    for backups in (1, 2, 7, 20):
        assert int((values[backups - 1, 0, 1:] > 0).sum()) == backups


def test_the_direction_of_a_move_kernel_is_its_move(capsys):
    example = runpy.run_path(str(EXAMPLES["learned_moves"]))
    kernels = move_kernels().value.numpy()[:, 0]
    assert tuple(map(direction, kernels[: len(MOVE_NAMES)])) == MOVE_NAMES
    example["main"]("gridworld/8/vin")
    assert "8 of 8 moves" in capsys.readouterr().out
