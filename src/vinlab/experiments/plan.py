"""The runs behind the tables in ``results/``: which there should be, which are missing, and what they cost."""

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from statistics import fmean

from vinlab.experiments import experiment_named
from vinlab.experiments.base import Budget, Experiment, Recipe, TrainingRequest
from vinlab.experiments.catalogue import ALIASES, NAMES
from vinlab.recording.finished_run import FinishedRun
from vinlab.types import InputError

GENERATED = ("generated", "synthetic")
"""Sources that need no real data."""


@dataclass(frozen=True)
class PlannedRun:
    """One run that belongs into the tables."""

    experiment: str
    id: str
    recipe: Recipe
    budget: Budget
    seed: int
    source: str
    """The name of a folder of real data, or ``generated`` or ``synthetic``."""

    def folder(self, root: Path) -> Path:
        """Where the run lies below a folder of runs."""
        data = "" if self.source in GENERATED else f"{self.source}-"
        return root / self.id / f"{data}{self.recipe}-{self.budget}" / f"seed-{self.seed}"

    def request(self, root: Path, data: Path | None) -> TrainingRequest:
        """What the runner is asked for; an unfinished run is continued."""
        folder = self.folder(root)
        real = None if self.source in GENERATED else find_source(data, self.source)
        return TrainingRequest(
            self.id,
            folder,
            self.budget,
            self.recipe,
            self.seed,
            real,
            resume=(folder / "manifest.json").exists(),
        )


def find_source(data: Path | None, source: str) -> Path:
    """The folder of real data of this name."""
    if data is None or not (data / source).exists():
        raise InputError(f"expected --data FOLDER with {source} in it, got {data or 'no --data'}.")
    return data / source


def planned_runs(names: Sequence[str], budget: Budget, *, seeds: int | None = None) -> list[PlannedRun]:
    """The runs of some experiments; all of them where none is named.

    At the budget ``paper`` they are those of ``plan.toml``. At the smaller budgets every setting is run once in
    each of its recipes, with generated data.
    """
    chosen = [ALIASES.get(name, name) for name in names] or list(NAMES)
    found = [run for name in chosen for run in _runs_of(experiment_named(name), budget, seeds)]
    # A setting that several tables show is run once.
    return list({(run.id, run.recipe, run.budget, run.seed, run.source): run for run in found}.values())


def _runs_of(experiment: Experiment, budget: Budget, seeds: int | None) -> list[PlannedRun]:
    if budget == "paper":
        return [run for run in _paper_runs(experiment) if seeds is None or run.seed < seeds]
    return [
        PlannedRun(experiment.name, setting.id, recipe, budget, seed, experiment.generated)
        for setting in experiment.settings.values()
        for recipe in setting.recipes
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
            entry.get("source", experiment.generated),
        )
        for entry in tomllib.loads(text).get(experiment.name, [])
        for id in entry["settings"]
        for seed in range(entry["seeds"])
    ]


def source_of(run: FinishedRun) -> str:
    """Where the data of a run came from."""
    data = run.manifest.config.get("data")
    return data.get("source", "generated") if isinstance(data, dict) else "generated"


def same_run(planned: PlannedRun, run: FinishedRun) -> bool:
    """Whether a finished run is the planned one."""
    manifest, source = run.manifest, source_of(run)
    sources = planned.source == source or (planned.source in GENERATED and source in GENERATED)
    return sources and (planned.id, planned.recipe, planned.budget, planned.seed) == (
        manifest.id,
        manifest.recipe,
        manifest.budget,
        manifest.seed,
    )


def missing_runs(planned: Iterable[PlannedRun], finished: Sequence[FinishedRun]) -> list[PlannedRun]:
    """The planned runs that are not among the finished ones."""
    by_id: dict[str, list[FinishedRun]] = {}
    for run in finished:
        by_id.setdefault(run.manifest.id, []).append(run)
    return [plan for plan in planned if not any(same_run(plan, run) for run in by_id.get(plan.id, []))]


def expected_seconds(planned: PlannedRun, finished: Sequence[FinishedRun]) -> float | None:
    """The mean time of finished runs of the same setting, recipe and budget; None where there are none."""
    known = [
        run.manifest.seconds
        for run in finished
        if run.manifest.seconds is not None
        and (run.manifest.id, run.manifest.recipe, run.manifest.budget)
        == (planned.id, planned.recipe, planned.budget)
    ]
    return fmean(known) if known else None
