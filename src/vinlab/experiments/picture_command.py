"""The command line of the modules that draw an experiment's figures from its recorded runs."""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from vinlab.experiments.base import Experiment
from vinlab.recording.finished_run import RecordedRun, collect_runs
from vinlab.types import InputError


def draw_recorded(
    about: str | None, experiment: Experiment, draw: Callable[[Sequence[RecordedRun], Path], list[Path]]
) -> None:
    """Draw the finished runs of an experiment that lie where the command line says."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--runs", type=Path, default=Path("results"))
    parser.add_argument("--out", type=Path, default=Path("results/figures"))
    options = parser.parse_args()
    try:
        runs = [run for run in collect_runs(options.runs) if run.manifest.id in experiment.settings]
        if not runs:
            raise InputError(f"There are no finished runs of {experiment.name} below {options.runs}.")
        for path in draw(runs, options.out):
            print(f"Drawn in {path}.")
    except InputError as error:
        sys.exit(f"vinlab: {error}")
