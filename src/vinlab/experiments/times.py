"""How long runs take, by the recorded ones.

The file beside this one has the mean time of each setting, recipe and budget, so that a fresh clone can say what a
reproduction would cost. ``python -m vinlab.experiments.times FOLDER`` adds the finished runs of a folder to it.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from statistics import fmean

from vinlab.experiments.base import Budget
from vinlab.experiments.plan import PlannedRun
from vinlab.recording.finished_run import FinishedRun, collect_runs

FILE = "times.json"

Seconds = Mapping[str, float]
"""The seconds of a run by setting, recipe and budget, as in ``gridworld/8/vin default small``."""


def mean_seconds(finished: Iterable[FinishedRun]) -> dict[str, float]:
    """The mean time of the finished runs."""
    found = defaultdict(list)
    for manifest in (run.manifest for run in finished):
        if manifest.seconds is not None:
            found[_key(manifest.id, manifest.recipe, manifest.budget)].append(manifest.seconds)
    return {key: round(fmean(each), 1) for key, each in sorted(found.items())}


def recorded_seconds() -> dict[str, float]:
    """The times of the file."""
    return json.loads(resources.files("vinlab.experiments").joinpath(FILE).read_text(encoding="utf-8"))


def expected_seconds(planned: PlannedRun, seconds: Seconds) -> float | None:
    """How long a run will take; None where no such run is known."""
    return seconds.get(_key(planned.id, planned.recipe, planned.budget))


def _key(id: str, recipe: str, budget: Budget | str) -> str:
    return f"{id} {recipe} {budget}"


if __name__ == "__main__":
    times = recorded_seconds() | mean_seconds(collect_runs(Path(sys.argv[1])))
    text = json.dumps(dict(sorted(times.items())), indent=2) + "\n"
    (Path(__file__).parent / FILE).write_text(text, encoding="utf-8")
