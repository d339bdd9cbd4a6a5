"""The Mars table from recorded runs: one block for each ground and protocol, errors by blocks of ground."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np

from vinlab.evaluation.bootstrap import block_error
from vinlab.evaluation.statistics import mean_text
from vinlab.experiments.base import paper_numbers
from vinlab.recording.finished_run import FinishedRun
from vinlab.recording.markdown import markdown_table

HEADERS = (
    "policy",
    "seeds",
    "success",
    "± ground",
    "± seeds",
    "loss",
    "difference",
    "optimal moves",
    "minutes",
)

LEGEND = """\
*Success*: share of the test problems whose rollout reaches the goal without a step into steep ground. *± ground*: its
standard error when blocks of ground as large as a patch are drawn anew, for patches overlap and 1,000 of them are far
fewer independent ones. *± seeds*: deviation over the seeds of training. *Loss*: share of states on the expert's paths
in which the move is not the expert's own. *Difference*: mean of steps beyond the expert's, over the successes.
*Optimal moves*: share of those states in which the move is one of the optimal ones. *Minutes*: one training on one CPU
core. Test problems are the same for all rows of a block.
"""

NAMES = {
    "straight": "straight line, no image",
    "hard": "classifier, hard planner (the paper's best achievable)",
    "soft": "classifier, soft planner",
    "cnn": "CNN",
    "vin": "VIN by imitation",
    "vin-arrival": "VIN, then by arrival",
}

PAIRS = (
    ("vin", "straight"),
    ("vin", "cnn"),
    ("vin", "hard"),
    ("vin-arrival", "vin"),
    ("vin-arrival", "soft"),
)

Key = tuple[str, str, str, str]


@dataclass(frozen=True)
class Row:
    """One policy on one ground, over all seeds."""

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


def mars_table(runs: Sequence[FinishedRun]) -> str:
    """Everything that was recorded, ours beside the paper's."""
    grounds: dict[Key, list[FinishedRun]] = defaultdict(list)
    for run in runs:
        data, manifest = run.manifest.config["data"], run.manifest
        grounds[data["source"], data["protocol"], manifest.recipe, manifest.budget].append(run)
    parts = ["# Mars: planning from terrain images (Section 4.2)", "", _paper(), LEGEND]
    for key in sorted(grounds, key=_order):
        parts += _block(key, rows_of(grounds[key]))
    commits = sorted({(run.manifest.commit or "unknown")[:10] for run in runs})
    return "\n".join([*parts, f"Commits: {', '.join(commits)}.\n"])


def rows_of(runs: Sequence[FinishedRun]) -> dict[str, Row]:
    """The rows of one ground by name, in the order of the table."""
    found: dict[str, list[tuple[Mapping[str, Any], FinishedRun]]] = defaultdict(list)
    for run in runs:
        name = run.manifest.id.split("/")[-1]
        found["soft" if name == "classifier" else name].append((run.result["scores"], run))
        for other in ("hard", "straight"):
            if other in run.result:
                found[other].append((run.result[other], run))
    found["straight"] = found["straight"][:1]  # nothing in it depends on a seed
    return {name: _row(found[name]) for name in NAMES if found[name]}


def _row(entries: Sequence[tuple[Mapping[str, Any], FinishedRun]]) -> Row:
    block_ids = [run.result["blocks"] for _, run in entries]
    assert all(one == block_ids[0] for one in block_ids), (
        "runs of one block were judged on different problems"
    )
    minutes = [run.result["training_seconds"] / 60 for _, run in entries]
    return Row([scores for scores, _ in entries], np.array(block_ids[0]), minutes)


def _paper() -> str:
    vin, best = (paper_numbers("mars")[id] for id in ("mars/vin", "mars/classifier"))
    return (
        f"The paper, on other ground (its protocol says nothing of overlap): VIN {100 * vin['success_rate']:.1f} %,"
        f" loss {vin['prediction_loss']}, difference {vin['trajectory_difference']}; best achievable"
        f" {100 * best['success_rate']:.1f} %, difference {best['trajectory_difference']}.\n"
    )


def _order(key: Key) -> tuple[Any, ...]:
    source, protocol, recipe, budget = key
    return source == "synthetic", source, protocol, recipe == "paper", budget


def _block(key: Key, rows: Mapping[str, Row]) -> list[str]:
    source, protocol, recipe, _ = key
    count = len(next(iter(rows.values())).block_ids)
    ground = len(set(next(iter(rows.values())).block_ids.tolist()))
    return [
        f"## {source}, {protocol} ground, {recipe} recipe",
        "",
        f"{count:,} test patches on {ground} blocks of ground. {_command(key)}",
        "",
        markdown_table(HEADERS, [_line(name, row) for name, row in rows.items()]),
        markdown_table(("paired difference", "points", "± ground"), list(_differences(rows))),
        markdown_table(*_by_length(rows)),
    ]


def _line(name: str, row: Row) -> list[str]:
    success = [100 * one["success_rate"] for one in row.scores]
    deviation = "–" if len(success) == 1 else f"{np.std(success, ddof=1):.1f}"
    return [
        NAMES[name],
        "–" if name == "straight" else str(len(success)),
        f"{fmean(success):.1f} %",
        f"{row.error():.1f}",
        deviation,
        mean_text([one["prediction_loss"] for one in row.scores]),
        _mean_of_known([one["trajectory_difference"] for one in row.scores]),
        f"{fmean(100 * one['optimal_action_accuracy'] for one in row.scores):.1f} %",
        "–" if name in ("straight", "hard") else mean_text(row.minutes, digits=1),
    ]


def _mean_of_known(values: Sequence[float | None]) -> str:
    """A policy that solves nothing has no difference."""
    known = [value for value in values if value is not None]
    return mean_text(known) if known else "–"


def _differences(rows: Mapping[str, Row]) -> list[list[str]]:
    return [
        [
            f"{NAMES[one]} − {NAMES[other]}",
            f"{100 * (rows[one].reached - rows[other].reached).mean():+.1f}",
            f"{rows[one].error(rows[other]):.1f}",
        ]
        for one, other in PAIRS
        if one in rows and other in rows
    ]


def _by_length(rows: Mapping[str, Row]) -> tuple[list[str], list[list[str]]]:
    """Success by the number of moves that the shortest way has."""
    classes = next(iter(rows.values())).scores[0]["success_by_length"]
    headers = ["moves of the shortest way"] + [f"{name} ({count})" for name, (_, count) in classes.items()]
    lines = [
        [NAMES[name]]
        + [
            f"{100 * fmean(one['success_by_length'][length][0] for one in row.scores):.0f} %"
            if classes[length][1]
            else "–"
            for length in classes
        ]
        for name, row in rows.items()
    ]
    return headers, lines


def _command(key: Key) -> str:
    source, protocol, recipe, budget = key
    id = "mars/vin" if protocol == "disjoint" else f"mars/{protocol}/vin"
    options = "" if recipe == "default" else f" --recipe {recipe}"
    options += "" if budget == "paper" else f" --budget {budget}"
    options += "" if source == "synthetic" else f" --data {source}"
    return f"Command, for the VIN: `vinlab train {id}{options}`."
