"""A table of scores from recorded runs, beside the paper's numbers."""

import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from vinlab.experiments.base import paper_numbers
from vinlab.recording.finished_run import RecordedRun
from vinlab.recording.markdown import markdown_table, mean_text, wilson_interval

HEADERS = (
    "setting",
    "recipe",
    "seeds",
    "success, paper",
    "success, ours",
    "95 % interval",
    "difference",
    "loss, paper",
    "loss, ours",
    "detour, paper",
    "detour, ours",
    "optimal moves",
    "minutes",
    "epoch",
    "command",
)

LEGEND = """\
*Success*: share of test problems whose rollout reaches the goal. *Loss*: share of the states on the expert's paths in
which the network's move is not the expert's own; where several moves are optimal even a perfect planner differs.
*Detour*: mean of steps taken beyond the expert's, over the successes. *Optimal moves*: share of those states in which
the move is one of the optimal ones (the paper does not give it). Ours is the mean ± deviation over the seeds, on the
same 1,000 unseen maps for all; *minutes* is one training by the clock on one core of a machine with other work, *epoch*
the seconds of processor time that one look at all training data takes (where they were counted).
"""


BRIEF = ("setting", "success, paper", "success, ours", "optimal moves", "minutes", "command")


def scores_table(title: str, experiment: str, runs: Sequence[RecordedRun]) -> str:
    """The table as Markdown, with a line for each setting, recipe and budget that was run."""
    rows = [_row(key, group, experiment) for key, group in _groups(experiment, runs)]
    commits = sorted({(run.manifest.commit or "unknown")[:10] for run in runs})
    parts = [f"# {title}", "", markdown_table(HEADERS, rows), LEGEND, f"Commits: {', '.join(commits)}.\n"]
    return "\n".join(parts)


def brief_table(experiment: str, runs: Sequence[RecordedRun]) -> str:
    """The columns that matter most; of the recipes the default one, where it was run."""
    chosen = [HEADERS.index(name) for name in BRIEF]
    groups = _groups(experiment, runs)
    with_default = {id for (id, recipe, _), _ in groups if recipe == "default"}
    rows = [
        _row(key, group, experiment)
        for key, group in groups
        if key[1] == "default" or key[0] not in with_default
    ]
    return markdown_table(BRIEF, [[row[index] for index in chosen] for row in rows])


Key = tuple[str, str, str]


def _groups(experiment: str, runs: Sequence[RecordedRun]) -> list[tuple[Key, list[RecordedRun]]]:
    """Runs that differ in nothing but the seed, in the order of the paper's table."""
    order = list(paper_numbers(experiment))
    groups: dict[Key, list[RecordedRun]] = defaultdict(list)
    for run in runs:
        if run.manifest.id in order:
            groups[run.manifest.id, run.manifest.recipe, run.manifest.budget].append(run)
    keys = sorted(groups, key=lambda key: (order.index(key[0]), *key[1:]))
    return [(key, groups[key]) for key in keys]


def _row(key: Key, runs: Sequence[RecordedRun], experiment: str) -> list[str]:
    id, recipe, budget = key
    paper = paper_numbers(experiment)[id]
    scores = [run.result["scores"] for run in runs]
    successes = [100 * one["success_rate"] for one in scores]
    total = sum(one["num_problems"] for one in scores)
    low, high = wilson_interval(
        sum(round(one["success_rate"] * one["num_problems"]) for one in scores), total
    )
    mean = sum(successes) / len(successes)
    return [
        id,
        recipe,
        str(len(runs)),
        f"{100 * paper['success_rate']:.1f} %",
        f"{mean_text(successes, digits=2)} %",
        f"{100 * low:.2f}–{100 * high:.2f}",
        f"{mean - 100 * paper['success_rate']:+.2f}",
        str(paper["prediction_loss"]),
        mean_text([one["prediction_loss"] for one in scores]),
        str(paper["trajectory_difference"]),
        _detour(scores),
        f"{mean_text([100 * one['optimal_action_accuracy'] for one in scores], digits=2)} %",
        mean_text([run.result["training_seconds"] / 60 for run in runs], digits=1),
        _epoch_seconds(runs),
        _command(id, recipe, budget),
    ]


def _detour(scores: Sequence[Mapping[str, Any]]) -> str:
    """Without any success there is none."""
    found = [one["trajectory_difference"] for one in scores if one["trajectory_difference"] is not None]
    return mean_text(found) if found else "–"


def _epoch_seconds(runs: Sequence[RecordedRun]) -> str:
    counted = [run.result["epoch_cpu_seconds"] for run in runs if "epoch_cpu_seconds" in run.result]
    return f"{statistics.median(counted):.1f}" if counted else "–"


def _command(id: str, recipe: str, budget: str) -> str:
    options = "" if recipe == "default" else f" --recipe {recipe}"
    options += "" if budget == "paper" else f" --budget {budget}"
    return f"`vinlab train {id}{options}`"
