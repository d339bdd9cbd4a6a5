"""Runs of all experiments killed again and again, and damaged: ``python -m reliability.soak_runs``.

A killed run is resumed until it ends; its weights must have the bytes, and its scores the numbers, of a run never
stopped. A killed run of which a file is damaged must be refused or end the same.
"""

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from reliability.odd_bytes import Rng, damaged
from vinlab.experiments import experiment_named, experiment_of
from vinlab.experiments.base import TrainingRequest
from vinlab.experiments.catalogue import NAMES
from vinlab.recording.finished_run import CHECKPOINT, MANIFEST, METRICS, RESULT, WEIGHTS, open_run
from vinlab.recording.run import PREVIOUS
from vinlab.types import InputError

KILLED, FINISHED, REFUSED, FAILED = "killed", "finished", "refused", "failed"
MOST_KILLS = 6
"""Kills of one run before it is left to end."""


@dataclass(frozen=True)
class Reference:
    """A run never stopped."""

    id: str
    folder: Path
    seconds: float
    operations: int
    """Writes to the disk, at each of which a run can be killed."""

    def equals(self, folder: Path) -> bool:
        """Whether another run ended with the same weights and scores."""
        same_weights = (folder / WEIGHTS).read_bytes() == (self.folder / WEIGHTS).read_bytes()
        return same_weights and open_run(folder).result["scores"] == open_run(self.folder).result["scores"]


def settings() -> list[str]:
    """A setting of every experiment: the first that it does not share with one before it."""
    chosen: list[str] = []
    for name in NAMES:
        chosen += [id for id in experiment_named(name).settings if id not in chosen][:1]
    return chosen


def train_child(id: str, folder: Path, *, resume: bool, die_at: int | None) -> None:
    """Train in this process and end it; with ``die_at`` it kills itself at that write to the disk."""
    from vinlab.experiments.runner import train

    counted = 0

    def mortal(operation: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            nonlocal counted
            counted += 1
            if counted == die_at:
                os.kill(os.getpid(), signal.SIGKILL)
            return operation(*arguments, **options)

        return call

    os.replace, os.fsync, os.unlink = mortal(os.replace), mortal(os.fsync), mortal(os.unlink)
    code = 0
    try:
        torch.set_num_threads(1)
        train(experiment_of(id), TrainingRequest(id=id, out=folder, budget="smoke", resume=resume))
        (folder.parent / f"{folder.name}.operations").write_text(str(counted))
    except InputError as error:
        print(f"  refused: {str(error)[:150]}", flush=True)
        code = 3
    except BaseException as error:
        print(f"  {type(error).__name__}: {error}", flush=True)
        code = 4
    finally:
        sys.stdout.flush()
        os._exit(code)


def train(
    id: str, folder: Path, *, resume: bool = False, die_at: int | None = None, seconds: float | None = None
) -> str:
    """Train in a child process, killed after some seconds or at a write to the disk; how it ended."""
    pid = os.fork()
    if pid == 0:
        train_child(id, folder, resume=resume, die_at=die_at)
    until = time.monotonic() + (1e9 if seconds is None else seconds)
    while True:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            break
        if time.monotonic() > until:
            os.kill(pid, signal.SIGKILL)
            _, status = os.waitpid(pid, 0)
            break
        time.sleep(0.002)
    if os.WIFSIGNALED(status):
        return KILLED
    return {0: FINISHED, 3: REFUSED}.get(os.WEXITSTATUS(status), FAILED)


def make_reference(id: str, root: Path) -> Reference:
    """Train once without a stop."""
    folder, started = root / "reference" / id.replace("/", "_"), time.monotonic()
    folder.parent.mkdir(exist_ok=True)
    if train(id, folder) != FINISHED:
        raise SystemExit(f"{id} could not be trained.")
    operations = int((folder.parent / f"{folder.name}.operations").read_text(encoding="utf-8"))
    return Reference(id, folder, time.monotonic() - started, operations)


def killed_run(reference: Reference, folder: Path, rng: Rng) -> tuple[int, bool]:
    """A run killed up to so many times and resumed until it ends: how often it was killed, and whether it is equal."""
    kills = 0
    while True:
        stop: dict[str, Any] = {}
        if 0 < kills < MOST_KILLS and rng.random() < 0.5:  # the first at a write: every run is killed once
            stop = {"seconds": float(rng.uniform(0, reference.seconds))}
        elif kills < MOST_KILLS:
            stop = {"die_at": int(rng.integers(1, reference.operations + 1))}
        ended = train(reference.id, folder, resume=kills > 0, **stop)
        kills += ended == KILLED
        if (folder / RESULT).exists():  # the result is written last: what was killed then was complete
            return kills, reference.equals(folder)
        if ended != KILLED:
            return kills, False


def damaged_run(reference: Reference, folder: Path, rng: Rng) -> str:
    """A run killed late, then damaged in one of its files and resumed: refused, recovered or different."""
    train(
        reference.id,
        folder,
        die_at=int(rng.integers(max(1, reference.operations // 2), reference.operations)),
    )
    if (folder / RESULT).exists():
        return "finished before the kill"
    files = [name for name in (MANIFEST, METRICS, CHECKPOINT, PREVIOUS) if (folder / name).is_file()]
    file = folder / str(rng.choice(files))
    data = file.read_bytes()
    file.write_bytes(damaged(data, rng)[1] if data else b"x")
    ended = train(reference.id, folder, resume=True)
    if ended == FINISHED:
        return "recovered" if reference.equals(folder) else "different"
    return ended


def soak(kills: int, damages: int, seed: int, root: Path, only: list[str]) -> dict[str, Any]:
    """Kill until there were enough kills, then damage."""
    rng, started = np.random.default_rng(seed), time.monotonic()
    references = [make_reference(id, root) for id in only or settings()]
    print(", ".join(f"{one.id} {one.seconds:.1f} s" for one in references), flush=True)
    by_setting, different, runs = Counter[str](), 0, 0
    while sum(by_setting.values()) < kills:
        reference = references[runs % len(references)]
        found, equal = killed_run(reference, root / f"run{runs}", rng)
        by_setting[reference.id] += found
        different += not equal
        shutil.rmtree(root / f"run{runs}")
        print(f"{reference.id}: {found} kills, {'identical' if equal else 'DIFFERENT'}", flush=True)
        runs += 1
    quick = sorted(references, key=lambda one: one.seconds)[:4]
    outcomes = Counter[str]()
    for number in range(damages):
        outcomes[damaged_run(quick[number % len(quick)], root / f"damaged{number}", rng)] += 1
        shutil.rmtree(root / f"damaged{number}", ignore_errors=True)
    return {
        "kills": sum(by_setting.values()),
        "kills_by_setting": dict(by_setting),
        "runs": runs,
        "different_runs": different,
        "damaged_runs": damages,
        "damage_outcomes": dict(outcomes),
        "damaged_in": [one.id for one in quick],
        "seed": seed,
        "seconds": round(time.monotonic() - started, 1),
    }


def main() -> None:
    """Run the trial, print the counts, and record them where asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--damages", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--only", nargs="*", default=[], help="settings; one of every experiment if not given"
    )
    parser.add_argument("--record", type=Path, help="file for the counts, as JSON")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="soak-") as root:
        found = soak(options.kills, options.damages, options.seed, Path(root), options.only)
    print(json.dumps(found, indent=2))
    if options.record:
        from reliability.record import write_record

        write_record(options.record, "python -m reliability.soak_runs", found)
    outcomes = found["damage_outcomes"]
    sys.exit(bool(found["different_runs"] or outcomes.get("different") or outcomes.get(FAILED)))


if __name__ == "__main__":
    main()
