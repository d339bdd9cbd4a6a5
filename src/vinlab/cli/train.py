"""``vinlab train``."""

from pathlib import Path

import torch
from tyro.conf import Positional

from vinlab.cli.checks import (
    MOST_SEED,
    most_threads,
    require_between,
    require_folder,
    require_one_of_two,
)
from vinlab.cli.output import print_scores, watched
from vinlab.experiments import experiment_of
from vinlab.experiments.base import Budget, Recipe, TrainingRequest
from vinlab.experiments.runner import train as train_setting
from vinlab.learners import distributed
from vinlab.types import InputError


def train(
    id: Positional[str],
    /,
    budget: Budget = "paper",
    recipe: Recipe = "default",
    seed: int = 0,
    out: Path | None = None,
    data: Path | None = None,
    device: str = "cpu",
    threads: int | None = None,
    resume: bool = False,
    overwrite: bool = False,
    allow_changes: bool = False,
    tensorboard: bool = False,
) -> None:
    """Train a setting from scratch, evaluate it on unseen problems and record the run.

    Args:
        id: A setting such as gridworld/16/vin.
        budget: smoke takes seconds, small minutes, paper the paper's own sizes.
        recipe: default learns best and fastest; paper does what the authors did.
        seed: Random seed.
        out: Folder of the run; runs/ID/RECIPE-BUDGET/seed-N if not given.
        data: Folder or file of real data to train on instead of generated data.
        device: Device to train on, such as cpu or cuda.
        threads: Number of CPU threads; PyTorch's default if not given.
        resume: Continue the unfinished run in the folder.
        overwrite: Replace the run in the folder.
        allow_changes: With --resume: continue with another number of threads, device or version of a package, as the
            manifest will note.
        tensorboard: Write the metrics for TensorBoard too.
    """
    require_one_of_two(resume, overwrite)
    if threads is not None:
        torch.set_num_threads(require_between(1, threads, most_threads(), "--threads"))
    experiment = experiment_of(id)
    if not experiment.trains:
        raise InputError(
            f"{id} trains nothing, it evaluates a shipped model: vinlab evaluate MODEL --suite {experiment.name}."
        )
    with distributed.joined_processes():
        request = TrainingRequest(
            id=id,
            out=require_folder(out) if out else run_folder(id, budget, recipe, seed),
            budget=budget,
            recipe=recipe,
            seed=require_between(0, seed, MOST_SEED, "--seed"),
            data=data,
            device=require_device(device),
            resume=resume,
            overwrite=overwrite,
            allow_changes=allow_changes,
            tensorboard=tensorboard,
        )
        with watched(f"Training {id}", visible=distributed.rank() == 0) as progress:
            run = train_setting(experiment, request, progress=progress)
        if distributed.rank() == 0:
            print_scores(id, run.result["scores"])
            print(f"Trained in {run.result['training_seconds']:.0f} s; the run is in {run.folder}.")


def run_folder(id: str, budget: Budget, recipe: Recipe = "default", seed: int = 0) -> Path:
    """Where a run is written if no folder is given."""
    return Path("runs") / id / f"{recipe}-{budget}" / f"seed-{seed}"


def require_device(name: str) -> str:
    """The device, if PyTorch can compute there."""
    try:
        torch.empty(0, device=name)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise InputError(
            f"--device: expected a device that PyTorch has here, such as cpu, got '{name}'."
        ) from error
    return name
