"""What all tests share."""

import os
from pathlib import Path

import pytest
import torch

# Of several workers each has one core; alone a test run has two.
torch.set_num_threads(1 if "PYTEST_XDIST_WORKER" in os.environ else 2)


@pytest.fixture(autouse=True)
def same_noise() -> None:
    """Each test draws the same weights however it is run; ``VINLAB_TEST_SEED`` gives all of them others."""
    torch.manual_seed(int(os.environ.get("VINLAB_TEST_SEED", "0")))


@pytest.fixture
def real_data() -> Path:
    """The folder of real data, where this machine has one (``VINLAB_DATA``, or ``../shared/data``)."""
    folder = Path(os.environ.get("VINLAB_DATA") or Path(__file__).parents[2] / "shared" / "data")
    if not folder.is_dir():
        pytest.skip("the real data are not on this machine; VINLAB_DATA names their folder")
    return folder
