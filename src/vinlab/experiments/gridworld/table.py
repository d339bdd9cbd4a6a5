"""The table of grid-world scores from finished runs, beside the paper's numbers."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from vinlab.evaluation.statistics import mean_text, wilson_interval
from vinlab.experiments.paper import paper_numbers
from vinlab.experiments.tables import (
    Column,
    commits_line,
    group_runs,
    minutes_of,
    render,
    scores_of,
    train_command,
)
from vinlab.recording.finished_run import FinishedRun

LEGEND = """\
*Success*: share of test problems whose rollout reaches the goal. *Loss*: share of the states on the expert's paths in
which the network's move is not the expert's own; where several moves are optimal even a perfect planner differs.
*Extra steps*: mean of steps taken beyond the expert's, over the successes. *Optimal moves*: share of those states in
which the move is one of the optimal ones (the paper does not give it). Ours is the mean ± deviation over the seeds, on
the same {problems} unseen maps for all; *minutes* is one training by the clock on one core of a machine with other
work, *epoch* the seconds of processor time of one pass over all training data (where they were counted).
"""


@dataclass(frozen=True)
class Row:
    """Runs of one setting, recipe and budget, which differ in the seed alone."""

    runs: Sequence[FinishedRun]
    experiment: str

    @property
    def id(self) -> str:
        """The setting."""
        return self.runs[0].manifest.id

    @property
    def recipe(self) -> str:
        """How it was trained."""
        return self.runs[0].manifest.recipe

    @cached_property
    def paper(self) -> dict[str, float]:
        """The paper's numbers."""
        return paper_numbers(self.experiment)[self.id]

    def values(self, measure: str, scale: float = 1.0) -> list[float]:
        """A measure of each run, where it has one."""
        found = [scores[measure] for scores in scores_of(self.runs)]
        return [scale * value for value in found if value is not None]

    def difference(self) -> str:
        """Our mean success minus the paper's, in points."""
        successes = self.values("success_rate", 100.0)
        return f"{sum(successes) / len(successes) - 100 * self.paper['success_rate']:+.2f}"

    def interval(self) -> str:
        """The 95 % interval of the success over all runs."""
        counts = [(one["success_rate"], one["num_problems"]) for one in scores_of(self.runs)]
        total = sum(problems for _, problems in counts)
        low, high = wilson_interval(sum(round(rate * problems) for rate, problems in counts), total)
        return f"{100 * low:.2f}–{100 * high:.2f}"

    def extra_steps(self) -> str:
        """Without any success there are none."""
        found = self.values("trajectory_difference")
        return mean_text(found) if found else "–"

    def epoch_seconds(self) -> str:
        """Processor time of an epoch, where it was counted."""
        counted = [run.result["epoch_cpu_seconds"] for run in self.runs if "epoch_cpu_seconds" in run.result]
        return f"{statistics.median(counted):.1f}" if counted else "–"

    def command(self) -> str:
        """What trains it."""
        return f"`{train_command(self.id, self.recipe, self.runs[0].manifest.budget)}`"


SETTING = Column[Row]("setting", lambda row: row.id)
PAPER_SUCCESS = Column[Row]("success, paper", lambda row: f"{100 * row.paper['success_rate']:.1f} %")
OUR_SUCCESS = Column[Row](
    "success, ours", lambda row: f"{mean_text(row.values('success_rate', 100.0), digits=2)} %"
)
OPTIMAL = Column[Row](
    "optimal moves", lambda row: f"{mean_text(row.values('optimal_action_accuracy', 100.0), digits=2)} %"
)
MINUTES = Column[Row]("minutes", lambda row: mean_text(minutes_of(row.runs), digits=1))
COMMAND = Column[Row]("command", lambda row: row.command())

COLUMNS: tuple[Column[Row], ...] = (
    SETTING,
    Column("recipe", lambda row: row.recipe),
    Column("seeds", lambda row: str(len(row.runs))),
    PAPER_SUCCESS,
    OUR_SUCCESS,
    Column("95 % interval", lambda row: row.interval()),
    Column("difference", lambda row: row.difference()),
    Column("loss, paper", lambda row: str(row.paper["prediction_loss"])),
    Column("loss, ours", lambda row: mean_text(row.values("prediction_loss"))),
    Column("extra steps, paper", lambda row: str(row.paper["trajectory_difference"])),
    Column("extra steps, ours", lambda row: row.extra_steps()),
    OPTIMAL,
    MINUTES,
    Column("epoch", lambda row: row.epoch_seconds()),
    COMMAND,
)
BRIEF = (SETTING, PAPER_SUCCESS, OUR_SUCCESS, OPTIMAL, MINUTES, COMMAND)
"""The columns that README shows."""


def scores_table(title: str, experiment: str, runs: Sequence[FinishedRun]) -> str:
    """The table as Markdown, with a line for each setting, recipe and budget that was run."""
    legend = LEGEND.format(problems=tested_on(runs))
    parts = [f"# {title}", "", render(COLUMNS, rows_of(experiment, runs)), legend, f"{commits_line(runs)}\n"]
    return "\n".join(parts)


def brief_table(experiment: str, runs: Sequence[FinishedRun]) -> str:
    """The columns that matter most; of the recipes the default one, where it was run."""
    rows = rows_of(experiment, runs)
    with_default = {row.id for row in rows if row.recipe == "default"}
    return render(BRIEF, [row for row in rows if row.recipe == "default" or row.id not in with_default])


def rows_of(experiment: str, runs: Sequence[FinishedRun]) -> list[Row]:
    """The rows in the order of the paper's table."""
    order = list(paper_numbers(experiment))
    known = [run for run in runs if run.manifest.id in order]
    groups = group_runs(known, lambda run: (run.manifest.id, run.manifest.recipe, run.manifest.budget))
    keys = sorted(groups, key=lambda key: (order.index(key[0]), *key[1:]))
    return [Row(groups[key], experiment) for key in keys]


def tested_on(runs: Sequence[FinishedRun]) -> str:
    """How many test problems the runs had, in words for a legend."""
    counts = sorted({scores["num_problems"] for scores in scores_of(runs)})
    return " or ".join(f"{count:,}" for count in counts)
