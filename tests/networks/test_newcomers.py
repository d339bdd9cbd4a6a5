"""What is easily mistaken in a first network gets a sentence, without the checks of shapes that tests add."""

import subprocess
import sys

import pytest

SCRIPT = """
import torch, vinlab

vin = vinlab.ValueIterationNetwork(
    reward=vinlab.CnnReward(),
    transition=vinlab.SharedTransition(vinlab.move_kernels()),
    planner=vinlab.GridPlanner(iterations=4),
    attention=vinlab.StateAttention(),
    policy=vinlab.LinearPolicy(),
)
observation, states = torch.zeros(3, 2, 8, 8), torch.zeros(3, 1, 2, dtype=torch.long)
for inputs in (
    (observation, states[:, 0]),
    (observation, states + 0.5),
    (observation[0], states),
    (observation, states + 8),
    (observation, states),
):
    try:
        print(tuple(vin(*inputs)[0].shape))
    except vinlab.InputError as error:
        print(error)
"""


@pytest.fixture(scope="module")
def said() -> list[str]:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_one_state_without_its_axis(said):
    assert said[0] == (
        "states: expected [B S 2], (row, col) of S states of each problem, got the shape (3, 2); "
        "of one state of each problem, states[:, None]."
    )


def test_positions_between_cells(said):
    assert said[1] == "states: expected whole numbers (row, col), got torch.float32."


def test_one_problem_without_its_axis(said):
    assert (
        said[2]
        == "observation: expected [B C H W], got the shape (2, 8, 8); of one problem, observation[None]."
    )


def test_cells_outside_the_map(said):
    assert said[3] == "states: expected cells of a map of 8 x 8 cells, got (8, 8)."


def test_the_right_shapes(said):
    assert said[4] == "(3, 1, 8)"
