"""Imports go one way, generic rooms hold no domain word, and starting is light."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import vinlab

PACKAGE = Path(vinlab.__file__).parent

SAFE_FILES = {"recording.files", "recording.array_files", "recording.json_files", "recording.tiff_files"}
"""The readers of files from unknown sources, which every reader of a format is built on."""

SEES: dict[str, set[str]] = {
    "types": set(),
    "planning": {"types"},
    "modules": {"types", "planning"},
    "recording": {"types"},
    "evaluation": {"types"},
    "learners": {"types", "evaluation.rollout", "planning.path_likelihood", "planning.shortest_path"},
    "networks": {"types", "planning", "modules", "recording.serialization"},
    "models": {"types", "networks", "recording"},
    # The exact solution of states with layers is the search with true costs.
    "domains": {
        "types",
        "figures.style",
        "planning.cell_costs",
        "planning.compiled",
        "planning.exact",
        "planning.graded",
        "planning.layered_search",
        "planning.moves",
        *SAFE_FILES,
    },
    "maps": {"types", *SAFE_FILES},
    "figures": {"types", "recording.files"},
    "export": {"types", "planning", "modules", "networks", "recording.files"},
    "integrations": {"types", "networks"},
    "navigation": {
        "types",
        "domains",
        "evaluation",
        "figures",
        "maps",
        "models",
        "networks",
        "planning",
    },
    "serve": {"types", "domains", "maps", "models", "navigation", "networks", "planning", "recording.files"},
    "experiments": {
        "types",
        "domains",
        "evaluation",
        "figures",
        "learners",
        "maps",
        "models",
        "modules",
        "navigation",
        "networks",
        "planning",
        "recording",
    },
}
"""What each room may import besides itself; the command line may import everything."""

TOP = {"__init__", "__main__", "envs", "types"}
"""The only modules that stand outside a room."""

GENERIC = ("planning", "modules", "learners", "evaluation", "recording", "models")
DOMAIN_WORDS = re.compile(
    r"\b(mars|martian|wikipedia|web|mujoco|particle|grid-?world|hole-?world)\b", re.IGNORECASE
)


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


def test_the_list_of_rooms_is_closed():
    rooms = {folder.name for folder in PACKAGE.iterdir() if (folder / "__init__.py").exists()}
    assert rooms == (SEES.keys() - {"types"}) | {"cli"}
    assert {file.stem for file in PACKAGE.glob("*.py")} == TOP


@pytest.mark.parametrize("room", SEES)
def test_a_room_imports_only_what_stands_before_it(room):
    assert files(room)
    allowed = {room, *SEES[room]}
    wrong = [
        f"{file.relative_to(PACKAGE)} imports {module}"
        for file in files(room)
        for module in imports(file)
        if not any(module == name or module.startswith(f"{name}.") for name in allowed)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "domain", ["gridworld", "holeworld", "mars", "terrain_costs", "control", "web", "motion"]
)
def test_domains_lean_on_the_grid_alone(domain):
    others = {folder.name for folder in (PACKAGE / "domains").iterdir() if folder.is_dir()} - {
        domain,
        "gridworld",
    }
    wrong = [
        f"{file.relative_to(PACKAGE)} imports {module}"
        for file in files(f"domains/{domain}")
        for module in imports(file)
        if any(module.startswith(f"domains.{other}") for other in others)
    ]
    assert wrong == []


@pytest.mark.parametrize("room", GENERIC)
def test_generic_rooms_hold_no_domain_word(room):
    found = [
        f"{file.relative_to(PACKAGE)}:{number}: {line.strip()}"
        for file in files(room)
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if DOMAIN_WORDS.search(line)
    ]
    assert found == []


def test_no_function_is_longer_than_a_screen():
    long = [
        f"{file.relative_to(PACKAGE)}: {node.name} has {(node.end_lineno or 0) - node.lineno + 1} lines"
        for file in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno + 1 > 60
    ]
    assert long == []


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
        "ray",
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


def test_text_is_never_read_in_the_encoding_of_the_machine():
    """In the locale C that is ASCII, and most files hold more."""
    root, found = Path(__file__).parents[1], []
    for folder in ("src", "tests", "benchmarks", "reliability", "examples", "docs"):
        for file in (root / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                reads = isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "read_text"
                if reads and not node.args and "encoding" not in [word.arg for word in node.keywords]:
                    found.append(f"{file.relative_to(root)}:{node.lineno}")
    assert found == []
