"""Many runs at once: in worker processes on this machine, or on a Ray cluster.

A worker that dies is replaced and its run continued from the last checkpoint, so no more than an epoch is lost.
"""

import multiprocessing
import os
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from vinlab.experiments.plan import PlannedRun, missing_runs
from vinlab.learners.callbacks import Progress
from vinlab.types import InputError, missing_library

TRIES = 3
"""How often a run is started at most when its worker dies."""

KEPT_WEIGHTS = 200_000
"""Bytes up to which the weights of a finished run are kept."""


@dataclass(frozen=True)
class Job:
    """A run and where it is written."""

    run: PlannedRun
    root: Path
    data: Path | None = None


@dataclass(frozen=True)
class Event:
    """What happened to a job."""

    job: Job
    kind: str
    """``progress``, ``finished`` or ``failed``."""
    done: int = 0
    total: int = 0
    note: str = ""


def run_job(job: Job, report: Progress, threads: int | None = None) -> None:
    """Train one setting, or continue it; large weights are removed when it is finished.

    A run that is finished already stays as it is: its worker may have died before it could say so.
    """
    import torch

    from vinlab.experiments import experiment_named
    from vinlab.experiments.runner import train
    from vinlab.recording.finished_run import WEIGHTS, is_finished, open_run

    if threads is not None:
        torch.set_num_threads(threads)
    request = job.run.request(job.root, job.data)
    if not is_finished(request.out) or missing_runs([job.run], [open_run(request.out)]):
        train(experiment_named(job.run.experiment), request, progress=report)
    weights = request.out / WEIGHTS
    if weights.exists() and weights.stat().st_size > KEPT_WEIGHTS:
        weights.unlink()


def run_locally(jobs: Sequence[Job], workers: int) -> Iterator[Event]:
    """Run the jobs in worker processes on this machine."""
    pool = _Pool(list(jobs), min(workers, len(jobs)))
    try:
        while pool.busy:
            yield from pool.step()
    finally:
        pool.close()


@dataclass
class _Worker:
    process: Any
    connection: Connection
    job: Job


@dataclass
class _Pool:
    """Workers that each take one job after another."""

    waiting: list[Job]
    size: int
    workers: list[_Worker] = field(default_factory=list)
    tries: dict[Job, int] = field(default_factory=dict)

    @property
    def busy(self) -> bool:
        """Whether a job is waiting or under way."""
        return bool(self.waiting or self.workers)

    def step(self) -> list[Event]:
        """Fill free places, then wait until a worker reports or dies."""
        while self.waiting and len(self.workers) < self.size:
            self._start(self.waiting.pop(0))
        ready = wait([worker.connection for worker in self.workers])
        return [
            event
            for worker in [worker for worker in self.workers if worker.connection in ready]
            for event in self._receive(worker)
        ]

    def _start(self, job: Job) -> None:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        threads = max(1, (os.cpu_count() or 1) // self.size)
        process = context.Process(target=_work, args=(theirs, threads), daemon=True)
        process.start()
        theirs.close()
        worker = _Worker(process, ours, job)
        self.workers.append(worker)
        self._send(worker, job)

    def _send(self, worker: _Worker, job: Job) -> None:
        self.tries[job] = self.tries.get(job, 0) + 1
        worker.job = job
        worker.connection.send(job)

    def _receive(self, worker: _Worker) -> list[Event]:
        try:
            event: Event = worker.connection.recv()
        except EOFError:
            return self._lost(worker)
        if event.kind != "progress":
            self._next(worker)
        return [event]

    def _next(self, worker: _Worker) -> None:
        if self.waiting:
            self._send(worker, self.waiting.pop(0))
            return
        worker.connection.send(None)
        worker.process.join()
        self.workers.remove(worker)

    def _lost(self, worker: _Worker) -> list[Event]:
        """The worker died: its job waits again, or fails when it was tried too often."""
        worker.process.join()
        self.workers.remove(worker)
        if self.tries[worker.job] < TRIES:
            self.waiting.insert(0, worker.job)
            return []
        code = worker.process.exitcode
        return [
            Event(worker.job, "failed", note=f"its process ended {TRIES} times, last with exit code {code}")
        ]

    def close(self) -> None:
        """Stop what is under way; it can be continued later."""
        for worker in self.workers:
            worker.process.terminate()
            worker.process.join()


def _work(connection: Connection, threads: int) -> None:
    """The loop of a worker process."""
    while (job := connection.recv()) is not None:
        connection.send(_outcome(job, connection.send, threads))


def _outcome(job: Job, send: Callable[[Event], None], threads: int) -> Event:
    """Run the job, send its progress, and give its end."""
    try:
        run_job(job, lambda done, total, note: send(Event(job, "progress", done, total, note)), threads)
    except InputError as error:
        return Event(job, "failed", note=str(error))
    except Exception as error:  # a fault of one run must not stop the others
        traceback.print_exc()
        return Event(job, "failed", note=f"{type(error).__name__}: {error}")
    return Event(job, "finished")


def run_on_ray(jobs: Sequence[Job], address: str) -> Iterator[Event]:
    """Run the jobs as tasks on a Ray cluster whose machines share the folder of runs."""
    try:
        import ray
        from ray.util.queue import Empty, Queue
    except ImportError as error:
        raise missing_library("--ray", "ray", extra="ray") from error

    if not ray.is_initialized():
        ray.init(address=address, log_to_driver=False)
    queue = Queue(actor_options={"num_cpus": 0})
    # Ray starts a task whose worker died anew, and the run continues from its checkpoint.
    task = ray.remote(_ray_task).options(num_cpus=1, max_retries=TRIES - 1)
    open_tasks = {task.remote(job, queue): job for job in jobs}
    while open_tasks:
        finished, _ = ray.wait(list(open_tasks), timeout=0.2)
        while True:
            try:
                yield queue.get_nowait()
            except Empty:
                break
        for reference in finished:
            yield _ray_result(ray, reference, open_tasks.pop(reference))


def _ray_task(job: Job, queue: Any) -> Event:
    return _outcome(job, queue.put, threads=1)


def _ray_result(ray: Any, reference: Any, job: Job) -> Event:
    try:
        return ray.get(reference)
    except ray.exceptions.RayError as error:
        return Event(job, "failed", note=f"{type(error).__name__} on the Ray cluster")
