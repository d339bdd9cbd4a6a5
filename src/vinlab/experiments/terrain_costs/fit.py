"""Fitting a planner to a dataset of one's own, as a function."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from vinlab.experiments.base import Setting, TrainingRequest
from vinlab.experiments.runner import train
from vinlab.experiments.terrain_costs import EXPERIMENT
from vinlab.experiments.terrain_costs.data import TerrainCostsData
from vinlab.experiments.terrain_costs.dataset.record import ReadingOptions
from vinlab.experiments.terrain_costs.settings import MANY_KINDS, PICTURES, PathLearning, TerrainCostsTraining
from vinlab.learners.callbacks import Progress, no_progress
from vinlab.learners.path_losses import MaxEntropyConfig, PathImitationConfig, PathLossConfig, SlipConfig
from vinlab.networks.terrain.ground_encoder import View
from vinlab.networks.terrain.ground_vin import GroundVinConfig
from vinlab.recording.finished_run import FinishedRun
from vinlab.types import InputError

LossName = Literal["max-entropy", "imitation", "slips"]
OWN = "terrain-costs/own"
"""The id of every run of ``vinlab fit``."""

MOST_KINDS = 1000


@dataclass(frozen=True)
class FitOptions:
    """How a planner is fitted to demonstrated paths."""

    view: View = "near"
    """What a cell's cost depends on: cell (itself alone), near (5 x 5 cells around it) or wide (17 x 17 cells)."""
    loss: LossName = "slips"
    """slips: moves are best ones, some are random. imitation: each move is a best one. max-entropy: cheap paths are
    likelier."""
    pixels_per_cell: int | None = None
    """Pixels along the edge of a cell; 1 if not given, or as arrays of blocked cells or costs tell."""
    split_by: str | None = None
    """Column of the table, or array, by which images are split; its entries may be train, validation and test."""
    skip_bad: bool = False
    """Leave out paths that cannot be used, each with a sentence, instead of stopping at the first."""
    symmetric: bool = True
    """Train on turned and mirrored images too, and plan by the mean of their costs; not where light or direction
    matter."""
    hidden: int = 32
    """Filters of each layer."""
    kinds: int = MANY_KINDS
    """The most kinds of ground, each with one cost, that are told apart; 0 lets every cell have a cost of its own."""
    updates: int = PathLearning.updates
    """About how many updates of the weights."""
    rate: float = PathLearning.rate
    """The highest learning rate."""

    def __post_init__(self) -> None:
        if self.updates < 1 or self.hidden < 1 or not 0 < self.rate < 1:
            raise InputError(
                f"expected updates and hidden of at least 1 and a rate between 0 and 1, got {self.updates}, "
                f"{self.hidden} and {self.rate}."
            )
        if self.kinds == 1 or not 0 <= self.kinds <= MOST_KINDS:
            raise InputError(f"expected 0 or 2 to {MOST_KINDS} kinds of ground, got {self.kinds}.")

    def training(self) -> TerrainCostsTraining:
        """The configuration of the run."""
        kinds: tuple[PathLossConfig, ...] = (MaxEntropyConfig(), PathImitationConfig(), SlipConfig())
        losses = {one.kind: one for one in kinds}
        reading = ReadingOptions(self.pixels_per_cell, self.split_by, self.skip_bad)
        return TerrainCostsTraining(
            network=GroundVinConfig(
                view=self.view, hidden=self.hidden, kinds=self.kinds, symmetric=self.symmetric
            ),
            data=TerrainCostsData(origin="own", reading=reading),
            loss=losses[self.loss],
            learning=PathLearning(self.updates, self.rate, symmetric=self.symmetric, pictures=PICTURES),
        )


def fit(
    data: str | Path,
    out: str | Path,
    options: FitOptions | None = None,
    *,
    seed: int = 0,
    resume: bool = False,
    overwrite: bool = False,
    tensorboard: bool = False,
    progress: Progress = no_progress,
) -> FinishedRun:
    """Fit a planner to the demonstrated paths of a dataset, evaluate it on held-out images and record the run.

    ``data`` is an ``.npz`` file or a folder of images with a table of paths; ``out`` the folder of the run, from which
    ``vinlab.load`` loads the planner.
    """
    config = (options or FitOptions()).training()
    setting: Setting[TerrainCostsTraining] = replace(
        EXPERIMENT.settings[OWN], configure=lambda budget, recipe: config
    )
    rules: dict[str, Any] = {"resume": resume, "overwrite": overwrite, "tensorboard": tensorboard}
    request = TrainingRequest(OWN, Path(out), seed=seed, data=Path(data), **rules)
    return train(replace(EXPERIMENT, settings={OWN: setting}), request, progress=progress)
