"""The one way to train a setting: data, manifest, seeded network, run folder, fit, result."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, TypeVar

import torch
from torch import nn

from vinlab.experiments.base import Experiment, FitContext, Option, TrainingRequest
from vinlab.experiments.overrides import override
from vinlab.experiments.results import RunResult, count_parameters, epoch_cpu_seconds
from vinlab.learners import distributed
from vinlab.learners.allocator import keep_freed_memory
from vinlab.learners.callbacks import CallbackLogger, Progress, RunLogger, no_progress
from vinlab.learners.training_state import Best
from vinlab.recording.finished_run import METRICS, FinishedRun, open_run
from vinlab.recording.manifest import Manifest, describe_run
from vinlab.recording.metrics import read_metrics
from vinlab.recording.run import ReadOnlyRun, Run
from vinlab.recording.serialization import to_plain
from vinlab.types import InputError

Built = TypeVar("Built")


def train(
    experiment: Experiment, request: TrainingRequest, *, progress: Progress = no_progress
) -> FinishedRun:
    """Train a setting, evaluate it on its test data and record the run."""
    require_supported(experiment, request)
    keep_freed_memory()
    config = configuration(experiment, request)
    data = experiment.make_data(config, request)
    config = experiment.adapt(config, data)
    manifest = describe_run(
        id=request.id,
        budget=request.budget,
        recipe=request.recipe,
        seed=request.seed,
        config=config_record(experiment, request, config),
        data_hash=data.hash,
        device=request.device,
        world_size=distributed.world_size(),
    )
    network = seeded(request.seed, lambda: experiment.build(config, data)).to(request.device)

    def fit(logger: RunLogger) -> Best:
        context = FitContext(request.seed, request.out, logger, progress)
        return experiment.fit(config, data, network, context)

    def score(best: Best, seconds: float) -> RunResult:
        measured = experiment.score(config, data, network, request.seed)
        return replace(
            measured,
            training_seconds=seconds,
            best_epoch=best.epoch + 1 if best.epoch >= 0 else None,
            parameters=count_parameters(network),
            epoch_cpu_seconds=epoch_cpu_seconds(read_metrics(request.out / METRICS)),
        )

    return record(manifest, request, network, fit, score)


def configuration(experiment: Experiment, request: TrainingRequest) -> Any:
    """The configuration of the setting, with the fields that the request changes."""
    config = experiment.settings[request.id].configured(request.budget, request.recipe)
    return override(config, request.overrides)


def require_supported(experiment: Experiment, request: TrainingRequest) -> None:
    """Refuse an option that the experiment would ignore."""
    asked: dict[Option, tuple[bool, str]] = {
        "device": (request.device != "cpu", f"--device {request.device}"),
        "distributed": (distributed.world_size() > 1, f"torchrun with {distributed.world_size()} processes"),
        "data": (request.data is not None, f"--data {request.data}"),
    }
    for option, (wanted, words) in asked.items():
        if wanted and option not in experiment.supports:
            raise InputError(f"{request.id} does not support {words}: {REFUSED[option]}.")


REFUSED: dict[Option, str] = {
    "device": "it runs on the CPU",
    "distributed": "it trains in one process",
    "data": "its data are generated",
}


def config_record(experiment: Experiment, request: TrainingRequest, config: Any) -> dict[str, Any]:
    """The configuration as the manifest holds it and ``vinlab show`` prints it; it names where the data came from."""
    plain = to_plain(config)
    source = request.data.name if request.data else experiment.generated
    changed = {"overrides": to_plain(request.overrides)} if request.overrides else {}
    return {**plain, "data": {**plain.get("data", {}), "source": source}, **changed}


def seeded(seed: int, build: Callable[[], Built]) -> Built:
    """Build with random weights that depend on the seed alone."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return build()


def record(
    manifest: Manifest,
    request: TrainingRequest,
    network: nn.Module,
    fit: Callable[[RunLogger], Best],
    score: Callable[[Best, float], RunResult],
) -> FinishedRun:
    """Fit and record; of several processes the first one writes the run and the others only read it."""
    if distributed.rank() > 0:
        distributed.wait_for_all()
        fit(ReadOnlyRun(request.out))
        distributed.wait_for_all()
        return open_run(request.out)
    with Run.create(
        request.out,
        manifest,
        resume=request.resume,
        overwrite=request.overwrite,
        allow_changes=request.allow_changes,
    ) as run:
        distributed.wait_for_all()
        with ExitStack() as stack:
            logger: RunLogger = run
            if request.tensorboard:
                from vinlab.recording.tensorboard import TensorBoardLogger

                logger = stack.enter_context(TensorBoardLogger(run, request.out))
            best = fit(CallbackLogger(logger, request.on_metrics) if request.on_metrics else logger)
        finished = run.finish(network.state_dict(), score(best, run.seconds).to_plain())
        distributed.wait_for_all()
        return finished
