"""Figures of the hole world: paths of a model, and success over training and by difficulty from finished runs."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from vinlab.domains.holeworld.expert import solve
from vinlab.experiments.base import require_problem
from vinlab.experiments.rl.data import RlData, make_test_problems
from vinlab.experiments.rl.evaluate import run_episodes
from vinlab.experiments.rl.settings import ITERATIONS
from vinlab.experiments.tables import group_runs
from vinlab.figures.paths import paths_figure
from vinlab.figures.save import save_figure
from vinlab.figures.seeds import Curve, Points, seeds_figure
from vinlab.models import Model
from vinlab.navigation.adaptive import make_plan
from vinlab.recording.finished_run import FinishedRun

SPACING = 0.02
"""Million steps between the points of a curve over training."""

PATHS = 8
"""The number of problems in the figure of paths."""

Read = Callable[[FinishedRun], Points]


def draw_paths(model: Model, out: Path, problem: int | None, data: Path | None) -> list[Path]:
    """Draw the model's greedy paths on the first test problems, or on one of them."""
    problems = make_test_problems(RlData(size=model.size))
    first, count = (0, PATHS) if problem is None else (require_problem(problem, len(problems)), 1)
    chosen = problems[first : first + count]
    episodes = run_episodes(model.network, make_plan(model.network, chosen, None), chosen)
    solution = solve(chosen)
    figure = paths_figure(
        chosen,
        _cut(episodes.states, episodes.steps + 1 - episodes.fallen),
        _cut(solution.paths, solution.lengths),
        title=f"{model.id} on unseen maps",
    )
    return [save_figure(figure, out / f"{model.prefix}paths.png")]


def _cut(states: np.ndarray, lengths: np.ndarray) -> list[np.ndarray]:
    """The paths without their padding."""
    return [path[:length] for path, length in zip(states, lengths, strict=True)]


def draw_runs(runs: Sequence[FinishedRun], out: Path) -> list[Path]:
    """Draw success over training and by difficulty, and the effect of the curriculum."""
    by_size = group_runs(runs, lambda run: int(run.manifest.id.split("/")[1]))
    figures = [path for size in ITERATIONS for path in _draw_size(size, by_size.get(size, []), out)]
    return figures + _draw_curriculum(by_size.get(8, []), out)


def _draw_size(size: int, runs: Sequence[FinishedRun], out: Path) -> list[Path]:
    compared = [run for run in runs if "curriculum" not in run.manifest.id]
    if not compared:
        return []
    maps = f"{size} × {size} maps"
    training = _curves(compared, _success_by_steps)
    difficulty = _curves(compared, _by_difficulty)
    steps, moves = "million environment steps", "moves from start to goal"
    return [
        _draw(training, f"Success over training, {maps}", out / f"rl_{size}_training.png", across=steps),
        _draw(difficulty, f"Success by difficulty, {maps}", out / f"rl_{size}_difficulty.png", across=moves),
    ]


def _draw_curriculum(runs: Sequence[FinishedRun], out: Path) -> list[Path]:
    """Draw return and success of the same VIN with the curriculum and without."""
    recipes = {run.manifest.recipe for run in runs if "curriculum" in run.manifest.id}
    compared = [
        run for run in runs if run.manifest.recipe in recipes and run.manifest.id.startswith("rl/8/vin")
    ]
    if not compared:
        return []
    title = "With and without the curriculum, 8 × 8 maps"
    returns, success = (
        _curves(compared, lambda run, name=name: _logged(run, name))
        for name in ("mean_return", "validation_success")
    )
    up = "mean discounted return"
    return [
        _draw(returns, title, out / "rl_8_curriculum_return.png", up=up, is_share=False),
        _draw(success, title, out / "rl_8_curriculum_success.png"),
    ]


def _draw(
    curves: Sequence[Curve],
    title: str,
    path: Path,
    *,
    across: str = "iteration",
    up: str = "success on unseen problems",
    is_share: bool = True,
) -> Path:
    return save_figure(seeds_figure(curves, across=across, up=up, title=title, is_share=is_share), path)


def _curves(runs: Sequence[FinishedRun], read: Read) -> list[Curve]:
    ordered = sorted(runs, key=lambda run: (run.manifest.id, run.manifest.recipe))
    return [
        Curve(label, [read(run) for run in group])
        for label, group in group_runs(ordered, curve_label).items()
    ]


def curve_label(run: FinishedRun) -> str:
    """The network, and from which weights it started."""
    kind = run.manifest.id.split("/")[-1].replace("-no-curriculum", " without curriculum")
    start = run.manifest.config["network"].get("initialisation")
    words = {"moves": ", from moves", "random": ", from noise"}.get(start, "")
    starts = run.manifest.config.get("starts", 1)
    best = f", best of {starts}" if starts > 1 else ""
    return kind.replace("vin", "VIN").replace("cnn", "CNN") + words + best


def _logged(run: FinishedRun, name: str) -> dict[int, float]:
    return {line["iteration"]: line[name] for line in run.metrics() if line.get(name) is not None}


def _success_by_steps(run: FinishedRun) -> dict[float, float]:
    """Validation success over the environment steps so far, in millions, interpolated where all seeds have a value."""
    lines = run.metrics()
    steps = np.cumsum([line["steps"] for line in lines]) / 1e6
    success = [line.get("validation_success") for line in lines]
    known = [index for index, share in enumerate(success) if share is not None]
    grid = np.arange(math.ceil(steps[known[0]] / SPACING), math.floor(steps[known[-1]] / SPACING) + 1)
    shares = np.interp(SPACING * grid, steps[known], [float(success[index] or 0.0) for index in known])
    return dict(zip((SPACING * grid).round(3).tolist(), shares.tolist(), strict=True))


def _by_difficulty(run: FinishedRun) -> dict[int, float]:
    return {int(level): share for level, share in run.result["success_by_difficulty"].items()}
