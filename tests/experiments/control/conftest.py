"""A finished run that the tests of the control experiment share."""

import pytest

pytest.importorskip("mujoco")

from helpers.control_runs import train_smoke


@pytest.fixture(scope="package")
def searched(tmp_path_factory):
    """A smoke run with the paper's teacher."""
    return train_smoke(tmp_path_factory.mktemp("runs") / "vin", recipe="paper")
