"""Each case in a forked process of its own, with a limit of memory and of time."""

import contextlib
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reliability.cases import Case, SilentDifference
from vinlab.types import InputError

MEMORY = 2**30
"""Bytes that a case may fill, with the libraries that are loaded."""
SECONDS = 20.0
"""Seconds that a case may take of a processor; a busy machine may let it wait for longer."""
PATIENCE = 30
"""How many times as long a case may take by the clock, most of it waiting for a processor or for ever."""
LONGEST_SENTENCE = 1000
NO_ROUTE = (3, 4)
"""Codes with which ``vinlab plan`` ends where the goal is not reached; that is a result, and no error is printed."""

GOOD, BAD = ("accepted", "refused"), ("traceback", "hang", "out of memory", "silent difference")
"""The classes of outcomes: what may happen, and what must not."""


@dataclass(frozen=True)
class Outcome:
    """What became of a case."""

    case: Case
    kind: str
    note: str
    seconds: float
    """Of a processor."""
    memory: int


@dataclass
class _Child:
    case: Case
    folder: Path
    started: float


def run_cases(
    cases: Iterable[Case], *, jobs: int, memory: int = MEMORY, seconds: float = SECONDS
) -> Iterator[Outcome]:
    """The outcome of every case, as they end."""
    waiting, children = iter(cases), {}
    more = True
    while more or children:
        while more and len(children) < jobs:
            case = next(waiting, None)
            more = case is not None
            if case is not None:
                pid, child = _start(case, memory)
                children[pid] = child
        for pid, child in list(children.items()):
            if (outcome := _ended(pid, child, memory, seconds)) is not None:
                del children[pid]
                yield outcome
        time.sleep(0.004)


def _start(case: Case, memory: int) -> tuple[int, _Child]:
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        _run_child(case, folder, memory)
    return pid, _Child(case, folder, time.monotonic())


def _run_child(case: Case, folder: Path, memory: int) -> None:
    """Never returns."""
    kind, note = "traceback", ""
    try:
        os.setpgid(0, 0)
        work = folder / "work"
        work.mkdir()
        with (folder / "stdout").open("w") as out, (folder / "stderr").open("w") as err:
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            case.write(work)
            os.chdir(work)
            _limit(memory)
            kind, note = _outcome(case, work)
    except BaseException:  # a fault of the harness itself
        note = traceback.format_exc()[-2000:]
    finally:
        (folder / "outcome").write_text(json.dumps([kind, note]))
        os._exit(0)


def _limit(memory: int) -> None:
    """Leave the address space that the case may fill; of what libraries have mapped only the filled part counts."""
    mapped, filled = (
        int(pages) * resource.getpagesize()
        for pages in Path("/proc/self/statm").read_text(encoding="utf-8").split()[:2]
    )
    limit = mapped + memory - filled
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _outcome(case: Case, work: Path) -> tuple[str, str]:
    try:
        result = case.act(work)
        if case.check is not None:
            case.check(result)
    except SilentDifference as error:
        return "silent difference", str(error)
    except MemoryError:
        return "out of memory", "MemoryError"
    except InputError as error:
        return _sentence(str(error))
    except SystemExit as stop:
        return _exit(stop.code)
    except BaseException:
        return "traceback", traceback.format_exc()[-2000:]
    return "accepted", ""


def _sentence(text: str) -> tuple[str, str]:
    if "enough memory" in text:
        return "out of memory", text
    if "\n" in text or not 0 < len(text) <= LONGEST_SENTENCE or "Traceback" in text:
        return "traceback", f"no single sentence: {text[:500]}"
    return "refused", text


def _exit(code: Any) -> tuple[str, str]:
    """The end of a command: an error code goes with a sentence on the standard error."""
    sys.stderr.flush()
    said = Path("../stderr").read_text(encoding="utf-8", errors="replace")
    if "Traceback" in said:
        return "traceback", said[-2000:]
    if code in (0, None) or (code in NO_ROUTE and not said.strip()):
        return "accepted", ""
    return _sentence(said.strip().splitlines()[-1] if said.strip() else "")


def _ended(pid: int, child: _Child, memory: int, seconds: float) -> Outcome | None:
    """The outcome of a child that has ended, or that is ended now because its time is over."""
    found, status, usage = os.wait4(pid, os.WNOHANG)
    passed = time.monotonic() - child.started
    if found == 0:
        if passed < seconds or (passed < PATIENCE * seconds and _processor_seconds(pid) < seconds):
            return None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        _, status, usage = os.wait4(pid, 0)
        kind, note = (
            "hang",
            f"more than {seconds:g} s of a processor, or {PATIENCE * seconds:g} s by the clock",
        )
    else:
        kind, note = _recorded(child.folder, status)
    filled = usage.ru_maxrss * 1024
    if kind in GOOD and filled > memory:
        kind, note = "out of memory", f"{filled // 2**20} MB"
    shutil.rmtree(child.folder, ignore_errors=True)
    return Outcome(child.case, kind, note, usage.ru_utime + usage.ru_stime, filled)


def _processor_seconds(pid: int) -> float:
    """How long a child has computed."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _recorded(folder: Path, status: int) -> tuple[str, str]:
    try:
        kind, note = json.loads((folder / "outcome").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return "traceback", f"the process died with status {status}"
    return kind, note
