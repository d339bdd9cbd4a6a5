"""Small commands load little: counted in processes of their own."""

import subprocess
import sys

import numpy as np
import pytest

HEAVY = ("vinlab.learners", "vinlab.experiments.", "numba", "scipy", "matplotlib", "gymnasium")
COUNT = """
import sys
{statement}
print("\\n".join(["", "MODULES", *sys.modules]))
"""


def loaded(statement: str) -> list[str]:
    """The modules that a statement has imported at its end."""
    command = [sys.executable, "-c", COUNT.format(statement=statement)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\nMODULES\n")[1].splitlines()


def ours(modules: list[str]) -> list[str]:
    return [name for name in modules if name.split(".")[0] == "vinlab"]


@pytest.mark.parametrize(
    ("statement", "most"),
    [
        ("import vinlab", 19),
        ("import vinlab; vinlab.GridPlanner, vinlab.ValueIterationNetwork", 19),
        ("from vinlab.cli import main; main(['--help'])", 15),
        ("from vinlab.cli import main; main(['--version'])", 15),
    ],
)
def test_importing_and_asking_for_help_load_little(statement, most):
    modules = loaded(statement)
    assert len(ours(modules)) <= most
    assert [name for name in modules if name.startswith(HEAVY)] == []
    assert "torch" not in modules or "GridPlanner" in statement


def test_listing_settings_loads_no_experiment():
    modules = loaded("from vinlab.cli import main; main(['list'])")
    experiments = {name for name in modules if name.startswith("vinlab.experiments.")}
    assert experiments == {"vinlab.experiments.catalogue"}
    assert [name for name in modules if name.startswith(("vinlab.learners", "numba"))] == []


def test_planning_loads_neither_learners_nor_experiments(tmp_path):
    np.save(tmp_path / "map.npy", np.zeros((10, 10), np.uint8))
    options = ["--start", "1,1", "--goal", "8,8", "--out", str(tmp_path / "plan.png")]
    command = ["plan", str(tmp_path / "map.npy"), *options]
    modules = loaded(f"from vinlab.cli import main; main({command!r})")
    assert (tmp_path / "plan.png").exists()
    assert len(ours(modules)) <= 90
    assert [name for name in modules if name.startswith(("vinlab.learners", "vinlab.experiments"))] == []
    assert [name for name in modules if name.startswith("scipy.ndimage")] == []


def test_a_plan_that_draws_nothing_loads_no_matplotlib(tmp_path):
    np.save(tmp_path / "map.npy", np.zeros((10, 10), np.uint8))
    command = ["plan", str(tmp_path / "map.npy"), "--start", "1,1", "--goal", "8,8", "--json"]
    modules = loaded(f"from vinlab.cli import main; main({command!r})")
    assert [name for name in modules if name.startswith("matplotlib")] == []


def test_nothing_is_collected_while_modules_are_imported():
    """Looking for garbage among what is imported takes a fifth of the start."""
    statement = """
import gc
early = []
gc.callbacks.append(
    lambda phase, info: early.append("torch" in sys.modules and "vinlab.cli.show" not in sys.modules)
)
from vinlab.cli import main
main(["show", "grid/any"])
print("EARLY", sum(early), gc.isenabled())
"""
    command = [sys.executable, "-c", COUNT.format(statement=statement)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "EARLY 0 True\n" in done.stdout
