"""The table of the control experiment: both networks with both teachers, and the controllers to compare with."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from vinlab.domains.control.geometry import HALF_SIDE
from vinlab.evaluation.statistics import mean_text
from vinlab.experiments import tables
from vinlab.experiments.control.evaluate import FAIL_DISTANCE, PAPER_TEST_DOMAINS
from vinlab.experiments.paper import numbers_of
from vinlab.experiments.tables import NONE, Column, counts_text, group_runs, mean_or_none, scores_of
from vinlab.recording.finished_run import FinishedRun

TEACHERS = {"paper": "iLQG (the paper's)", "default": "route (our own)"}
"""The teacher of each recipe."""


@dataclass(frozen=True)
class Row:
    """The runs of a setting, or a controller that is not learned."""

    controller: str
    seeds: int
    train: list[float]
    """Mean distance on the training domains, by run."""
    test: list[float]
    failed: str
    """The share of domains in which it fails, and on which set if not the test domains."""
    first: list[float] | None = None
    teacher: str = NONE
    paper: dict[str, float] | None = None
    minutes: list[float] | None = None
    command: str = NONE


COLUMNS: list[Column[Row]] = [
    Column("controller", lambda row: row.controller),
    Column("teacher", lambda row: row.teacher),
    Column("seeds", lambda row: str(row.seeds)),
    Column("train, paper", lambda row: str((row.paper or {}).get("train_distance", NONE))),
    Column("test, paper", lambda row: str((row.paper or {}).get("test_distance", NONE))),
    Column("train, ours", lambda row: mean_text(row.train)),
    Column("test, ours", lambda row: mean_or_none(row.test)),
    Column("test / train", lambda row: f"{sum(row.test) / sum(row.train):.2f}" if row.minutes else NONE),
    Column(f"first {PAPER_TEST_DOMAINS}", lambda row: mean_or_none(row.first)),
    Column("distance / side", lambda row: f"{100 * fmean(row.test or row.train) / (2 * HALF_SIDE):.1f} %"),
    Column("fails", lambda row: row.failed),
    Column("minutes", lambda row: mean_or_none(row.minutes, 1)),
    Column("command", lambda row: row.command),
]

LEGEND = f"""\
Mean distance to the goal after {{steps}} time steps, mean ± standard deviation over the seeds.
The side of the square is {2 * HALF_SIDE:g}. *Test*: {{domains}} unseen domains, the same for all seeds
(draw {{draws}} of them).
*First {PAPER_TEST_DOMAINS}*: the first {PAPER_TEST_DOMAINS} of them, as many as the paper has.
Training domains differ by seed.
*Distance / side*: test distance divided by the side of the square.
*Fails*: share of test domains in which the particle ends further than {FAIL_DISTANCE} from the goal.
The paper gives neither the size of its square nor its units, so the ratios of its rows can be compared with ours, and
the distances cannot. *Straight* moves straight to the known goal and ignores the obstacles; *route* knows the map and
tracks the shortest route; *iLQG* is the paper's teacher in its training domains.
*Minutes*: teacher and fit, one thread of a shared machine.
"""

Key = tuple[str, str, str]
"""Recipe, id and budget."""


def table(runs: Sequence[FinishedRun]) -> str:
    """Figure 5: ours beside the paper's, and the controllers to compare with."""
    groups = group_runs(runs, lambda run: (run.manifest.recipe, run.manifest.id, run.manifest.budget))
    rows = [_learned(groups[key]) for key in sorted(groups, reverse=True)]
    steps = counts_text(run.manifest.config["data"]["horizon"] for run in runs)
    draws = counts_text(run.manifest.config["data"].get("test_draw", 2) for run in runs)
    return tables.document(
        "Continuous control (Section 4.3, Figure 5)",
        tables.render(COLUMNS, [*rows, *_known(runs)]),
        LEGEND.format(steps=steps, domains=tables.tested_on(runs), draws=draws),
        _ratios(groups),
        _search_line(runs),
        runs=runs,
    )


def _learned(runs: Sequence[FinishedRun]) -> Row:
    """The row of a network with a teacher."""
    manifest = runs[0].manifest
    scores, seconds = scores_of(runs), [run.result["seconds"] for run in runs]
    return Row(
        controller=manifest.id,
        teacher=TEACHERS[manifest.recipe],
        seeds=len(runs),
        paper=numbers_of(manifest.id) if manifest.recipe == "paper" else {},
        train=[one["train_distance"] for one in scores],
        test=[one["test_distance"] for one in scores],
        first=[one["test_distance_first_40"] for one in scores],
        failed=_percent(one["test_failed"] for one in scores),
        minutes=[(one["teacher_seconds"] + one["fit_seconds"]) / 60 for one in seconds],
        command=f"`{tables.run_command(manifest)}`",
    )


def _known(runs: Sequence[FinishedRun]) -> list[Row]:
    """The controllers that know the map, and the paper's teacher itself."""
    by_seed = list({(run.manifest.budget, run.manifest.seed): run for run in runs}.values())
    rows = [
        _known_row(name, *([run.result[name][kind] for run in by_seed] for kind in ("train", "test")))
        for name in ("straight", "route")
    ]
    searched = _searched(runs)
    return [*rows, _known_row("iLQG", [run.result["teacher"] for run in searched], [])] if searched else rows


def _known_row(name: str, train: list[dict[str, Any]], test: list[dict[str, Any]]) -> Row:
    failed = _percent(one["failed"] for one in test or train)
    return Row(
        controller=name,
        seeds=len(train),
        train=[one["distance"] for one in train],
        test=[one["distance"] for one in test],
        failed=failed if test else f"{failed} (train)",
    )


def _ratios(groups: dict[Key, list[FinishedRun]]) -> str:
    """The CNN's test distance divided by the VIN's."""
    found = []
    for recipe, words in TEACHERS.items():
        vin, cnn = (groups.get((recipe, f"control/{name}", "paper")) for name in ("vin", "cnn"))
        if vin and cnn:
            distances = [fmean(one["test_distance"] for one in scores_of(group)) for group in (cnn, vin)]
            found.append(f"{words} teacher: {distances[0] / distances[1]:.2f}")
    cnn, vin = (numbers_of(f"control/{name}")["test_distance"] for name in ("cnn", "vin"))
    return (
        f"CNN's test distance / VIN's: {'; '.join(found)}. In the paper: {cnn / vin:.2f}.\n" if found else ""
    )


def _search_line(runs: Sequence[FinishedRun]) -> str:
    """How much iLQG improved from its first iteration to its last."""
    histories = [run.result["teacher"]["history"] for run in _searched(runs)]
    if not histories:
        return ""
    first, last = ([history[index]["distance"] for history in histories] for index in (0, -1))
    return (
        f"iLQG on the training domains: {mean_text(first)} before the first improvement, {mean_text(last)} at the end, "
        f"a factor of {sum(first) / sum(last):.1f}.\n"
    )


def _searched(runs: Sequence[FinishedRun]) -> list[FinishedRun]:
    """One run for each search of the paper's teacher at the paper's size."""
    searched = [run for run in runs if (run.manifest.recipe, run.manifest.budget) == ("paper", "paper")]
    return list({run.manifest.seed: run for run in searched}.values())


def _percent(shares: Iterable[float]) -> str:
    return f"{100 * fmean(shares):.0f} %"
