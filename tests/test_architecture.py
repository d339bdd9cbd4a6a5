"""Imports go one way, and a bare ``import vinlab`` stays light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import vinlab

PACKAGE = Path(vinlab.__file__).parent

SEES: dict[str, set[str]] = {
    "types": set(),
    "planning": {"types"},
    "design": {"types", "planning"},
    "networks": {"types", "planning", "design"},
    "domains": {"types", "planning.exact"},
    "learners": {"types"},
    "evaluation": {"types"},
    "recording": {"types"},
    "figures": {"types", "recording.files"},
    "maps": {"types", "recording.files"},
    "models": {"types", "networks", "recording"},
    "export": {"types", "planning", "design", "networks", "recording.files"},
    "following": {"types", "evaluation"},
    "thinking": {"types", "domains", "evaluation", "following", "models"},
    "navigation": {"types", "planning.exact", "domains", "evaluation", "following", "models", "thinking"},
    "journeys": {"types", "planning.exact", "following", "maps", "models", "navigation", "thinking"},
    "crossing": {"types", "networks", "domains", "following", "models", "navigation"},
}
"""What each room may see besides itself; experiments, the console and the command line see everything."""


def imports(file: Path) -> set[str]:
    """The vinlab modules that a file imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("vinlab."):
            found.add(node.module.removeprefix("vinlab."))
        if isinstance(node, ast.ImportFrom) and node.module == "vinlab":
            found.update(alias.name for alias in node.names)
        if isinstance(node, ast.Import):
            found.update(a.name.removeprefix("vinlab.") for a in node.names if a.name.startswith("vinlab."))
    return found


def files(room: str) -> list[Path]:
    single = PACKAGE / f"{room}.py"
    return [single] if single.exists() else sorted((PACKAGE / room).rglob("*.py"))


@pytest.mark.parametrize("room", SEES)
def test_a_room_sees_only_what_stands_before_it(room):
    assert files(room)
    allowed = {room, *SEES[room]}
    wrong = [
        f"{file.relative_to(PACKAGE)} imports {module}"
        for file in files(room)
        for module in imports(file)
        if not any(module == name or module.startswith(f"{name}.") for name in allowed)
    ]
    assert wrong == []


def test_a_bare_import_loads_no_heavy_library():
    heavy = [
        "numba",
        "scipy",
        "matplotlib",
        "gymnasium",
        "rich",
        "tyro",
        "PIL",
        "tensorboard",
        "mujoco",
        "onnx",
        "fastapi",
        "rasterio",
    ]
    code = f"import sys, vinlab; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_exists():
    assert [name for name in vinlab.__all__ if not hasattr(vinlab, name)] == []


def test_nothing_is_ever_unpickled():
    for file in PACKAGE.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        assert "import pickle" not in text, file
        assert "torch.load(" not in text, file
        assert "allow_pickle=True" not in text, file
