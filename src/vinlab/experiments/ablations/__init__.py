"""What moves the numbers: one choice of the recipe changed at a time, on 16 x 16 maps."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

from vinlab.experiments.base import Budget, Experiment, Recipe, Setting
from vinlab.experiments.gridworld.settings import DEEP_ITERATIONS, ITERATIONS, vin_recipe
from vinlab.experiments.gridworld.train import GridworldTraining, train
from vinlab.learners.optimizers import Stage
from vinlab.networks.configs import VinConfig
from vinlab.networks.grid.cost_vin import LosslessVinConfig
from vinlab.recording.finished_run import RecordedRun
from vinlab.recording.markdown import markdown_table, mean_text

SIZE = 16
K = DEEP_ITERATIONS[SIZE]

Change = Callable[[GridworldTraining], GridworldTraining]


def _network(network: VinConfig | LosslessVinConfig) -> Change:
    return lambda config: replace(config, network=network)


def _paths(config: GridworldTraining) -> GridworldTraining:
    return replace(config, data=replace(config.data, targets="trajectories"))


def _maps(factor: float) -> Change:
    """More or fewer maps, and as many fewer or more epochs, so that the number of updates stays."""

    def change(config: GridworldTraining) -> GridworldTraining:
        (stage,) = config.learning.stages
        stages = (replace(stage, epochs=max(1, round(stage.epochs / factor))),)
        data = replace(config.data, attempts=round(config.data.attempts * factor))
        return replace(config, data=data, learning=replace(config.learning, stages=stages))

    return change


def _learning(*, batch: int = 8, rate: float = 1e-2) -> Change:
    def change(config: GridworldTraining) -> GridworldTraining:
        (stage,) = config.learning.stages
        stages = (Stage(stage.epochs, rate, stage.schedule),)
        return replace(config, learning=replace(config.learning, stages=stages, batch_problems=batch))

    return change


def _noise_and_paths(config: GridworldTraining) -> GridworldTraining:
    return _paths(_network(VinConfig(iterations=K, initialisation="random"))(config))


CHANGES: dict[str, tuple[str, Change]] = {
    "default": ("the recipe `default` as it is", lambda config: config),
    "free": ("parts: the paper's, free kernels that start as moves", _network(VinConfig(iterations=K))),
    "noise": (
        "parts and initialisation: the paper's, kernels start as noise",
        _network(VinConfig(iterations=K, initialisation="random")),
    ),
    "paths": ("targets: the expert's one move along seven ways per map", _paths),
    "noise-paths": ("the paper's parts from noise, and one move along seven ways", _noise_and_paths),
    "k-half": (f"K = {K // 2}", _network(LosslessVinConfig(iterations=K // 2))),
    "k-paper": (f"K = {ITERATIONS[SIZE]}, the paper's", _network(LosslessVinConfig(ITERATIONS[SIZE]))),
    "k-twice": (f"K = {2 * K}", _network(LosslessVinConfig(iterations=2 * K))),
    "quarter-data": ("data: a quarter of the maps, as many updates", _maps(0.25)),
    "twice-data": ("data: twice the maps, as many updates", _maps(2.0)),
    "batch-32": ("32 maps an update, so a quarter of the updates", _learning(batch=32)),
    "low-rate": ("a tenth of the rate", _learning(rate=1e-3)),
}


def configure(name: str, budget: Budget, recipe: Recipe) -> GridworldTraining:
    """The default recipe for 16 x 16 maps with one choice changed."""
    config = CHANGES[name][1](vin_recipe(SIZE, budget, "default"))
    if budget == "smoke":
        return replace(config, data=replace(config.data, validation_problems=20, test_problems=50))
    return config


HEADERS = ("what is changed", "seeds", "success", "optimal moves", "detour", "minutes", "command")


def table(runs: Sequence[RecordedRun]) -> str:
    """A line for each change, in the order in which they stand above."""
    groups: dict[tuple[str, str], list[RecordedRun]] = defaultdict(list)
    for run in runs:
        groups[run.manifest.id, run.manifest.budget].append(run)
    ordered = sorted(groups, key=lambda key: (key[1], list(GUIDE.settings).index(key[0])))
    commits = sorted({(run.manifest.commit or "unknown")[:10] for run in runs})
    return "\n".join(
        [
            "# What moves the numbers (16 x 16, beyond the paper)",
            "",
            markdown_table(HEADERS, [_row(*key, groups[key]) for key in ordered]),
            f"On 1,000 unseen maps; the measures are those of the grid-world. Commits: {', '.join(commits)}.\n",
        ]
    )


def _row(id: str, budget: str, runs: Sequence[RecordedRun]) -> list[str]:
    scores = [run.result["scores"] for run in runs]
    options = "" if budget == "paper" else f" --budget {budget}"
    return [
        CHANGES[id.removeprefix("guide/")][0],
        str(len(runs)),
        f"{mean_text([100 * one['success_rate'] for one in scores], digits=1)} %",
        f"{mean_text([100 * one['optimal_action_accuracy'] for one in scores], digits=2)} %",
        mean_text([one["trajectory_difference"] for one in scores]),
        mean_text([run.result["training_seconds"] / 60 for run in runs], digits=1),
        f"`vinlab train {id}{options}`",
    ]


def _setting(name: str) -> Setting:
    return Setting(
        id=f"guide/{name}",
        about=f"VIN on {SIZE} x {SIZE} maps; {CHANGES[name][0]}",
        configure=lambda budget, recipe: configure(name, budget, recipe),
    )


GUIDE = Experiment(
    name="guide",
    paper="beyond the paper",
    settings={f"guide/{name}": _setting(name) for name in CHANGES},
    learn=train,
    table=table,
)
