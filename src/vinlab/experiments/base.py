"""What an experiment is: a table or figure of the paper, its settings, and the functions that make it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypeVar, get_args, runtime_checkable

from torch import nn

from vinlab.experiments.results import RunResult
from vinlab.learners.callbacks import MetricsCallback, Progress, RunLogger, no_progress
from vinlab.learners.training_state import Best
from vinlab.models import Model
from vinlab.recording.finished_run import FinishedRun
from vinlab.recording.serialization import dataclass_from_plain
from vinlab.types import InputError, Iterations

Budget = Literal["smoke", "small", "paper"]
"""How much to spend: seconds, to see that it runs; minutes, for the same trends; or the paper's own sizes."""

Recipe = Literal["default", "paper", "noise"]
"""How to train: what learns best and fastest, what the authors did, or what learns best from their means: their network
with their K, from noise and from their labels."""

BUDGETS: tuple[Budget, ...] = get_args(Budget)
RECIPES: tuple[Recipe, ...] = ("default", "paper")
"""The recipes that every setting can be asked for."""

BEYOND_PAPER = "beyond the paper"
"""Where an experiment stands that the paper does not have."""

Option = Literal["device", "distributed", "data"]
"""What a training request may ask for and not every experiment supports."""


@runtime_checkable
class HashedData(Protocol):
    """What is trained and evaluated on."""

    @property
    def hash(self) -> str:
        """Changes with anything in the data."""
        ...


Config = TypeVar("Config")
Recorded = TypeVar("Recorded")
Data = TypeVar("Data", bound=HashedData)


@dataclass(frozen=True)
class TrainingRequest:
    """What is to be trained, and where the run is written."""

    id: str
    out: Path
    budget: Budget = "paper"
    recipe: Recipe = "default"
    seed: int = 0
    data: Path | None = None
    """A folder or file of real data to train on instead of generated data."""
    device: str = "cpu"
    resume: bool = False
    overwrite: bool = False
    allow_changes: bool = False
    """Resume with another number of threads, device or version of a package; the manifest notes it."""
    tensorboard: bool = False
    overrides: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the configuration that are changed, by dotted name."""
    on_metrics: MetricsCallback | None = None
    """Called with the metrics of every epoch or iteration, for a tracker of one's own."""


@dataclass(frozen=True)
class EvaluateRequest:
    """What a model is evaluated on, and how."""

    problems: Path | None = None
    """A file of problems; without it the test problems of the model's setting."""
    iterations: Iterations = None
    """K of this evaluation; without it the model's own."""
    corner_cutting: bool | None = None
    """The rule for diagonal moves; without it that of the model's training."""
    data: Path | None = None
    """The folder of real data that the run was trained on, where its test problems come from there."""
    progress: Progress = no_progress

    def refuse(self, id: str, **reasons: str) -> None:
        """Refuse the options that a model would ignore, each for its reason."""
        for name, reason in reasons.items():
            if getattr(self, name) is not None:
                raise InputError(f"{id} does not support --{name.replace('_', '-')}: {reason}.")

    def rules(self, model: Model, shape: Sequence[int]) -> dict[str, Any]:
        """K and the rule for diagonal moves on maps of this shape."""
        cutting = model.corner_cutting if self.corner_cutting is None else self.corner_cutting
        return {"iterations": self.iterations or model.iterations_for(shape), "corner_cutting": cutting}


@dataclass(frozen=True)
class Evaluation:
    """What an evaluation measured, and with which settings."""

    scores: Mapping[str, Any]
    """The measures of one set of problems, or of several sets by name."""
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class FitContext:
    """What a fit needs besides its configuration, data and network."""

    seed: int
    folder: Path
    """The folder of the run, for what is costly to make and may be kept between a kill and a resume."""
    logger: RunLogger
    progress: Progress

    @property
    def options(self) -> dict[str, Any]:
        """What every learner is given."""
        return {"seed": self.seed, "record": self.logger, "progress": self.progress}


@dataclass(frozen=True)
class Setting(Generic[Config]):
    """One cell of a table."""

    id: str
    about: str
    configure: Callable[[Budget, Recipe], Config]
    """The whole configuration for a budget and a recipe, as a dataclass."""
    recipes: tuple[Recipe, ...] = RECIPES
    """The recipes in which the configuration differs; ``reproduce`` runs these."""
    control: bool = False
    """Whether it is a control or an ablation, which ``vinlab list`` shows with ``--all`` only."""

    def configured(self, budget: Budget, recipe: Recipe) -> Config:
        """The configuration; a recipe that the setting does not have is refused."""
        if recipe not in (*RECIPES, *self.recipes):
            raise InputError(
                f"{self.id} does not support --recipe {recipe}: expected {' or '.join(RECIPES)}."
            )
        return self.configure(budget, recipe)


def by_id(settings: Iterable[Setting[Config]]) -> dict[str, Setting[Config]]:
    """The settings of an experiment."""
    return {setting.id: setting for setting in settings}


def build_network(config: Any, data: Any) -> nn.Module:
    """The network of the configuration with fresh weights."""
    return config.network.build()


def recorded_data(kind: type[Recorded], config: Mapping[str, Any]) -> Recorded:
    """The data of a recorded configuration, which also names where they came from."""
    plain = {name: entry for name, entry in config.get("data", {}).items() if name != "source"}
    return dataclass_from_plain(kind, plain, name="data")


def require_folder(model: Model, source: Path | None, generated: str) -> None:
    """A model that was trained on real data needs their folder."""
    trained_on = model.config.get("data", {}).get("source")
    if source is None and trained_on != generated:
        raise InputError(
            f"--data: expected the folder of {trained_on}, which {model.id} was trained on, got none."
        )


def require_problem(problem: int, count: int) -> int:
    """The number of a test problem, if there is one."""
    if not 0 <= problem < count:
        raise InputError(f"--problem: expected 0 to {count - 1}, got {problem}.")
    return problem


@dataclass(frozen=True)
class Experiment(Generic[Config, Data]):
    """A table or figure of the paper."""

    name: str
    paper: str
    """Where in the paper it stands."""
    settings: Mapping[str, Setting[Config]]
    make_data: Callable[[Config, TrainingRequest], Data]
    fit: Callable[[Config, Data, Any, FitContext], Best]
    """Train the network and leave it with its best weights."""
    score: Callable[[Config, Data, Any, int], RunResult]
    """Evaluate the trained network on the test data, with the seed of the training."""
    evaluate: Callable[[Model, EvaluateRequest], Evaluation]
    """Evaluate a model of any run of the experiment."""
    table: Callable[[Sequence[FinishedRun]], str]
    """Ours beside the paper's, as Markdown, from finished runs."""
    figures: Callable[[Model, Path, int | None, Path | None], list[Path]] = lambda *_: []
    """Draw a model into a folder, on one of the test problems where one is named, with the real data it needs."""
    summary_figures: Callable[[Sequence[FinishedRun], Path], list[Path]] | None = None
    """Draw what all finished runs show together."""
    adapt: Callable[[Config, Data], Config] = lambda config, data: config
    """Fill into the configuration what only the data tell."""
    build: Callable[[Config, Data], nn.Module] = build_network
    supports: frozenset[Option] = frozenset()
    """The options of a training request that it can carry out; the runner refuses the others."""
    generated: str = "generated"
    """What the manifest names as the source of the data where no real data are given."""
    trains: bool = True
    """False where a setting evaluates a shipped model and trains nothing."""
