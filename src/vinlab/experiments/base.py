"""What an experiment is: a table or figure of the paper, its settings, and how to make it."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import torch

from vinlab.learners import distributed
from vinlab.learners.callbacks import Progress, unwatched
from vinlab.models import suggestion
from vinlab.recording.finished_run import RecordedRun
from vinlab.recording.manifest import Manifest, describe_run
from vinlab.types import InputError

Budget = Literal["smoke", "small", "paper"]
"""How much to spend: seconds, to see that it runs; minutes, for the same trends; or the paper's own sizes."""

Recipe = Literal["default", "paper"]
"""How to train: what learns best and fastest, or what the authors did."""

Built = TypeVar("Built")

BUDGETS: tuple[Budget, ...] = get_args(Budget)
RECIPES: tuple[Recipe, ...] = get_args(Recipe)


@dataclass(frozen=True)
class TrainingRequest:
    """What someone wants to be trained."""

    id: str
    out: Path
    budget: Budget = "paper"
    recipe: Recipe = "default"
    seed: int = 0
    data: Path | None = None
    """A folder of real data to train on instead of generated ones."""
    device: str = "cpu"
    resume: bool = False
    overwrite: bool = False
    tensorboard: bool = False

    def describe(self, config: Any, data_hash: str) -> Manifest:
        """The manifest of the run that answers this request."""
        return describe_run(
            id=self.id,
            budget=self.budget,
            recipe=self.recipe,
            seed=self.seed,
            config=config,
            data_hash=data_hash,
            device=self.device,
            world_size=distributed.world_size(),
        )


def seeded(seed: int, build: Callable[[], Built]) -> Built:
    """What is built with random weights that the seed decides, whatever else draws random numbers."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return build()


@dataclass(frozen=True)
class Setting:
    """One cell of a table."""

    id: str
    about: str
    configure: Callable[[Budget, Recipe], Any]
    """The whole configuration for a budget and a recipe, as a dataclass."""


Learn = Callable[..., RecordedRun]
"""Carries out what a configuration says, for a request and with progress shown, and records it."""


@dataclass(frozen=True)
class Experiment:
    """A table or figure of the paper."""

    name: str
    paper: str
    """Where in the paper it stands."""
    settings: Mapping[str, Setting]
    learn: Learn
    table: Callable[[Sequence[RecordedRun]], str]
    """Ours beside the paper's, as Markdown, from recorded runs."""
    judge: Callable[..., Mapping[str, Any]] | None = None
    """The scores of a model on given problems or on its own (None), with so many iterations or its own (None);
    without it, models are judged by the rules of the grid-world."""

    def setting(self, id: str) -> Setting:
        """The setting of this id."""
        return self.settings[id]

    def train(self, request: TrainingRequest, progress: Progress) -> RecordedRun:
        """Train one of the settings and record it."""
        config = self.setting(request.id).configure(request.budget, request.recipe)
        return self.learn(config, request, progress=progress)


def train(
    experiments: Sequence[Experiment], request: TrainingRequest, *, progress: Progress = unwatched
) -> RecordedRun:
    """Train what is asked for and record it."""
    return experiment_of(experiments, request.id).train(request, progress=progress)


def experiment_of(experiments: Sequence[Experiment], id: str) -> Experiment:
    """The experiment that a setting belongs to."""
    for experiment in experiments:
        if id in experiment.settings:
            return experiment
    known = [id for experiment in experiments for id in experiment.settings]
    raise InputError(f"There is no setting '{id}'{suggestion(id, known)}.")


def experiment_named(experiments: Sequence[Experiment], name: str) -> Experiment:
    """The experiment of this name."""
    for experiment in experiments:
        if name == experiment.name:
            return experiment
    raise InputError(f"There is no experiment '{name}'{suggestion(name, [e.name for e in experiments])}.")


def paper_numbers(experiment: str) -> dict[str, dict[str, float]]:
    """What the paper prints, by id and measure."""
    text = resources.files("vinlab.experiments").joinpath("paper.toml").read_text(encoding="utf-8")
    return tomllib.loads(text).get(experiment, {})
