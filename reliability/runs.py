"""Hostile runs and models: manifests, results, metrics, weights, checkpoints and cards, damaged or odd."""

import atexit
import functools
import json
import os
import shutil
import signal
import struct
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from reliability.bombs import PLACES
from reliability.cases import Case, SilentDifference, command
from reliability.odd_bytes import ODD_VALUES, Rng, damaged, odd_json
from vinlab import models
from vinlab.recording.checkpoint import load_checkpoint, save_checkpoint
from vinlab.recording.finished_run import CHECKPOINT, MANIFEST, METRICS, RESULT, WEIGHTS, open_run
from vinlab.recording.weights import load_tensors

SETTING = "gridworld/8/vin"


@functools.cache
def fixtures() -> Path:
    """A folder with a finished run and one that was killed after its checkpoint, both trained here."""
    root = Path(tempfile.mkdtemp(prefix="fuzz-runs-"))
    owner = os.getpid()
    atexit.register(lambda: shutil.rmtree(root, ignore_errors=True) if os.getpid() == owner else None)
    for name, killed in (("finished", False), ("killed", True)):
        pid = os.fork()
        if pid == 0:
            _train(root / name, killed=killed)
        os.waitpid(pid, 0)
    assert (root / "finished" / RESULT).exists()
    assert (root / "killed" / CHECKPOINT).exists()
    return root


def _train(folder: Path, *, killed: bool) -> None:
    """Never returns; a killed run ends by a signal when its checkpoint is on the disk."""
    from vinlab.experiments import experiment_of, runner
    from vinlab.experiments.base import TrainingRequest
    from vinlab.recording.run import Run

    class DyingRun(Run):
        def save_checkpoint(self, tensors: Mapping[str, torch.Tensor], state: Mapping[str, Any]) -> None:
            super().save_checkpoint(tensors, state)
            os.kill(os.getpid(), signal.SIGKILL)

    if killed:
        runner.Run = DyingRun
    torch.set_num_threads(1)
    request = TrainingRequest(id=SETTING, out=folder, budget="smoke")
    runner.train(experiment_of(SETTING), request)
    os._exit(0)


def warm_up() -> None:
    """Make the runs, and load what commands use, before the first fork."""
    import vinlab.export.onnx
    from vinlab.navigation.routes import navigate, shortest_route

    fixtures()
    empty = np.zeros((6, 6), np.uint8)
    navigate(models.load(SETTING), empty, (0, 0), (5, 5))
    navigate(models.load(models.default_id(corner_cutting=True)), empty, (0, 0), (5, 5))
    shortest_route(empty, (0, 0), (5, 5))
    assert vinlab.export


def copied(name: str, change: Callable[[Path], Any]) -> Callable[[Path], None]:
    """Makes a copy of a run with one change."""

    def write(folder: Path) -> None:
        shutil.copytree(fixtures() / name, folder / "run")
        change(folder / "run")

    return write


def replaced(file: str, data: bytes) -> Callable[[Path], Any]:
    """The change of one file."""
    return lambda run: (run / file).write_bytes(data)


USES = {
    "show": command("show", "{}/run"),
    "table": command("table", "gridworld", "--runs", "{}/run"),
    "export": command("export", "{}/run", "{}/a.onnx"),
    "load": lambda folder: models.load(folder / "run"),
    "metrics": lambda folder: open_run(folder / "run").metrics(),
    "plot": command("plot", "{}/run", "--out", "{}/figures"),
}


def odd_records(rng: Rng, count: int) -> Iterator[Case]:
    """Manifests and results with one odd field, without checksums as an older version wrote them."""
    for number in range(count):
        file = str(rng.choice([MANIFEST, RESULT]))
        value = json.loads((fixtures() / "finished" / file).read_text(encoding="utf-8"))
        value.pop("checksums", None)
        kind, data = odd_json(value, rng)
        use = str(rng.choice(list(USES)))
        unsealed = json.loads((fixtures() / "finished" / RESULT).read_text(encoding="utf-8"))
        del unsealed["checksums"]

        def change(run: Path, file: str = file, data: bytes = data, unsealed: Any = unsealed) -> None:
            (run / RESULT).write_text(json.dumps(unsealed))
            (run / file).write_bytes(data)

        yield Case(f"runs: odd {file}", f"{kind}, {use}, {number}", USES[use], copied("finished", change))


def damaged_runs(rng: Rng, count: int) -> Iterator[Case]:
    """Any file of a finished run with random damage; what is accepted must be what the run recorded."""
    sound = fixtures() / "finished"
    known = open_run(sound)
    original = known.result, known.metrics(), load_tensors(sound / WEIGHTS)

    def read(folder: Path) -> Any:
        run = open_run(folder / "run")
        return (
            run.result,
            run.metrics(),
            load_tensors(folder / "run" / WEIGHTS),
            models.load(folder / "run").config,
        )

    def check(found: Any) -> None:
        same = found[:2] == original[:2] and found[3] == known.manifest.config
        if not same or any(not torch.equal(found[2][name], original[2][name]) for name in original[2]):
            raise SilentDifference("another result, configuration, metric or weight")

    for number in range(count):
        file = str(rng.choice([MANIFEST, RESULT, METRICS, WEIGHTS]))
        kind, data = damaged((sound / file).read_bytes(), rng)
        yield Case(
            "runs: damaged files",
            f"{file}, {kind}, {number}",
            read,
            copied("finished", replaced(file, data)),
            check,
        )


def resumed_runs(rng: Rng, count: int) -> Iterator[Case]:
    """A killed run with a damaged file is refused, or ends with the weights and scores of one never killed."""
    finished = open_run(fixtures() / "finished")
    weights = load_tensors(finished.folder / WEIGHTS)

    def resume(folder: Path) -> Any:
        from vinlab.experiments import experiment_of
        from vinlab.experiments.base import TrainingRequest
        from vinlab.experiments.runner import train

        request = TrainingRequest(id=SETTING, out=folder / "run", budget="smoke", resume=True)
        run = train(experiment_of(SETTING), request)
        return run.result["scores"], load_tensors(run.folder / WEIGHTS)

    def check(found: Any) -> None:
        scores, tensors = found
        if scores != finished.result["scores"] or any(
            not torch.equal(tensors[name], weights[name]) for name in weights
        ):
            raise SilentDifference("other scores or weights after the resume")

    for number in range(count):
        file = str(rng.choice([MANIFEST, METRICS, CHECKPOINT, CHECKPOINT]))
        kind, data = damaged((fixtures() / "killed" / file).read_bytes(), rng)
        yield Case(
            "runs: resumed after damage",
            f"{file}, {kind}, {number}",
            resume,
            copied("killed", replaced(file, data)),
            check,
        )


def odd_checkpoints(rng: Rng, count: int) -> Iterator[Case]:
    """A killed run whose checkpoint has a right checksum and one odd field or tensor; it is resumed."""
    found = load_checkpoint(fixtures() / "killed" / CHECKPOINT)
    assert found is not None
    use = command("train", SETTING, "--budget", "smoke", "--threads", "1", "--out", "{}/run", "--resume")
    for number in range(count):
        tensors, state = dict(found.tensors), dict(found.state)
        if number % 2:
            place = str(rng.choice(list(state)))
            state[place] = ODD_VALUES[int(rng.integers(len(ODD_VALUES)))]
            kind = f"{place} is {str(state[place])[:20]!r}"
        else:
            place = str(rng.choice(list(tensors)))
            kind = f"{place} is odd"
            odd = [tensors[place].double(), tensors[place].flatten()[:0], tensors[place] * float("nan"), None]
            if (changed := odd[int(rng.integers(len(odd)))]) is None:
                del tensors[place]
            else:
                tensors[place] = changed

        def change(run: Path, tensors: Any = tensors, state: Any = state) -> None:
            save_checkpoint(
                run / CHECKPOINT,
                tensors,
                state,
                metrics_lines=found.metrics_lines,
                seconds=1.0,
                metrics=found.metrics,
            )

        yield Case("runs: odd checkpoints", f"{kind}, {number}", use, copied("killed", change))


def odd_metrics(rng: Rng, count: int) -> Iterator[Case]:
    """Lines of metrics with one odd field."""
    lines = (fixtures() / "finished" / METRICS).read_bytes().splitlines()
    for number in range(count):
        place = int(rng.integers(len(lines)))
        kind, data = odd_json(json.loads(lines[place]), rng)
        changed = b"\n".join([*lines[:place], data, *lines[place + 1 :]]) + b"\n"
        use = str(rng.choice(["metrics", "show", "table", "plot"]))

        def change(run: Path, changed: bytes = changed) -> None:
            unsealed = json.loads((run / RESULT).read_text(encoding="utf-8"))
            del unsealed["checksums"]
            (run / RESULT).write_text(json.dumps(unsealed))
            (run / METRICS).write_bytes(changed)

        yield Case("runs: odd metrics", f"{kind}, {use}, {number}", USES[use], copied("finished", change))


def odd_places(rng: Rng) -> Iterator[Case]:
    """Folders, pipes and links in place of the files of a run."""
    for file in (MANIFEST, RESULT, METRICS, WEIGHTS):
        for place, make in PLACES.items():

            def change(run: Path, file: str = file, make: Any = make) -> None:
                (run / file).unlink()
                make(run)
                if (run / "a").exists() or (run / "a").is_symlink():
                    (run / "a").rename(run / file)

            use = str(rng.choice(["table", "load", "metrics"]))
            yield Case("runs: no file", f"{file} is {place}, {use}", USES[use], copied("finished", change))
    for file in (METRICS, CHECKPOINT, ".lock"):

        def pipe(run: Path, file: str = file) -> None:
            (run / file).unlink(missing_ok=True)
            os.mkfifo(run / file)

        resume = command(
            "train", SETTING, "--budget", "smoke", "--threads", "1", "--out", "{}/run", "--resume"
        )
        yield Case("runs: no file", f"resume, {file} is a pipe", resume, copied("killed", pipe))


def odd_tensors(rng: Rng, count: int) -> Iterator[Case]:
    """Files of tensors with odd headers."""
    entry = {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]}
    for number in range(count):
        kind, header = odd_json(
            {"a": entry, "b": {**entry, "data_offsets": [16, 32]}, "__metadata__": {"id": "x"}}, rng
        )
        length = (
            int(rng.choice([len(header), len(header) + 8, 0, 2**31, 2**63 - 1]))
            if rng.random() < 0.3
            else len(header)
        )
        data = struct.pack("<Q", length) + header + bytes(32)
        yield Case(
            "models: odd tensors",
            f"{kind}, {number}",
            lambda folder: load_tensors(folder / "a"),
            lambda folder, data=data: (folder / "a").write_bytes(data),
        )


def odd_cards(rng: Rng, count: int) -> Iterator[Case]:
    """Cards of shipped models with one odd field; the weights are sound."""
    cards = {id: models.read_card(id) for id in models.shipped_ids()}
    for number in range(count):
        id = str(rng.choice(list(cards)))
        kind, data = odd_json(cards[id], rng)

        def act(folder: Path, id: str = id) -> None:
            models.SHIPPED = folder
            model = models.load(id)
            model.iterations_for((9, 9))

        def write(folder: Path, id: str = id, data: bytes = data) -> None:
            stem = models.stem_of(id)
            shutil.copy(models.SHIPPED / f"{stem}.safetensors", folder)
            (folder / f"{stem}.json").write_bytes(data)

        yield Case("models: odd cards", f"{id}, {kind}, {number}", act, write)


def cases(rng: Rng, count: int) -> Iterator[Case]:
    """About ``count`` cases."""
    yield from odd_places(rng)
    yield from odd_records(rng, count * 25 // 100)
    yield from odd_checkpoints(rng, count * 8 // 100)
    yield from odd_metrics(rng, count * 8 // 100)
    yield from damaged_runs(rng, count * 20 // 100)
    yield from resumed_runs(rng, count * 5 // 100)
    yield from odd_tensors(rng, count * 15 // 100)
    yield from odd_cards(rng, count * 15 // 100)
