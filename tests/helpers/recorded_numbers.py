"""What the recorded runs and the paper say about a setting, as numbers that a page may quote."""

import re
import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from helpers.page_numbers import Claim
from vinlab.experiments.paper import numbers_of
from vinlab.experiments.tables import cpu_minutes_of, minutes_of
from vinlab.recording.finished_run import FinishedRun

LONGEST = 40
"""Lists that are longer hold raw data, such as a step count for each problem, and no figure that a page quotes."""

MEASURES = {
    "sampled": "sampled_success_rate",
    "success": "success_rate",
    "optimal": "optimal_action_accuracy",
    "loss": "prediction_loss",
    "extra steps": "trajectory_difference",
    "falls": "fallen_rate",
    "CPU minutes": "cpu",
    "minutes": "minutes",
    "seeds": "seeds",
}
"""The measure in a column whose heading has the word; the first that fits."""


@dataclass
class Numbers:
    """The measures of one setting, each with a value for every run."""

    measures: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def holds(self, claim: Claim) -> bool:
        """Whether a value, mean or deviation, rounded like the claim, is the claim."""
        return any(abs(value - claim.value) <= claim.tolerance for value in self._candidates(claim))

    def _candidates(self, claim: Claim) -> Iterator[float]:
        wanted = next((name for word, name in MEASURES.items() if word in claim.heading), "")
        is_share = claim.unit in ("%", "points")
        for name, values in self.measures.items():
            if wanted and not name.endswith(wanted):
                continue
            if is_share and not name.startswith("result"):
                continue
            scale = 100.0 if is_share and max(map(abs, values)) <= 1 else 1.0
            if claim.is_deviation:
                yield scale * (statistics.stdev(values) if len(values) > 1 else 0.0)
            else:
                yield scale * statistics.fmean(values)
                yield from (scale * value for value in values if not claim.is_mean)


class RecordedNumbers:
    """The numbers of all settings, by recipe; in prose a run that evaluates another setting's model counts for both."""

    def __init__(self, runs: Iterable[FinishedRun]) -> None:
        groups: dict[tuple, list[FinishedRun]] = defaultdict(list)
        for run in runs:
            one = run.manifest
            groups[one.id, one.recipe, one.budget, one.source].append(run)
        self._ours: dict[str, list[tuple[str, Numbers]]] = defaultdict(list)
        self._of_models: dict[str, list[Numbers]] = defaultdict(list)
        for (id, recipe, *_), group in groups.items():
            found = measured_in(group)
            self._ours[id].append((recipe, found))
            self._of_models[group[0].manifest.config.get("model", id)].append(found)

    def holds(self, claim: Claim) -> bool:
        """Whether the paper or the recorded runs of one of the claim's settings say so."""
        return any(numbers.holds(claim) for id in claim.ids for numbers in self._candidates(claim, id))

    def _candidates(self, claim: Claim, id: str) -> list[Numbers]:
        ours = [numbers for recipe, numbers in self._ours[id] if claim.recipe in (None, recipe)]
        if claim.heading:
            return [in_paper(id)] if "paper" in claim.heading else ours
        return [*ours, *self._of_models[id], in_paper(id)]


def measured_in(runs: Sequence[FinishedRun]) -> Numbers:
    """The numbers of runs that differ in the seed alone."""
    found = Numbers()
    found.measures["seeds"].append(float(len(runs)))
    for run in runs:
        for name, value in _leaves(run.result, "result"):
            found.measures[name].append(value)
        for name, value in _leaves(run.manifest.config, "config"):
            found.measures[name].append(value)
        for name, value in _logged(run):
            found.measures[name].append(value)
    found.measures["minutes"] += minutes_of(runs)
    found.measures["cpu"] += cpu_minutes_of(runs)
    return found


def in_paper(id: str) -> Numbers:
    """The numbers that the paper prints for a setting."""
    return Numbers({f"result/{name}": [value] for name, value in numbers_of(id).items()})


def _leaves(value: Any, name: str) -> Iterator[tuple[str, float]]:
    """The numbers of a record, by their path, with the lengths of its lists and the bounds in its keys."""
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int | float):
        yield name, float(value)
    elif isinstance(value, Mapping):
        for key, part in value.items():
            for bound in re.findall(r"\d+", str(key)):  # such as the lengths "81-160"
                yield f"bound in {name}: {key}: {bound}", float(bound)
            yield from _leaves(part, f"{name}/{key}")
    elif isinstance(value, Sequence) and not isinstance(value, str) and len(value) <= LONGEST:
        yield f"length of {name}", float(len(value))
        for key, part in enumerate(value):
            yield from _leaves(part, f"{name}/{key}")


def _logged(run: FinishedRun) -> Iterator[tuple[str, float]]:
    """The sum, the mean and the last of every metric, and how many lines have it."""
    columns: dict[str, list[float]] = defaultdict(list)
    for line in run.metrics():
        for name, value in _leaves(line, "logged"):
            columns[name].append(value)
    for name, values in columns.items():
        yield f"lines of {name}", float(len(values))
        yield f"sum of {name}", sum(values)
        yield f"mean of {name}", statistics.fmean(values)
        yield f"last of {name}", values[-1]
