"""``vinlab table``."""

import sys
from pathlib import Path

from tyro.conf import Positional

from vinlab.cli.checks import require_file_name
from vinlab.experiments import experiment_named
from vinlab.experiments.base import Experiment
from vinlab.experiments.tables import made_from_usable
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
    if out is not None:
        require_file_name(out)
    chosen = experiment_named(experiment)
    text = made_from_usable(chosen.table, runs_of(chosen, runs), left_out)
    if out is None:
        print(text)
        return
    write_text(out, text)
    print(f"Written to {out}.")


def left_out(sentence: str) -> None:
    """Name a run that cannot be used."""
    print(f"Left out: {sentence}", file=sys.stderr)


def runs_of(experiment: Experiment, folder: Path) -> list[FinishedRun]:
    """The finished runs of an experiment below a folder."""
    if not folder.is_dir():
        raise InputError(
            f"There is no folder {folder}. Recorded runs lie in results/ of the project's repository, not in the "
            "installed package: name their folder with --runs."
        )
    recorded = collect_runs(folder, on_unusable=lambda error: left_out(str(error)))
    for run in [run for run in recorded if run.manifest.overrides]:
        left_out(f"{run.folder} changes {', '.join(run.manifest.overrides)}.")
    found = [run for run in recorded if run.manifest.id in experiment.settings and not run.manifest.overrides]
    if not found:
        raise InputError(f"{folder}: expected finished runs of {experiment.name}, got none.")
    return found
