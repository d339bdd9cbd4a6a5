"""Pictures of a run: how it learned, and what there is to see of its experiment."""

from collections.abc import Callable
from pathlib import Path

from vinlab.experiments import EXPERIMENTS, control_pictures, experiment_of, gridworld_pictures
from vinlab.figures.curves import curves_figure
from vinlab.figures.save import save_figure
from vinlab.recording.recorded import RecordedRun, open_run

Draw = Callable[[RecordedRun, Path, int | None], list[Path]]
"""Draws more of a run into a folder, from one of the test problems on if one is named."""

DRAWN: dict[str, Draw] = {"gridworld": gridworld_pictures.draw_plans, "control": control_pictures.draw_run}


def draw_run(folder: Path, out: Path, *, problem: int | None = None) -> list[Path]:
    """Draw a finished run; the places of the pictures come back."""
    run = open_run(folder)
    out.mkdir(parents=True, exist_ok=True)
    learning = curves_figure(run.metrics(), title=f"Learning {run.manifest.id}")
    pictures = [save_figure(learning, out / "learning.png")]
    draw = DRAWN.get(experiment_of(EXPERIMENTS, run.manifest.id).name)
    return pictures + draw(run, out, problem) if draw else pictures
