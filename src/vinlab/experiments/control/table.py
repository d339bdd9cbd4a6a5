"""The control experiment's table: both networks, both teachers, and the rows that put them in place."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from vinlab.domains.control.geometry import HALF_SIDE
from vinlab.evaluation.statistics import mean_text
from vinlab.experiments.base import paper_numbers
from vinlab.recording.finished_run import FinishedRun
from vinlab.recording.markdown import markdown_table

HEADERS = (
    "who pushes",
    "teacher",
    "seeds",
    "train, paper",
    "test, paper",
    "train, ours",
    "test, ours",
    "test / train",
    "first 40",
    "of the side",
    "fails",
    "minutes",
    "command",
)

TEACHERS = {"paper": "iLQG (the paper's)", "default": "route (our own)"}

LEGEND = f"""\
Mean distance to the goal after 100 pushes, mean ± deviation over the seeds; the square has the side {2 * HALF_SIDE:g}.
*Test*: 240 unseen domains, the same for all seeds, the *first 40* of them by themselves; training domains differ by
seed. *Of the side*: test distance by the side of the square. *Fails*: share of test domains in which the particle ends
further than 0.2 from the goal. The paper gives neither the size of its square nor its units, so the ratio of its rows
says more than their height. *Straight* pushes at the known goal whatever stands between; *route* knows the map and
tracks the shortest way; *iLQG* is what the teacher of the paper reaches in its training domains. *Minutes*: teacher and
fit, one thread of a shared machine.
"""

Key = tuple[str, str, str]


def control_table(runs: Sequence[FinishedRun]) -> str:
    """The table as Markdown, with a line for each network, teacher and budget that was run, and those beside them."""
    groups: dict[Key, list[FinishedRun]] = defaultdict(list)
    for run in runs:
        groups[run.manifest.recipe, run.manifest.id, run.manifest.budget].append(run)
    rows = [_row(key, groups[key]) for key in sorted(groups, reverse=True)]
    rows += _others(runs)
    lines = ["# Continuous control (Section 4.3, Figure 5)", "", markdown_table(HEADERS, rows), LEGEND]
    lines += [_ratios(groups), _search(runs), f"Commits: {', '.join(_commits(runs))}.\n"]
    return "\n".join(line for line in lines if line is not None)


def _row(key: Key, runs: Sequence[FinishedRun]) -> list[str]:
    recipe, id, budget = key
    paper = paper_numbers("control").get(id, {}) if recipe == "paper" else {}
    scores = [run.result["scores"] for run in runs]
    train, test = ([one[name] for one in scores] for name in ("train_distance", "test_distance"))
    return [
        id,
        TEACHERS[recipe],
        str(len(runs)),
        str(paper.get("train_distance", "–")),
        str(paper.get("test_distance", "–")),
        mean_text(train),
        mean_text(test),
        f"{sum(test) / sum(train):.2f}",
        mean_text([one["test_distance_first_40"] for one in scores]),
        f"{100 * sum(test) / len(test) / (2 * HALF_SIDE):.1f} %",
        f"{100 * sum(one['test_failed'] for one in scores) / len(scores):.0f} %",
        mean_text([run.result["training_seconds"] / 60 for run in runs], digits=1),
        _command(id, recipe, budget),
    ]


def _others(runs: Sequence[FinishedRun]) -> list[list[str]]:
    """The controllers that learn nothing, and the paper's teacher itself."""
    by_seed = {(run.manifest.budget, run.manifest.seed): run for run in runs}.values()
    rows = [
        _other(
            name,
            [run.result[name]["train"] for run in by_seed],
            [run.result[name]["test"] for run in by_seed],
        )
        for name in ("straight", "route")
    ]
    searched = _searched(runs)
    if searched:
        rows.append(_other("iLQG", [run.result["teacher"] for run in searched], None))
    return rows


def _other(name: str, train: list[dict[str, Any]], test: list[dict[str, Any]] | None) -> list[str]:
    told = test or train
    failed = f"{100 * sum(one['failed'] for one in told) / len(told):.0f} %" + ("" if test else " (train)")
    distances = mean_text([one["distance"] for one in test]) if test else "–"
    side = 100 * sum(one["distance"] for one in told) / len(told) / (2 * HALF_SIDE)
    cells = [name, "–", str(len(train)), "–", "–", mean_text([one["distance"] for one in train]), distances]
    return [*cells, "–", "–", f"{side:.1f} %", failed, "–", "–"]


def _ratios(groups: dict[Key, list[FinishedRun]]) -> str:
    """How much further the CNN ends than the VIN."""
    said = []
    for recipe, words in TEACHERS.items():
        means = {id: _mean_test(groups, recipe, id) for id in ("control/vin", "control/cnn")}
        vin, cnn = means["control/vin"], means["control/cnn"]
        if vin and cnn:
            said.append(f"{words} teacher: {cnn / vin:.2f}")
    return f"CNN's test distance by VIN's: {'; '.join(said)}. In the paper: 1.69.\n" if said else ""


def _mean_test(groups: dict[Key, list[FinishedRun]], recipe: str, id: str) -> float | None:
    runs = groups.get((recipe, id, "paper"), [])
    return sum(run.result["scores"]["test_distance"] for run in runs) / len(runs) if runs else None


def _search(runs: Sequence[FinishedRun]) -> str:
    """What iLQG gained from its first iteration to its last."""
    searched = _searched(runs)
    if not searched:
        return ""
    ends: Callable[[int], list[float]] = lambda index: [  # noqa: E731
        run.result["teacher"]["history"][index]["distance"] for run in searched
    ]
    first, last = ends(0), ends(-1)
    return (
        f"iLQG on the training domains: {mean_text(first)} before the first improvement, {mean_text(last)} at the end, "
        f"a factor of {sum(first) / sum(last):.1f}.\n"
    )


def _searched(runs: Sequence[FinishedRun]) -> list[FinishedRun]:
    """One run for each time that the paper's teacher was at work at the paper's size."""
    wanted = [run for run in runs if run.manifest.recipe == "paper" and run.manifest.budget == "paper"]
    return list({run.manifest.seed: run for run in wanted}.values())


def _commits(runs: Sequence[FinishedRun]) -> list[str]:
    return sorted({(run.manifest.commit or "unknown")[:10] for run in runs})


def _command(id: str, recipe: str, budget: str) -> str:
    options = "" if recipe == "default" else f" --recipe {recipe}"
    options += "" if budget == "paper" else f" --budget {budget}"
    return f"`vinlab train {id}{options}`"
