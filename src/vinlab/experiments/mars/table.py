"""The Mars table from finished runs: one block for each terrain and protocol, with errors over blocks of terrain."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from vinlab.evaluation.bootstrap import block_error
from vinlab.evaluation.statistics import mean_text
from vinlab.experiments import tables
from vinlab.experiments.paper import numbers_of
from vinlab.experiments.tables import NONE, Column, group_runs, markdown_table, mean_or_none
from vinlab.recording.finished_run import FinishedRun

LEGEND = """\
*Success*: share of test problems whose rollout reaches the goal without a step into steep terrain. *± (block
bootstrap)*: its standard error when blocks of terrain as large as a patch are resampled; patches overlap, so there are
fewer independent ones. *± seeds*: standard deviation over the seeds of training. *Loss*: share of states on the
expert's paths in which the move is not the expert's own. *Extra steps*: mean of steps beyond the expert's, over the
successes. *Optimal moves*: share of those states in which the move is one of the optimal ones. *Minutes*: one training
on one CPU core, in some rows beside other work. *More ground*: trained with three times as many further patches, on
synthetic terrain of their own. Test problems are the same for all rows of a block.
"""

NAMES = {
    "straight": "straight line, no image",
    "hard": "classifier, hard planner (the paper's best achievable)",
    "soft": "classifier, soft planner",
    "cell-hard": "classifier of single cells (8 × 8 pixels), hard planner",
    "cell-soft": "classifier of single cells (8 × 8 pixels), soft planner",
    "cnn": "CNN",
    "vin": "VIN by imitation",
    "vin-arrival": "VIN by imitation, then reach probability",
    "fixed-point": "VIN to the fixed point by imitation",
    "fixed-point-arrival": "VIN to the fixed point by imitation, then reach probability",
    "more-ground-hard": "classifier, hard planner, more ground",
    "more-ground-soft": "classifier, soft planner, more ground",
    "fixed-point-arrival-more-ground": "VIN to the fixed point by imitation, then reach probability, more ground",
}
CLASSIFIERS = {"classifier": "", "cell-classifier": "cell-", "classifier-more-ground": "more-ground-"}
"""The settings with several planners, and what the names of their rows begin with."""

UNTRAINED = ("straight", "hard", "cell-hard", "more-ground-hard")
"""The rows that take no training of their own."""

PAIRS = (
    ("vin", "straight"),
    ("vin", "cnn"),
    ("vin", "hard"),
    ("vin-arrival", "vin"),
    ("vin-arrival", "soft"),
    ("fixed-point", "vin"),
    ("fixed-point", "hard"),
    ("fixed-point-arrival", "fixed-point"),
    ("fixed-point-arrival", "soft"),
    ("cell-hard", "hard"),
    ("more-ground-soft", "soft"),
    ("fixed-point-arrival-more-ground", "fixed-point-arrival"),
    ("fixed-point-arrival-more-ground", "more-ground-soft"),
)

ERROR = "± (block bootstrap)"


class Key(NamedTuple):
    """What the runs of one block of the table share."""

    source: str
    protocol: str
    recipe: str
    budget: str

    @classmethod
    def of(cls, run: FinishedRun) -> "Key":
        """The block that a run belongs to."""
        data = run.manifest.config["data"]
        return cls(data["source"], data["protocol"], run.manifest.recipe, run.manifest.budget)

    def order(self) -> tuple[Any, ...]:
        """Real terrain first, the default recipe first."""
        return self.source == "synthetic", self.source, self.protocol, self.recipe == "paper", self.budget

    def command(self) -> str:
        """What trains the VIN."""
        id = "mars/vin" if self.protocol == "disjoint" else f"mars/{self.protocol}/vin"
        data = "" if self.source == "synthetic" else f" --data {self.source}"
        return f"Command for the VIN: `{tables.train_command(id, self.recipe, self.budget)}{data}`."


@dataclass(frozen=True)
class Row:
    """One policy on one terrain, over all seeds."""

    name: str
    scores: Sequence[Mapping[str, Any]]
    block_ids: np.ndarray
    minutes: Sequence[float]

    @property
    def reached(self) -> np.ndarray:
        """For each problem the share of seeds that solved it."""
        return np.mean([[int(digit) for digit in one["reached"]] for one in self.scores], axis=0)

    def error(self, against: "Row | None" = None) -> float:
        """The standard error of the success rate, or of the difference from another's on the same problems."""
        values = self.reached if against is None else self.reached - against.reached
        return 100 * block_error(values, self.block_ids, rng=np.random.default_rng(0))

    def values(self, measure: str, scale: float = 1.0) -> list[float]:
        """A measure of each run, where it has one: without any success there are no extra steps."""
        return [scale * one[measure] for one in self.scores if one[measure] is not None]

    def deviation(self) -> str:
        """The standard deviation of the success over the seeds."""
        success = self.values("success_rate", 100.0)
        return NONE if len(success) == 1 else f"{np.std(success, ddof=1):.1f}"


COLUMNS: tuple[Column[Row], ...] = (
    Column("policy", lambda row: NAMES[row.name]),
    Column("seeds", lambda row: NONE if row.name == "straight" else str(len(row.scores))),
    Column("success", lambda row: f"{fmean(row.values('success_rate', 100.0)):.1f} %"),
    Column(ERROR, lambda row: f"{row.error():.1f}"),
    Column("± seeds", lambda row: row.deviation()),
    Column("loss", lambda row: mean_text(row.values("prediction_loss"))),
    Column("extra steps", lambda row: mean_or_none(row.values("trajectory_difference"))),
    Column("optimal moves", lambda row: f"{fmean(row.values('optimal_action_accuracy', 100.0)):.1f} %"),
    Column("minutes", lambda row: NONE if row.name in UNTRAINED else mean_text(row.minutes, digits=1)),
)


def table(runs: Sequence[FinishedRun]) -> str:
    """All finished runs, ours beside the paper's."""
    blocks = group_runs(runs, Key.of)
    parts = [part for key in sorted(blocks, key=Key.order) for part in _block(key, rows_of(blocks[key]))]
    return tables.document(
        "Mars: planning from terrain images (Section 4.2)", _paper(), LEGEND, *parts, runs=runs
    )


def rows_of(runs: Sequence[FinishedRun]) -> dict[str, Row]:
    """The rows of one terrain by name, in the order of the table."""
    found: dict[str, list[tuple[Mapping[str, Any], FinishedRun]]] = defaultdict(list)
    for run in runs:
        name = run.manifest.id.split("/")[-1]
        if name not in CLASSIFIERS:
            found[name].append((run.result["scores"], run))
            continue
        prefix = CLASSIFIERS[name]
        found[f"{prefix}soft"].append((run.result["scores"], run))
        found[f"{prefix}hard"].append((run.result["hard"], run))
        found["straight"].append((run.result["straight"], run))
    found["straight"] = found["straight"][:1]  # it does not depend on the seed
    return {name: _row(name, found[name]) for name in NAMES if found[name]}


def _row(name: str, entries: Sequence[tuple[Mapping[str, Any], FinishedRun]]) -> Row:
    block_ids = [run.result["blocks"] for _, run in entries]
    assert all(one == block_ids[0] for one in block_ids), "runs of one block have different test problems"
    minutes = tables.minutes_of(run for _, run in entries)
    return Row(name, [scores for scores, _ in entries], np.array(block_ids[0]), minutes)


def _paper() -> str:
    vin, best = (numbers_of(id) for id in ("mars/vin", "mars/classifier"))
    return (
        f"The paper, on other terrain (it does not say whether patches overlap): VIN {100 * vin['success_rate']:.1f} %,"
        f" loss {vin['prediction_loss']}, extra steps {vin['trajectory_difference']}; best achievable"
        f" {100 * best['success_rate']:.1f} %, extra steps {best['trajectory_difference']}.\n"
    )


def _block(key: Key, rows: Mapping[str, Row]) -> list[str]:
    block_ids = next(iter(rows.values())).block_ids.tolist()
    differences = [
        [
            f"{NAMES[first]} − {NAMES[second]}",
            f"{100 * (rows[first].reached - rows[second].reached).mean():+.1f}",
            f"{rows[first].error(rows[second]):.1f}",
        ]
        for first, second in PAIRS
        if first in rows and second in rows
    ]
    return [
        f"## {key.source}, {key.protocol} terrain, {key.recipe} recipe",
        "",
        f"{len(block_ids):,} test patches on {len(set(block_ids))} blocks of terrain. {key.command()}",
        "",
        tables.render(COLUMNS, rows.values()),
        *([markdown_table(("paired difference", "points", ERROR), differences)] if differences else []),
        markdown_table(*_by_length(rows)),
    ]


def _by_length(rows: Mapping[str, Row]) -> tuple[list[str], list[list[str]]]:
    """Success by the number of moves of the shortest path."""
    classes = next(iter(rows.values())).scores[0]["success_by_length"]
    headers = ["moves of the shortest path"] + [f"{name} ({count})" for name, (_, count) in classes.items()]
    lines = [
        [NAMES[name]]
        + [
            f"{100 * fmean(one['success_by_length'][length][0] for one in row.scores):.0f} %"
            if classes[length][1]
            else NONE
            for length in classes
        ]
        for name, row in rows.items()
    ]
    return headers, lines
