"""How far the shipped VINs carry: other sizes, other obstacles, mazes, and goals far away."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from vinlab.experiments.any_map.evaluate import blocks, judge_kind, mazes, paper, scattered
from vinlab.experiments.any_map.table import LEGEND, distance_table, percent
from vinlab.experiments.any_map.train import Examination, make_test_sets
from vinlab.experiments.base import Budget, Experiment, Recipe, Setting, TrainingRequest
from vinlab.learners.callbacks import Progress
from vinlab.models import load
from vinlab.recording.finished_run import RecordedRun
from vinlab.recording.hashing import data_hash
from vinlab.recording.markdown import markdown_table
from vinlab.recording.run import Run

MODELS = {
    "generalisation/8": "gridworld/8/vin",
    "generalisation/16": "gridworld/16/vin",
    "generalisation/28": "gridworld/28/vin",
    "generalisation/any": "grid/any",
}
"""The shipped model that each setting judges."""

EXAMINATIONS = (
    *(Examination(paper(size), 200) for size in (8, 16, 28, 40, 64)),
    Examination(blocks(64), 200),
    Examination(scattered(64), 200),
    Examination(scattered(100), 50),
    *(Examination(mazes(size), 200) for size in (15, 31, 63)),
    Examination(mazes(101), 50),
    *(Examination(mazes(size, 0.1), 200) for size in (15, 31, 63)),
    Examination(mazes(101, 0.1), 50),
)


@dataclass(frozen=True)
class Generalisation:
    """Which model is judged on which maps."""

    model: str
    examinations: tuple[Examination, ...]


def configure(id: str, budget: Budget, recipe: Recipe) -> Generalisation:
    """All kinds of maps; at the smallest budget a few small ones, at the small one fewer of each."""
    most = {"smoke": 2, "small": 20, "paper": 200}[budget]
    chosen = [one for one in EXAMINATIONS if budget != "smoke" or one.kind.size <= 16]
    return Generalisation(MODELS[id], tuple(Examination(one.kind, min(one.maps, most)) for one in chosen))


def judge_shipped(config: Generalisation, request: TrainingRequest, progress: Progress) -> RecordedRun:
    """Judge a shipped model on maps of every kind and record it; nothing is trained."""
    model = load(config.model)
    sets = make_test_sets(config.examinations)
    manifest = request.describe(
        config={**asdict(config), "weights": data_hash(*model.network.state_dict().values())},
        data_hash=data_hash(
            *(part for one in sets.values() for part in (one.obstacles, one.starts, one.goals))
        ),
    )
    with Run.create(request.out, manifest, resume=request.resume, overwrite=request.overwrite) as run:
        found = run.load_checkpoint()
        scores: dict[str, Any] = dict(found[1]["scores"]) if found else {}
        for name in [name for name in sets if name not in scores]:
            scores[name] = judge_kind(model, sets[name])
            run.log({"maps": name, "success_rate": scores[name]["success_rate"]})
            run.save_checkpoint({}, {"scores": scores})
            progress(len(scores), len(sets), name)
        result = {"scores": scores, "training_seconds": round(run.seconds, 1)}
        return run.finish(model.network.state_dict(), result)


FAR = ("scattered 100, 25 %", "mazes 31", "mazes 101", "mazes 101, 10 % open")
"""The kinds of maps by which success is shown over the distance."""


def table(runs: Sequence[RecordedRun]) -> str:
    """Success of every model on every kind of map, from all cells too, and by distance."""
    ordered = sorted(runs, key=lambda run: list(MODELS).index(run.manifest.id))
    scores = {_name(run): run.result["scores"] for run in ordered}
    commits = sorted({(run.manifest.commit or "unknown")[:10] for run in ordered})
    far = {model: {name: kinds[name] for name in FAR if name in kinds} for model, kinds in scores.items()}
    return "\n".join(
        [
            "# Generalisation of the shipped VINs (beyond the paper)",
            "",
            "## Success",
            "",
            _matrix(scores, lambda one: percent(one["success_rate"], 1)),
            "## Cells that arrive, and that arrive optimally",
            "",
            _matrix(scores, _shares),
            "## Backups: mean and most",
            "",
            _matrix(scores, lambda one: f"{one['mean_iterations']:.0f}, {one['most_iterations']}"),
            "## By the distance to the goal",
            "",
            "Share of the cells that arrive, in percent, by the length of their shortest way.",
            "",
            distance_table(far),
            LEGEND,
            f"Commits: {', '.join(commits)}. {_commands(ordered)}\n",
        ]
    )


def _name(run: RecordedRun) -> str:
    budget = "" if run.manifest.budget == "paper" else f" ({run.manifest.budget})"
    return f"{run.manifest.config['model']}{budget}"


def _shares(one: dict[str, Any]) -> str:
    return f"{percent(one['reached_share'])}, {percent(one['optimally_reached_share'])}"


def _matrix(scores: dict[str, dict[str, Any]], cell: Callable[[dict[str, Any]], str]) -> str:
    """A line for each kind of maps, a column for each model."""
    kinds = list(dict.fromkeys(name for one in scores.values() for name in one))
    rows = [[name, *(cell(one[name]) if name in one else "–" for one in scores.values())] for name in kinds]
    return markdown_table(["maps", *scores], rows)


def _commands(runs: Sequence[RecordedRun]) -> str:
    return " ".join(f"`vinlab train {run.manifest.id}`," for run in runs).removesuffix(",") + "."


def _setting(id: str) -> Setting:
    return Setting(
        id=id,
        about=f"judges the shipped {MODELS[id]} on maps of other sizes and kinds",
        configure=lambda budget, recipe: configure(id, budget, recipe),
    )


GENERALISATION = Experiment(
    name="generalisation",
    paper="beyond the paper",
    settings={id: _setting(id) for id in MODELS},
    learn=judge_shipped,
    table=table,
)
