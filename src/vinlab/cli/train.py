"""``vinlab train``."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import torch
from tyro.conf import Positional, UseAppendAction, arg

from vinlab.cli.checks import MOST_SEED, most_threads, require_between, require_folder, require_one_of_two
from vinlab.cli.models import require_device
from vinlab.cli.output import print_scores, watched
from vinlab.experiments import experiment_of
from vinlab.experiments.base import Budget, Recipe, TrainingRequest
from vinlab.experiments.overrides import parse_overrides, read_overrides
from vinlab.experiments.runner import train as train_setting
from vinlab.learners import distributed
from vinlab.types import InputError


@dataclass(frozen=True)
class TrainOptions:
    """The options of ``vinlab train``."""

    budget: Budget = "paper"
    """smoke takes seconds, small minutes, paper the paper's own sizes."""
    recipe: Recipe = "default"
    """default learns best and fastest; paper does what the authors did; noise learns best by their means."""
    seed: int = 0
    """Random seed."""
    out: Path | None = None
    """Folder of the run; runs/ID/RECIPE-BUDGET/seed-N if not given."""
    data: Path | None = None
    """Folder or file of real data to train on instead of generated data."""
    device: str = "cpu"
    """Device to train on, such as cpu or cuda."""
    threads: int | None = None
    """Number of CPU threads; PyTorch's default if not given."""
    resume: bool = False
    """Continue the unfinished run in the folder."""
    overwrite: bool = False
    """Replace the run in the folder."""
    allow_changes: bool = False
    """With --resume: continue with another number of threads, device or version of a package; the manifest notes it."""
    tensorboard: bool = False
    """Write the metrics for TensorBoard too."""
    set: Annotated[tuple[str, ...], UseAppendAction] = ()
    """A field of the configuration to change, as NAME=VALUE such as learning.epochs=5 or network.iterations=30; vinlab
    show names the fields. May be given several times."""
    config: Path | None = None
    """A file with the whole configuration, as vinlab show prints it."""

    def request(self, id: str) -> TrainingRequest:
        """What is to be trained."""
        overrides = (read_overrides(self.config, id) if self.config else {}) | parse_overrides(self.set)
        folder = run_folder(id, self.budget, self.recipe, self.seed, changed=bool(overrides))
        return TrainingRequest(
            id=id,
            out=require_folder(self.out) if self.out else folder,
            budget=self.budget,
            recipe=self.recipe,
            seed=require_between(0, self.seed, MOST_SEED, "--seed"),
            data=self.data,
            device=require_device(self.device),
            resume=self.resume,
            overwrite=self.overwrite,
            allow_changes=self.allow_changes,
            tensorboard=self.tensorboard,
            overrides=overrides,
        )


def train(id: Positional[str], /, options: Annotated[TrainOptions, arg(name="")]) -> None:
    """Train a setting from scratch, evaluate it on unseen problems and record the run.

    Args:
        id: A setting such as gridworld/16/vin.
        options: How to train.
    """
    require_one_of_two(options.resume, options.overwrite)
    if options.threads is not None:
        torch.set_num_threads(require_between(1, options.threads, most_threads(), "--threads"))
    experiment = experiment_of(id)
    if not experiment.trains:
        raise InputError(
            f"{id} trains nothing, it evaluates a shipped model: vinlab evaluate MODEL --suite {experiment.name}."
        )
    with distributed.joined_processes():
        request = options.request(id)
        with watched(f"Training {id}", visible=distributed.rank() == 0) as progress:
            run = train_setting(experiment, request, progress=progress)
        if distributed.rank() == 0:
            print_scores(id, run.result["scores"])
            print(f"Trained in {run.result['training_seconds']:.0f} s; the run is in {run.folder}.")


def run_folder(
    id: str, budget: Budget, recipe: Recipe = "default", seed: int = 0, *, changed: bool = False
) -> Path:
    """Where a run is written if no folder is given; one with changes of its own lies apart."""
    return Path("runs") / id / f"{recipe}-{budget}{'-changed' if changed else ''}" / f"seed-{seed}"
