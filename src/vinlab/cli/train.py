"""``vinlab train``."""

from pathlib import Path

import torch
from tyro.conf import Positional

from vinlab.cli.output import print_scores, require_at_least, watched
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
    tensorboard: bool = False,
) -> None:
    """Train a setting from scratch, evaluate it on unseen problems and record the run.

    Args:
        id: A setting such as gridworld/16/vin.
        budget: smoke takes seconds, small minutes, paper the paper's own sizes.
        recipe: default learns best and fastest; paper does what the authors did; noise learns best by their means.
        seed: Random seed.
        out: Folder of the run; runs/ID/RECIPE-BUDGET/seed-N if not given.
        data: Folder or file of real data to train on instead of generated data.
        device: Device to train on, such as cpu or cuda.
        threads: Number of CPU threads; PyTorch's default if not given.
        resume: Continue the unfinished run in the folder.
        overwrite: Replace the run in the folder.
        tensorboard: Write the metrics for TensorBoard too.
    """
    if threads is not None:
        torch.set_num_threads(require_at_least(1, threads, "--threads"))
    experiment = experiment_of(id)
    if not experiment.trains:
        raise InputError(
            f"{id} trains nothing, it evaluates a shipped model: vinlab evaluate MODEL --suite {experiment.name}."
        )
    with distributed.joined_processes():
        request = TrainingRequest(
            id=id,
            out=out or run_folder(id, budget, recipe, seed),
            budget=budget,
            recipe=recipe,
            seed=require_at_least(0, seed, "--seed"),
            data=data,
            device=require_device(device),
            resume=resume,
            overwrite=overwrite,
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
