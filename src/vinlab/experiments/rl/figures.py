"""The figures of the paper's reinforcement learning, from recorded runs.

Usage: python -m vinlab.experiments.rl.figures [--runs results] [--out results/figures]
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from vinlab.experiments.picture_command import draw_recorded
from vinlab.experiments.rl import RL
from vinlab.figures.save import save_figure
from vinlab.figures.seeds import Curve, seeds_figure
from vinlab.recording.finished_run import FinishedRun

Read = Callable[[FinishedRun], Mapping[int, float]]


def draw_experiment(runs: Sequence[FinishedRun], out: Path) -> list[Path]:
    """Draw success over training and by difficulty, and returns with and without the curriculum."""
    of_size = {size: [run for run in runs if run.manifest.id.startswith(f"rl/{size}/")] for size in (8, 16)}
    pictures = []
    for size, chosen in of_size.items():
        compared = [run for run in chosen if "curriculum" not in run.manifest.id]
        if not compared:
            continue
        maps = f"{size} × {size} maps"
        pictures += [
            save_figure(
                seeds_figure(
                    _curves(compared, lambda run: _logged(run, "validation_success")),
                    across="iteration",
                    up="unseen problems solved",
                    title=f"Success over training, {maps}",
                ),
                out / f"rl_{size}_training.png",
            ),
            save_figure(
                seeds_figure(
                    _curves(compared, _by_difficulty),
                    across="moves from start to goal",
                    up="unseen problems solved",
                    title=f"Success by difficulty, {maps}",
                ),
                out / f"rl_{size}_difficulty.png",
            ),
        ]
    return pictures + _draw_curriculum(of_size[8], out)


def _draw_curriculum(runs: Sequence[FinishedRun], out: Path) -> list[Path]:
    """Draw how much the same VIN earns and solves with the curriculum and without."""
    without = [run for run in runs if "curriculum" in run.manifest.id]
    recipes = {run.manifest.recipe for run in without}
    compared = [
        run for run in runs if run.manifest.recipe in recipes and run.manifest.id.startswith("rl/8/vin")
    ]
    if not without:
        return []
    names = {"mean_return": "mean discounted return", "validation_success": "unseen problems solved"}
    return [
        save_figure(
            seeds_figure(
                _curves(compared, lambda run, name=name: _logged(run, name)),
                across="iteration",
                up=words,
                title="With and without the curriculum, 8 × 8 maps",
                is_share=name == "validation_success",
            ),
            out / f"rl_8_curriculum_{name.split('_')[1]}.png",
        )
        for name, words in names.items()
    ]


def _curves(runs: Sequence[FinishedRun], read: Read) -> list[Curve]:
    groups: dict[str, list[Mapping[int, float]]] = defaultdict(list)
    for run in sorted(runs, key=lambda run: (run.manifest.id, run.manifest.recipe)):
        groups[_label(run)].append(read(run))
    return [Curve(label, seeds) for label, seeds in groups.items()]


def _label(run: FinishedRun) -> str:
    kind = run.manifest.id.split("/")[-1].replace("-no-curriculum", " without curriculum")
    start = run.manifest.config["network"].get("initialisation")
    words = {"moves": ", from moves", "random": ", from noise"}.get(start, "")
    return kind.replace("vin", "VIN").replace("cnn", "CNN") + words


def _logged(run: FinishedRun, name: str) -> dict[int, float]:
    return {line["iteration"]: line[name] for line in run.metrics() if line.get(name) is not None}


def _by_difficulty(run: FinishedRun) -> dict[int, float]:
    return {int(level): share for level, share in run.result["success_by_difficulty"].items()}


if __name__ == "__main__":
    draw_recorded(__doc__, RL, draw_experiment)
