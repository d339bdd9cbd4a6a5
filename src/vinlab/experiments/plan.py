"""The runs behind the tables in ``results/``: which there should be, and which are missing."""

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from vinlab.experiments import experiment_named
from vinlab.experiments.base import BEYOND_PAPER, Budget, Experiment, Recipe, TrainingRequest
from vinlab.experiments.catalogue import NAMES
from vinlab.recording.finished_run import MANIFEST, FinishedRun
from vinlab.types import InputError

Key = tuple[str, str, str, int, str | None]


@dataclass(frozen=True)
class PlannedRun:
    """One run that belongs into the tables."""

    experiment: str
    id: str
    recipe: Recipe
    budget: Budget
    seed: int
    source: str | None = None
    """The name of a folder of real data; None where the data are generated."""

    @property
    def key(self) -> Key:
        """What tells it from the others, whichever table shows it."""
        return self.id, self.recipe, self.budget, self.seed, self.source

    def folder(self, root: Path) -> Path:
        """Where the run lies below a folder of runs."""
        data = f"{self.source}-" if self.source else ""
        return root / self.id / f"{data}{self.recipe}-{self.budget}" / f"seed-{self.seed}"

    def request(self, root: Path, data: Path | None) -> TrainingRequest:
        """What the runner is asked for; an unfinished run is continued."""
        folder = self.folder(root)
        if not self.is_possible(data):
            raise InputError(f"expected --data FOLDER with {self.source} in it, got {data or 'no --data'}.")
        real = data / self.source if data and self.source else None
        resume = (folder / MANIFEST).exists()
        return TrainingRequest(self.id, folder, self.budget, self.recipe, self.seed, real, resume=resume)

    def is_possible(self, data: Path | None) -> bool:
        """Whether the real data that it needs are there."""
        return self.source is None or (data is not None and (data / self.source).exists())


def planned_runs(names: Sequence[str], budget: Budget, *, seeds: int | None = None) -> list[PlannedRun]:
    """The runs of some experiments.

    At the budget ``paper`` they are those of ``plan.toml``, at ``small`` the same settings and recipes with generated
    data. At ``smoke`` every setting is run in each of its recipes.
    """
    found = [run for name in names for run in _runs_of(experiment_named(name), budget, seeds)]
    # A setting that several tables show is run once.
    return list({run.key: run for run in found}.values())


def experiments_at(budget: Budget) -> list[str]:
    """The experiments that are run where none is named: at ``small`` those of the paper, otherwise all."""
    if budget != "small":
        return list(NAMES)
    return [name for name in NAMES if experiment_named(name).paper != BEYOND_PAPER]


def _runs_of(experiment: Experiment, budget: Budget, seeds: int | None) -> list[PlannedRun]:
    if budget == "paper":
        return [run for run in _paper_runs(experiment) if seeds is None or run.seed < seeds]
    shown: list[tuple[str, Recipe]]
    if budget == "small":
        shown = [(run.id, run.recipe) for run in _paper_runs(experiment)]
    else:
        every = experiment.settings.values()
        shown = [(setting.id, recipe) for setting in every for recipe in setting.recipes]
    return [
        PlannedRun(experiment.name, id, recipe, budget, seed)
        for id, recipe in dict.fromkeys(shown)
        for seed in range(seeds or 1)
    ]


def _paper_runs(experiment: Experiment) -> list[PlannedRun]:
    text = resources.files("vinlab.experiments").joinpath("plan.toml").read_text(encoding="utf-8")
    return [
        PlannedRun(
            experiment.name,
            id,
            entry.get("recipe", "default"),
            entry.get("budget", "paper"),
            seed,
            entry.get("source"),
        )
        for entry in tomllib.loads(text).get(experiment.name, [])
        for id in entry["settings"]
        for seed in range(entry["seeds"])
    ]


def missing_runs(planned: Iterable[PlannedRun], finished: Iterable[FinishedRun]) -> list[PlannedRun]:
    """The planned runs that are not among the finished ones."""
    known = (run.manifest for run in finished)
    done = {(one.id, one.recipe, one.budget, one.seed, one.source) for one in known}
    return [plan for plan in planned if plan.key not in done]
