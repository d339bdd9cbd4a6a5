"""A smoke test of an installed wheel: run it with the Python of an environment that holds the wheel alone."""

import subprocess
import sys
import tempfile
from importlib import metadata, resources
from pathlib import Path

import numpy as np


def vinlab(*arguments: str, folder: Path) -> str:
    """What the installed command prints."""
    command = [sys.executable, "-m", "vinlab", *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def main() -> None:
    import gymnasium

    import vinlab as package

    installed = Path(package.__file__)
    assert "site-packages" in installed.parts, f"expected the installed wheel, got {installed}"
    assert resources.files("vinlab").joinpath("py.typed").is_file()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        assert metadata.version("vinlab") in vinlab("--version", folder=folder)
        assert "gridworld/16/vin" in vinlab("list", folder=folder)
        world = np.zeros((12, 20), np.uint8)
        world[3:9, 10] = 1
        np.save(folder / "map.npy", world)
        said = vinlab("plan", "map.npy", "--start", "6,2", "--goal", "6,17", folder=folder)
        assert "Goal reached" in said, said
        assert (folder / "plan.png").stat().st_size > 1000
        said = vinlab("train", "gridworld/8/vin", "--budget", "smoke", "--out", "run", folder=folder)
        assert "the run is in run" in said, said
    environment = gymnasium.make("vinlab.envs:vinlab/GridWorld-v0")
    environment.reset(seed=0)
    print(f"vinlab {metadata.version('vinlab')} works from its wheel on Python {sys.version.split()[0]}.")


if __name__ == "__main__":
    main()
