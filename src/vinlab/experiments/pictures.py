"""Pictures of a run: how it learned, and what there is to see of its experiment."""

from collections.abc import Callable
from pathlib import Path

from vinlab.experiments import EXPERIMENTS, experiment_of
from vinlab.experiments.control import figures as control_pictures
from vinlab.experiments.gridworld import figures as gridworld_pictures
from vinlab.figures.curves import curves_figure
from vinlab.figures.save import save_figure
from vinlab.models import shipped_ids
from vinlab.recording.finished_run import RecordedRun, open_run
from vinlab.types import InputError

Draw = Callable[[RecordedRun, Path, int | None], list[Path]]
"""Draws more of a run into a folder, from one of the test problems on if one is named."""

DRAWN: dict[str, Draw] = {
    "gridworld": gridworld_pictures.draw_plans,
    "weight_sharing": gridworld_pictures.draw_plans,
    "hierarchical": gridworld_pictures.draw_plans,
    "control": control_pictures.draw_run,
}
"""By the name of the experiment."""


def draw(run: Path, out: Path | None, *, problem: int | None = None) -> list[Path]:
    """Draw a finished run into its own folder, or a shipped model into this one, or either where ``out`` says."""
    id = run.as_posix()
    if run.is_dir() or id not in shipped_ids():
        return draw_run(run, out or run, problem=problem)
    if DRAWN.get(experiment_of(EXPERIMENTS, id).name) is not gridworld_pictures.draw_plans:
        raise InputError(f"'{id}' is no model of the grid-world: the folder of a run is wanted.")
    return gridworld_pictures.draw_shipped(id, out or Path(), problem)


def draw_run(folder: Path, out: Path, *, problem: int | None = None) -> list[Path]:
    """Draw a finished run; the places of the pictures come back."""
    run = open_run(folder)
    out.mkdir(parents=True, exist_ok=True)
    learning = curves_figure(run.metrics(), title=f"Learning {run.manifest.id}")
    pictures = [save_figure(learning, out / "learning.png")]
    draw_more = DRAWN.get(experiment_of(EXPERIMENTS, run.manifest.id).name)
    return pictures + draw_more(run, out, problem) if draw_more else pictures
