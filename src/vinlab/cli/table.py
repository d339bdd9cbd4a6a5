"""``vinlab table``."""

import sys
from pathlib import Path

from tyro.conf import Positional

from vinlab.experiments import experiment_named
from vinlab.experiments.base import Experiment
from vinlab.recording.files import write_text
from vinlab.recording.finished_run import FinishedRun, collect_runs
from vinlab.types import InputError


def table(experiment: Positional[str], /, runs: Path = Path("results"), out: Path | None = None) -> None:
    """Make a table of the paper from recorded runs, ours beside the paper's.

    Args:
        experiment: Such as gridworld; vinlab list names all.
        runs: Folder below which the recorded runs lie.
        out: Markdown file to write; the table is printed if not given.
    """
    chosen = experiment_named(experiment)
    text = chosen.table(runs_of(chosen, runs))
    if out is None:
        print(text)
        return
    write_text(out, text)
    print(f"Written to {out}.")


def runs_of(experiment: Experiment, folder: Path) -> list[FinishedRun]:
    """The finished runs of an experiment below a folder."""
    if not folder.is_dir():
        raise InputError(
            f"There is no folder {folder}. Recorded runs lie in results/ of the project's repository, not in the "
            "installed package: name their folder with --runs."
        )
    recorded = collect_runs(folder, on_unusable=lambda error: print(f"Left out: {error}", file=sys.stderr))
    for run in [run for run in recorded if run.manifest.overrides]:
        print(f"Left out: {run.folder} changes {', '.join(run.manifest.overrides)}.", file=sys.stderr)
    found = [run for run in recorded if run.manifest.id in experiment.settings and not run.manifest.overrides]
    if not found:
        raise InputError(f"{folder}: expected finished runs of {experiment.name}, got none.")
    return found
