"""Small faults put into the code one at a time: do the tests notice?

``python benchmarks/mutate.py --known`` tries faults that earlier tests did not notice. ``--sample 150 --seed 0`` tries
that many of all faults of five kinds (comparisons, arithmetic, constants, truth values, returns) in the rooms named in
``ROOMS``; 150 take one to two hours on one core. Each fault is tried in a copy of the package, in a child of a process
that has the libraries loaded: first the tests of the file, then those of its room and of the rooms that use it. A
fault is caught if a test fails or the tests take more than ``LIMIT`` seconds. ``--out`` records the result, and the
command fails if more than ``MOST_SURVIVORS`` of the sample survive that ``EQUIVALENT`` does not explain.
"""

import argparse
import ast
import contextlib
import importlib
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from mutants import EQUIVALENT, KNOWN

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "vinlab"
ROOMS = {
    "planning": ("modules", "networks", "navigation"),
    "evaluation": ("navigation", "learners"),
    "learners": ("experiments/gridworld",),
    "maps": ("navigation", "cli"),
    "recording": ("models", "experiments"),
}
"""The rooms that are changed, and the others whose tests may notice."""

LIMIT = 240
"""Seconds of processor time for the tests of one fault."""

MOST_SURVIVORS = 0.10


@dataclass(frozen=True)
class Mutant:
    """One fault."""

    file: str
    function: str
    kind: str
    change: str
    source: str
    """The file with the fault."""
    test: str | None = None
    """The test that must notice, where it is known."""

    @property
    def id(self) -> str:
        """A name that survives changes elsewhere in the file."""
        return f"{self.file}::{self.function}::{self.change}"


COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
ARITHMETIC = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip


def changes_of(node: ast.AST) -> Iterator[tuple[str, str, Any]]:
    """The kinds of faults that a node can have: kind, description, and a function that makes it."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        other = COMPARISONS[type(node.ops[0])]
        yield "comparison", f"{ast.unparse(node)} with {other.__name__}", ("ops", [other(), *node.ops[1:]])
    if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        other = ARITHMETIC[type(node.op)]
        yield "arithmetic", f"{ast.unparse(node)} with {other.__name__}", ("op", other())
    if isinstance(node, ast.BoolOp):
        other = ast.Or if isinstance(node.op, ast.And) else ast.And
        yield "truth", f"{ast.unparse(node)} with {other.__name__}", ("op", other())
    if isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        changed = not node.value if isinstance(node.value, bool) else node.value + 1
        yield "constant", f"{node.value!r} as {changed!r}", ("value", changed)
    if isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        yield "return", f"return None for {ast.unparse(node.value)}", ("value", ast.Constant(None))


def mutants_of(path: Path) -> Iterator[Mutant]:
    """All faults of a file."""
    source = path.read_text()
    count = sum(1 for _ in _places(ast.parse(source)))
    for index in range(count):
        tree = ast.parse(source)
        function, node, (kind, change, (field, value)) = list(_places(tree))[index]
        setattr(node, field, value)
        name = str(path.relative_to(PACKAGE))
        yield Mutant(name, function, kind, change, ast.unparse(ast.fix_missing_locations(tree)))


def _places(tree: ast.Module) -> Iterator[tuple[str, ast.AST, tuple[str, str, Any]]]:
    """The nodes inside functions that can have a fault, with their function; annotations and messages are left out."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for statement in function.body:
                for node in _inner(statement):
                    for change in changes_of(node):
                        yield function.name, node, change


def _inner(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.FunctionDef | ast.Raise | ast.JoinedStr | ast.Assert):
        return
    yield node
    for field, value in ast.iter_fields(node):
        if field not in ("annotation", "returns"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _inner(child)


def sample(count: int, seed: int) -> list[Mutant]:
    """A sample of all faults; every file has its share."""
    found = [
        mutant
        for room in ROOMS
        for path in sorted((PACKAGE / room).rglob("*.py"))
        for mutant in mutants_of(path)
    ]
    return random.Random(seed).sample(found, min(count, len(found)))


def known() -> list[Mutant]:
    """The faults that earlier tests did not notice."""
    mutants = []
    for name, (file, old, new, test) in KNOWN.items():
        source = (PACKAGE / file).read_text()
        assert source.count(old) == 1, f"{name}: expected {old!r} once in {file}, got {source.count(old)}"
        changed = source.replace(old, new)
        mutants.append(Mutant(file, name, "known", f"{old} as {new}", changed, str(ROOT / "tests" / test)))
    return mutants


def tests_of(mutant: Mutant) -> list[list[str]]:
    """The test that must notice, or the tests of a file, and those of its room and of rooms that use it."""
    if mutant.test is not None:
        return [[mutant.test]]
    file = mutant.file
    room, stem = file.split("/")[0], Path(file).stem.strip("_")
    folder = ROOT / "tests" / Path(file).parent
    own = [path for path in (ROOT / "tests" / room).rglob("test_*.py") if stem in path.stem]
    others = [ROOT / "tests" / room] if folder.exists() or own or (ROOT / "tests" / room).exists() else []
    others += [
        ROOT / "tests" / name for name in ROOMS.get(room, ("navigation",)) if (ROOT / "tests" / name).exists()
    ]
    stages = [[str(path) for path in stage] for stage in (own, others) if stage]
    return stages or [[str(ROOT / "tests" / "test_architecture.py")]]


def is_caught(mutant: Mutant, copy: Path) -> bool:
    """Whether a test fails with the fault."""
    target = copy / "vinlab" / mutant.file
    original = target.read_bytes()
    stamp = target.stat()
    try:
        target.write_text(mutant.source)
        for cached in (
            copy.rglob("*.nb[ic]") if "njit" in mutant.source or "@compiled" in mutant.source else ()
        ):
            cached.unlink()  # what one file compiles, others keep a copy of
        failed = next((stage for stage in tests_of(mutant) if _fails(stage, copy)), None)
    finally:
        target.write_bytes(original)
        os.utime(target, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    if failed is not None:
        require_sound(tuple(failed), copy)
    return failed is not None


@cache
def require_sound(tests: tuple[str, ...], copy: Path) -> None:
    """The tests pass without a fault: otherwise their failure would mean nothing."""
    if _fails(list(tests), copy):
        raise SystemExit(f"expected tests that pass without a fault, got a failure in {', '.join(tests)}.")


def _fails(tests: list[str], copy: Path) -> bool:
    """Whether the tests fail, in a child of this process."""
    child = os.fork()
    if not child:
        with contextlib.suppress(BaseException):
            os._exit(_run(tests, copy))
        os._exit(1)
    until = time.monotonic() + 4 * LIMIT
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status != 0
        time.sleep(0.2)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return True


def _run(tests: list[str], copy: Path) -> int:
    import resource

    import pytest

    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    sys.path.insert(0, str(copy))
    os.environ["PYTHONPATH"] = str(copy)
    os.chdir(ROOT)
    return int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", "--no-header", *tests]))


def preload() -> None:
    """Load the libraries, but nothing of vinlab, before children are forked."""
    for library in ("beartype", "hypothesis", "matplotlib.figure", "numba", "scipy.ndimage", "torch"):
        importlib.import_module(library)
    import torch

    torch.set_num_threads(1)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sample", type=int, default=150)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--known", action="store_true", help="only faults that earlier tests did not notice")
    parser.add_argument("--rooms", nargs="*", default=list(ROOMS), choices=list(ROOMS))
    parser.add_argument(
        "--minutes", type=float, default=1e9, help="stop after so long, and record what was tried"
    )
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    mutants = known() if options.known else sample(options.sample, options.seed)
    mutants = [mutant for mutant in mutants if options.known or mutant.file.split("/")[0] in options.rooms]
    preload()
    results, began = {}, time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "src"
        shutil.copytree(ROOT / "src", copy)
        for number, mutant in enumerate(mutants, start=1):
            if time.monotonic() - began > 60 * options.minutes:
                break
            results[mutant] = is_caught(mutant, copy)
            verdict = "caught" if results[mutant] else "SURVIVED"
            print(f"{number}/{len(mutants)} {verdict} {mutant.kind}: {mutant.id}", flush=True)
    report(results, options)


def report(results: dict[Mutant, bool], options: argparse.Namespace) -> None:
    """Print survivors by kind, record them, and fail if there are too many."""
    survivors = [mutant for mutant, caught in results.items() if not caught]
    open_ones = [mutant for mutant in survivors if mutant.id not in EQUIVALENT]
    tried, survived = (Counter(mutant.kind for mutant in group) for group in (results, open_ones))
    found = {
        "tried": len(results),
        "caught": len(results) - len(survivors),
        "survivors": [{k: v for k, v in asdict(m).items() if k not in ("source", "test")} for m in open_ones],
        "equivalent": {m.id: EQUIVALENT[m.id] for m in survivors if m.id in EQUIVALENT},
        "by_kind": {kind: {"tried": tried[kind], "survived": survived[kind]} for kind in sorted(tried)},
        "share_survived": round(len(open_ones) / max(1, len(results)), 4),
    }
    print(json.dumps({key: found[key] for key in ("tried", "caught", "share_survived", "by_kind")}))
    if options.out is not None:
        from record import write_record

        what = "--known" if options.known else f"--sample {options.sample} --seed {options.seed}"
        write_record(options.out, f"benchmarks/mutate.py {what}", found, round(os.getloadavg()[0], 2))
    most = 0.0 if options.known else MOST_SURVIVORS
    raise SystemExit(0 if found["share_survived"] <= most else f"{len(open_ones)} faults survived.")


if __name__ == "__main__":
    main()
