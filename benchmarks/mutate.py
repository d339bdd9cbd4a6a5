"""Small faults put into the code one at a time: do the tests notice?

``python benchmarks/mutate.py --known`` tries faults that earlier tests did not notice. ``--sample 150 --seed 0`` tries
that many of all faults of five kinds (comparisons, arithmetic, constants, truth values, returns) in the rooms named in
``ROOMS``. Each fault is tried in a copy of the package, in a child of a process that has the libraries loaded, with
the tests that run the changed function: those of its own file first, then the others, quick ones first. Which tests
those are is found once by running them all (``call_map.py``), and kept in ``--map``. A fault is caught if a test fails
that passes without it, or the tests take several times as long. ``--out`` records the result, and the command fails
if more than ``MOST_SURVIVORS`` of the sample survive that ``EQUIVALENT`` does not explain. ``--judge`` tries
nothing: it lists the survivors of a record that ``EQUIVALENT`` explains by now.
"""

import argparse
import ast
import contextlib
import importlib
import json
import os
import random
import re
import resource
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from call_map import PACKAGE, ROOT, CallMap, compiled_with, functions_of, stand_ins
from mutants import EQUIVALENT, KNOWN

BUILD = ROOT / "build" / "mutate"
"""Where the copies of the package are kept."""
ROOMS = ("planning", "evaluation", "learners", "maps", "recording")
"""The rooms that are changed."""

PATIENCE, LEAST_SECONDS = 5.0, 60.0
"""How many times as long as without a fault the tests may compute, and how long they may at least."""
QUICK_SECONDS = 5.0
"""How long the first tests of a fault take in all."""

MOST_SURVIVORS = 0.10


@dataclass(frozen=True)
class Mutant:
    """One fault."""

    file: str
    function: str
    kind: str
    change: str
    place: int = 0
    """Which of the file's faults it is."""
    test: str | None = None
    """The test that must notice, where it is known."""
    text: str | None = None
    """The file with the fault, where it is known."""

    @property
    def id(self) -> str:
        """A name that survives changes elsewhere in the file."""
        return f"{self.file}::{self.function}::{self.change}"

    def source(self) -> str:
        """The file with the fault."""
        if self.text is not None:
            return self.text
        tree = ast.parse((PACKAGE / self.file).read_text(encoding="utf-8"))
        _, node, (_, _, (field, value)) = list(_places(tree))[self.place]
        setattr(node, field, value)
        return ast.unparse(ast.fix_missing_locations(tree))


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
    seen: Counter[str] = Counter()
    for place, (function, _, (kind, change, _)) in enumerate(
        _places(ast.parse(path.read_text(encoding="utf-8")))
    ):
        seen[f"{function} {change}"] += 1
        number = seen[f"{function} {change}"]
        change += f", number {number}" if number > 1 else ""
        yield Mutant(str(path.relative_to(PACKAGE)), function, kind, change, place)


def _places(tree: ast.Module) -> Iterator[tuple[str, ast.AST, tuple[str, str, Any]]]:
    """The nodes inside functions that can have a fault, with their function; annotations and messages are left out."""
    for name, function in functions_of(tree):
        for statement in function.body:
            for node, line in _inner(statement, ""):
                for kind, change, made in changes_of(node):
                    yield name, node, (kind, f"{change} in {line}" if kind == "constant" else change, made)


def _inner(node: ast.AST, line: str) -> Iterator[tuple[ast.AST, str]]:
    """The nodes of a statement, with the first line of the statement that each stands in."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Raise | ast.JoinedStr | ast.Assert):
        return
    if isinstance(node, ast.stmt):
        line = ast.unparse(node).splitlines()[0][:100]
    yield node, line
    for field, value in ast.iter_fields(node):
        if field not in ("annotation", "returns"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _inner(child, line)


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
        source = (PACKAGE / file).read_text(encoding="utf-8")
        assert source.count(old) == 1, f"{name}: expected {old!r} once in {file}, got {source.count(old)}"
        text = source.replace(old, new)
        mutants.append(Mutant(file, name, "known", f"{old} as {new}", test=f"tests/{test}", text=text))
    return mutants


def stages_of(mutant: Mutant, tests: CallMap) -> Iterator[list[tuple[str, float]]]:
    """The tests to run, with their seconds: a few quick ones first, all others then."""
    if mutant.test is not None:
        yield [(mutant.test, LEAST_SECONDS)]
        return
    room, stem = mutant.file.split("/")[0], Path(mutant.file).stem.strip("_")
    mirror = re.compile(rf"tests/{room}/(.*/)?test_\w*{stem}\w*\.py")
    found = dict(tests.tests_of(stand_ins(mutant.file, mutant.function)))
    if not found:  # called while files are imported, or by a function that the map cannot see
        found = dict(one for file in tests.files if mirror.match(file) for one in tests.tests_in(file))
    ordered = sorted(found.items(), key=lambda one: (not mirror.match(one[0].split("::")[0]), one[1]))
    first, total = 0, 0.0
    while first < len(ordered) and total + ordered[first][1] < QUICK_SECONDS:
        total += ordered[first][1]
        first += 1
    for stage in (ordered[:first], ordered[first:]):
        if stage:
            yield stage


class Laboratory:
    """A copy of the package in which faults are tried."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.copy = folder / "src"
        self.unfinished = folder / "unfinished"
        self._copy_sources()
        if (
            self.unfinished.exists()
        ):  # a trial was killed: other files may hold its fault in what numba compiled
            for cache in self.copy.rglob("*.nb[ic]"):
                cache.unlink()
            self.unfinished.unlink()
        self.sound: dict[str, bool] = {}

    def _copy_sources(self) -> None:
        """Make the copy equal to the package; what numba compiled of unchanged files stays."""
        wanted = {path.relative_to(ROOT / "src") for path in (ROOT / "src").rglob("*") if path.is_file()}
        wanted = {path for path in wanted if "__pycache__" not in path.parts}
        held = {path.relative_to(self.copy) for path in self.copy.rglob("*") if path.is_file()}
        for path in held - wanted:
            if "__pycache__" not in path.parts:
                (self.copy / path).unlink()
        for path in wanted:
            source, target = ROOT / "src" / path, self.copy / path
            if not target.exists() or target.read_bytes() != source.read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target)

    def catcher(self, mutant: Mutant, tests: CallMap) -> str | None:
        """The test that fails with the fault and passes without it."""
        with self._fault(mutant):
            for stage in stages_of(mutant, tests):
                if (failed := self._first_failure(stage)) is not None:
                    break
            else:
                return None
        if failed not in self.sound:
            self.sound[failed] = failed == TOO_LONG or self._first_failure([(failed, 60.0)]) is None
        return failed if self.sound[failed] else f"UNSOUND {failed}"

    @contextlib.contextmanager
    def _fault(self, mutant: Mutant) -> Iterator[None]:
        """The copy with the fault; compiled functions are compiled anew with it, and the old ones kept for later."""
        target = self.copy / "vinlab" / mutant.file
        original, stamp = target.read_bytes(), target.stat()
        self.unfinished.write_text(mutant.id, encoding="utf-8")
        kept = self.folder / "kept"
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir()
        moved = {}
        for number, cache in enumerate(self._caches(mutant)):
            moved[cache] = kept / str(number)
            shutil.move(cache, moved[cache])
        try:
            target.write_text(mutant.source(), encoding="utf-8")
            yield
        finally:
            target.write_bytes(original)
            os.utime(target, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
            for cache in self._caches(mutant):
                cache.unlink()
            for cache, place in moved.items():
                shutil.move(place, cache)
            self.unfinished.unlink()

    def _caches(self, mutant: Mutant) -> list[Path]:
        """The files in which numba keeps what is compiled from the changed file or with the changed function."""
        if mutant.text is not None:
            return list(self.copy.rglob("*.nb[ic]"))
        names = compiled_with(mutant.file, mutant.function)
        stem = Path(mutant.file).stem
        return [
            cache
            for cache in (self.copy.rglob("*.nb[ic]") if names else ())
            if cache.name.split(".")[0] == stem or cache.name.split(".")[1].split("-")[0] in names
        ]

    def _first_failure(self, stage: list[tuple[str, float]]) -> str | None:
        """The first test of a stage that fails, in a child of this process."""
        answer = self.folder / "answer.json"
        answer.unlink(missing_ok=True)
        seconds = max(LEAST_SECONDS, PATIENCE * sum(cost for _, cost in stage))
        names = [name for name, _ in stage]
        status = self.child(lambda: self._run(names, answer), seconds)
        if answer.exists():
            return json.loads(answer.read_text(encoding="utf-8"))
        return TOO_LONG if status == -signal.SIGKILL else names[0]

    def child(self, work: Callable[[], None], seconds: float) -> int:
        """Do the work in a child process of bounded time, with the copy as the package."""
        pid = os.fork()
        if not pid:
            with contextlib.suppress(BaseException):
                limit = int(seconds) + 1
                resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
                log = os.open(self.folder / "log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
                os.dup2(log, 1)
                os.dup2(log, 2)
                sys.path.insert(0, str(self.copy))
                os.environ["PYTHONPATH"] = str(self.copy)
                os.chdir(ROOT)
                work()
                os._exit(0)
            os._exit(1)
        until = time.monotonic() + 6 * seconds
        while time.monotonic() < until:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.05)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        return -signal.SIGKILL

    def _run(self, tests: list[str], answer: Path) -> None:
        import pytest

        failures = Failures()
        code = pytest.main(["-x", "-q", "-p", "no:cacheprovider", "--no-header", *tests], plugins=[failures])
        answer.write_text(json.dumps(None if code == 0 else (failures.first or tests[0])))


TOO_LONG = "the tests took too long"


class Failures:
    """A plugin of pytest that keeps the name of the first test that fails."""

    first: str | None = None

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Keep the first."""
        if report.failed and self.first is None:
            self.first = report.nodeid


def preload() -> None:
    """Load the libraries, but nothing of vinlab, before children are forked."""
    libraries = ("beartype", "hypothesis", "matplotlib.figure", "numba", "rasterio", "scipy.ndimage", "torch")
    for library in libraries:
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
    parser.add_argument("--survivors-of", type=Path, help="only those that survived in this record")
    parser.add_argument("--judge", type=Path, help="list the survivors of this record that change nothing")
    parser.add_argument(
        "--map", type=Path, default=ROOT / "build" / "call_map.json", help="where the tests are kept"
    )
    parser.add_argument("--jobs", type=int, default=1, help="faults tried side by side")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if options.judge is not None:
        judge(options.judge)
        return
    preload()
    laboratory, tests = Laboratory(BUILD / "0"), CallMap(options.map)
    if not options.known:
        tests.update(laboratory.child, laboratory.copy)
    chosen = chosen_mutants(options)
    children = []
    for job in range(1, options.jobs):
        if not (pid := os.fork()):
            try_all(chosen[job :: options.jobs], Laboratory(BUILD / str(job)), tests)
            os._exit(0)
        children.append(pid)
    results = try_all(chosen[:: options.jobs], laboratory, tests)
    for job, pid in enumerate(children, start=1):
        if os.waitpid(pid, 0)[1]:
            raise SystemExit(f"job {job} failed.")
        results |= dict(
            zip(
                chosen[job :: options.jobs],
                json.loads((BUILD / str(job) / "results").read_text(encoding="utf-8")),
                strict=True,
            )
        )
    report(results, options)


def try_all(mutants: list[Mutant], laboratory: Laboratory, tests: CallMap) -> dict[Mutant, str | None]:
    """Try each fault, and keep the tests that noticed in the laboratory's folder."""
    results: dict[Mutant, str | None] = {}
    for number, mutant in enumerate(mutants, start=1):
        results[mutant] = laboratory.catcher(mutant, tests)
        verdict = "SURVIVED" if results[mutant] is None else "caught"
        print(f"{number}/{len(mutants)} {verdict} {mutant.kind}: {mutant.id} [{results[mutant]}]", flush=True)
    (laboratory.folder / "results").write_text(json.dumps(list(results.values())))
    return results


def chosen_mutants(options: argparse.Namespace) -> list[Mutant]:
    """The faults to try."""
    if options.known:
        return known()
    mutants = [one for one in sample(options.sample, options.seed) if one.file.split("/")[0] in options.rooms]
    if options.survivors_of is None:
        return mutants
    survivors = json.loads(options.survivors_of.read_text(encoding="utf-8"))["measured"]["survivors"]
    wanted = {(one["file"], one["function"], one["change"]) for one in survivors}
    everything = sample(10**9, 0)
    return [one for one in everything if (one.file, one.function, one.change) in wanted]


def report(results: dict[Mutant, str | None], options: argparse.Namespace) -> None:
    """Print survivors by kind, record them, and fail if there are too many."""
    unsound = [test for test in results.values() if test is not None and test.startswith("UNSOUND")]
    if unsound:
        raise SystemExit(f"expected tests that pass without a fault, got failures: {', '.join(unsound)}.")
    survivors = [mutant for mutant, caught in results.items() if caught is None]
    open_ones = [mutant for mutant in survivors if mutant.id not in EQUIVALENT]
    tried, survived = (Counter(mutant.kind for mutant in group) for group in (results, open_ones))
    shown = ("file", "function", "kind", "change")
    found = {
        "tried": len(results),
        "caught": len(results) - len(survivors),
        "caught_by_time": sum(caught == TOO_LONG for caught in results.values()),
        "survivors": [{key: asdict(mutant)[key] for key in shown} for mutant in open_ones],
        "equivalent": {mutant.id: EQUIVALENT[mutant.id] for mutant in survivors if mutant.id in EQUIVALENT},
        "by_kind": {kind: {"tried": tried[kind], "survived": survived[kind]} for kind in sorted(tried)},
        "share_survived": round(len(open_ones) / max(1, len(results)), 4),
    }
    if options.survivors_of is not None:
        found = after_another_trial(json.loads(options.survivors_of.read_text(encoding="utf-8")), found)
    print(json.dumps({key: found[key] for key in ("tried", "caught", "share_survived", "by_kind")}))
    if options.out is not None:
        from record import write_record

        what = "--known" if options.known else f"--sample {options.sample} --seed {options.seed}"
        what += "" if options.survivors_of is None else f" --survivors-of {options.survivors_of.name}"
        write_record(options.out, f"benchmarks/mutate.py {what}", found, round(os.getloadavg()[0], 2))
    most = 0.0 if options.known else MOST_SURVIVORS
    raise SystemExit(0 if found["share_survived"] <= most else f"{len(open_ones)} faults survived.")


def judge(path: Path) -> None:
    """Write a record again with the survivors that ``EQUIVALENT`` explains as equivalent ones; nothing is tried."""
    from vinlab.recording.files import write_json

    record = json.loads(path.read_text(encoding="utf-8"))
    record["measured"] = judged(record["measured"])
    write_json(path, record)
    found = record["measured"]
    print(json.dumps({key: found[key] for key in ("tried", "caught", "share_survived", "by_kind")}))


def judged(measured: dict[str, Any]) -> dict[str, Any]:
    """What was measured, with the survivors that ``EQUIVALENT`` explains apart from the others."""
    ids = {f"{one['file']}::{one['function']}::{one['change']}": one for one in measured["survivors"]}
    open_ones = [one for name, one in ids.items() if name not in EQUIVALENT]
    survived = Counter(one["kind"] for one in open_ones)
    return {
        **measured,
        "survivors": open_ones,
        "equivalent": measured["equivalent"] | {name: EQUIVALENT[name] for name in ids if name in EQUIVALENT},
        "by_kind": {
            kind: counts | {"survived": survived[kind]} for kind, counts in measured["by_kind"].items()
        },
        "share_survived": round(len(open_ones) / max(1, measured["tried"]), 4),
    }


def after_another_trial(record: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """The result of a recorded sample whose survivors were tried again, with further tests or reasons."""
    before = record["measured"]
    kinds = {
        kind: counts | {"survived": found["by_kind"].get(kind, {"survived": 0})["survived"]}
        for kind, counts in before["by_kind"].items()
    }
    return {
        **found,
        "tried": before["tried"],
        "caught": before["caught"] + found["caught"],
        "caught_at_first": before["caught"],
        "caught_by_time": before["caught_by_time"] + found["caught_by_time"],
        "equivalent": before["equivalent"] | found["equivalent"],
        "by_kind": kinds,
        "share_survived": round(len(found["survivors"]) / max(1, before["tried"]), 4),
        "sample_commit": record["commit"],
    }


if __name__ == "__main__":
    main()
