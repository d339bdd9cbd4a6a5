"""``vinlab plot``."""

from pathlib import Path

from tyro.conf import Positional

from vinlab.cli.models import load_model
from vinlab.cli.table import left_out, runs_of
from vinlab.experiments import experiment_named, experiment_of
from vinlab.experiments.catalogue import ALIASES, NAMES
from vinlab.experiments.tables import made_from_usable
from vinlab.figures.curves import curves_figure
from vinlab.figures.save import save_figure
from vinlab.recording.finished_run import WEIGHTS, open_run
from vinlab.types import InputError


def plot(
    run: Positional[Path],
    /,
    out: Path | None = None,
    problem: int | None = None,
    data: Path | None = None,
    runs: Path = Path("results"),
) -> None:
    """Draw a run or a shipped model: learning curves, and plans and paths on unseen problems.

    Args:
        run: The folder of a finished run, the id of a shipped model such as gridworld/28/vin, or an experiment such
            as generalisation, of which all recorded runs are drawn together.
        out: Folder for the figures; that of the run, or this one, if not given.
        problem: Which test problem to draw; the one with the longest path if not given.
        data: Folder of the real data that the run was trained on, where its test problems come from there.
        runs: For an experiment: folder below which the recorded runs lie.
    """
    name = run.as_posix()
    if run.is_dir():
        paths = draw_run(run, out or run, problem, data)
    elif name in NAMES or name in ALIASES:
        paths = draw_experiment(name, runs, out or Path())
    else:
        model = load_model(name)
        paths = experiment_of(model.id).figures(model, out or Path(), problem, data)
    if not paths:
        raise InputError(f"There are no figures of {name}.")
    for path in paths:
        print(f"Drawn in {path}.")


def draw_run(folder: Path, out: Path, problem: int | None, data: Path | None) -> list[Path]:
    """The learning curves of a run, and the figures of its model where the weights were kept."""
    run = open_run(folder)
    experiment = experiment_of(run.manifest.id)
    if not experiment.trains:
        return experiment.summary_figures([run], out) if experiment.summary_figures else []
    curves = curves_figure(run.metrics(), title=f"Training of {run.manifest.id}")
    paths = [save_figure(curves, out / "learning.png")]
    if not (folder / WEIGHTS).exists():
        print(f"{folder} holds no {WEIGHTS}: only the learning curves are drawn.")
        return paths
    return paths + experiment.figures(load_model(str(folder)), out, problem, data)


def draw_experiment(name: str, runs: Path, out: Path) -> list[Path]:
    """What all recorded runs of an experiment show together."""
    experiment = experiment_named(name)
    if experiment.summary_figures is None:
        return []
    draw = experiment.summary_figures
    return made_from_usable(lambda found: draw(found, out), runs_of(experiment, runs), left_out)
