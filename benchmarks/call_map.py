"""Which tests run which functions of the package, and how long each test takes.

The map is kept in a file; a test file is run again only after its text has changed. A compiled function is never seen
by Python: the functions that call it stand for it.
"""

import ast
import hashlib
import json
import os
import re
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "vinlab"
FOLDERS = ("evaluation", "recording", "maps", "learners", "planning", "modules", "navigation", "models")
"""The tests that are run to make the map."""

Name = tuple[str, str]
"""The file of a function below the package, and its qualified name."""


class Tracer:
    """A plugin of pytest that notes the functions which each test calls.

    What is called while a test is set up counts for all tests of the file, since fixtures are shared.
    """

    def __init__(self, package: Path) -> None:
        self.package = f"{package}{os.sep}"
        self.called: dict[int, Any] = {}
        self.shared: set[str] = set()
        self.tests: dict[str, dict[str, Any]] = {}

    def __call__(self, frame: Any, event: str, argument: Any) -> None:
        code = frame.f_code
        self.called[id(code)] = code

    def start(self) -> None:
        """Begin to note calls."""
        sys.settrace(self)
        threading.settrace(self)

    def _take(self) -> list[str]:
        called, self.called = self.called, {}
        return sorted(
            f"{code.co_filename[len(self.package) :]}::{code.co_qualname}"
            for code in list(called.values())
            if code.co_filename.startswith(self.package)
        )

    def pytest_runtest_setup(self, item: Any) -> None:
        """Begin anew: Python ends a trace in which an exception was raised, as at the end of the stack."""
        self.start()

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Keep what was called in a phase of a test."""
        names = self._take()
        if report.when == "setup":
            self.shared |= set(names)
        elif report.when == "call":
            passed = report.outcome == "passed"
            self.tests[report.nodeid] = {
                "calls": names,
                "seconds": round(report.duration, 3),
                "passed": passed,
            }


class CallMap:
    """The tests of each function, kept in a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.files: dict[str, dict[str, Any]] = (
            json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        )

    def update(self, run_child: Callable[[Callable[[], None], float], int], copy: Path) -> None:
        """Run the test files that are new or changed, each in a child process."""
        known = {str(path.relative_to(ROOT)): path for path in test_files()}
        self.files = {name: entry for name, entry in self.files.items() if name in known}
        began = time.monotonic()
        for name, path in known.items():
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            if self.files.get(name, {}).get("digest") == digest:
                continue
            answer = copy.parent / "traced.json"
            answer.unlink(missing_ok=True)
            run_child(lambda path=path, answer=answer: _trace(path, copy, answer), 900.0)
            if not answer.exists():
                raise SystemExit(
                    f"{name}: expected tests that run, got: {(copy.parent / 'log').read_text(encoding='utf-8')[-2000:]}"
                )
            found = json.loads(answer.read_text(encoding="utf-8"))
            self.files[name] = {"digest": digest, **found}
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text(json.dumps(self.files))
            print(f"{name}: {len(found['tests'])} tests, {time.monotonic() - began:.0f} s", flush=True)

    def tests_of(self, functions: set[str]) -> list[tuple[str, float]]:
        """The passing tests that run one of the functions, with their seconds."""
        found = []
        for entry in self.files.values():
            shared = bool(functions & set(entry["shared"]))
            found += [
                (test, known["seconds"])
                for test, known in entry["tests"].items()
                if known["passed"] and (shared or functions & set(known["calls"]))
            ]
        return found

    def tests_in(self, file: str) -> list[tuple[str, float]]:
        """All passing tests of a file."""
        tests = self.files.get(file, {"tests": {}})["tests"]
        return [(test, known["seconds"]) for test, known in tests.items() if known["passed"]]


def test_files() -> Iterator[Path]:
    """The files of tests that the map holds."""
    for folder in FOLDERS:
        yield from sorted((ROOT / "tests" / folder).rglob("test_*.py"))


def _trace(path: Path, copy: Path, answer: Path) -> None:
    import pytest

    tracer = Tracer(copy / "vinlab")
    tracer.start()
    code = pytest.main(["-q", "-p", "no:cacheprovider", "--no-header", str(path)], plugins=[tracer])
    sys.settrace(None)
    if code in (0, 1):
        answer.write_text(json.dumps({"shared": sorted(tracer.shared), "tests": tracer.tests}))


def stand_ins(file: str, function: str) -> set[str]:
    """The functions whose calls show that this one was called: itself, or those that call it where it is compiled."""
    names = compiled_with(file, function)
    if not names:
        return {f"{file}::{function}"}
    places, compiled = references()
    callers = {caller for name in names for caller in places[name]} - compiled
    return {f"{where}::{caller}" for where, caller in callers}


def compiled_with(file: str, function: str) -> set[str]:
    """The names of the compiled functions that this one is a part of; none if it is not compiled."""
    places, compiled = references()
    outer = function.split(".<locals>.")[0]
    if (file, outer) in compiled:
        names = {outer}
    elif "@intrinsic" in (PACKAGE / file).read_text(
        encoding="utf-8"
    ):  # makes the instructions of other functions
        names = {
            name
            for where, name in compiled
            if Path(file).stem in (PACKAGE / where).read_text(encoding="utf-8")
        }
    else:
        return set()
    seen: set[str] = set()
    while names - seen:
        seen |= names
        names = seen | {caller[1] for name in seen for caller in places[name] if caller in compiled}
    return names


@cache
def references() -> tuple[dict[str, set[Name]], set[Name]]:
    """The functions in which each name stands, and the compiled functions."""
    places: dict[str, set[Name]] = defaultdict(set)
    compiled: set[Name] = set()
    for path in sorted(PACKAGE.rglob("*.py")):
        file = str(path.relative_to(PACKAGE))
        for name, node in functions_of(ast.parse(path.read_text(encoding="utf-8"))):
            if any(re.search("compiled|njit|intrinsic", ast.unparse(part)) for part in node.decorator_list):
                compiled.add((file, name))
            for inner in ast.walk(node):
                if isinstance(inner, ast.Name | ast.Attribute):
                    places[inner.id if isinstance(inner, ast.Name) else inner.attr].add((file, name))
    return places, compiled


def functions_of(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """All functions with their qualified names, as Python names them."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef):
            yield f"{prefix}{node.name}", node
            yield from functions_of(node, f"{prefix}{node.name}.<locals>.")
        elif isinstance(node, ast.ClassDef):
            yield from functions_of(node, f"{prefix}{node.name}.")
        else:
            yield from functions_of(node, prefix)
