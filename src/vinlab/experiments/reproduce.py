"""Tables and figures from all finished runs."""

from collections.abc import Sequence
from pathlib import Path

from vinlab.experiments import experiment_named
from vinlab.experiments.base import Experiment
from vinlab.experiments.tables import made_from_usable
from vinlab.recording.files import write_bytes
from vinlab.recording.finished_run import FinishedRun

README_TABLE = ("<!-- results -->\n", "<!-- end of results -->")
"""What stands before and after the generated table in a README."""


def runs_of(experiment: Experiment, runs: Sequence[FinishedRun]) -> list[FinishedRun]:
    """The runs that an experiment shows."""
    return [run for run in runs if run.manifest.id in experiment.settings]


def write_results(names: Sequence[str], runs: Sequence[FinishedRun], out: Path) -> list[Path]:
    """Write the table and the figures of each experiment that has runs; the files come back."""
    written: list[Path] = []
    for experiment in map(experiment_named, names):
        found = runs_of(experiment, runs)
        if not found:
            continue
        path = out / f"{experiment.name}.md"
        write_bytes(path, made_from_usable(experiment.table, found, print).encode())
        written.append(path)
        if (draw := experiment.summary_figures) is not None:
            written += made_from_usable(lambda runs, draw=draw: draw(runs, out / "figures"), found, print)
    return written


def update_readme(readme: Path, runs: Sequence[FinishedRun]) -> bool:
    """Put the main table between its marks in a README; False where there are none."""
    from vinlab.experiments.gridworld.table import brief_table

    first, last = README_TABLE
    text = readme.read_text(encoding="utf-8") if readme.exists() else ""
    if first not in text or last not in text:
        return False
    table = brief_table("gridworld", runs_of(experiment_named("gridworld"), runs))
    before, after = text.split(first)[0], text.split(last)[1]
    write_bytes(readme, f"{before}{first}\n{table}\n{last}{after}".encode())
    return True
