from pathlib import Path

import pytest

from vinlab.cli import main


@pytest.fixture(scope="session")
def run(tmp_path_factory) -> Path:
    """A finished run of a few seconds."""
    folder = tmp_path_factory.mktemp("runs") / "first"
    main(["train", "gridworld/8/vin", "--budget", "smoke", "--out", str(folder)])
    return folder
