"""The table of the paper's reinforcement learning from finished runs, beside the paper's numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vinlab.evaluation.statistics import mean_text
from vinlab.experiments import tables
from vinlab.experiments.rl.settings import SETTINGS
from vinlab.experiments.tables import Column, Row
from vinlab.learners.trpo.curriculum import ReturnRule
from vinlab.recording.finished_run import FinishedRun


@dataclass(frozen=True)
class LevelsPassed:
    """The last level, and how many levels were left in either way."""

    last: int
    by_return: int
    """Left because the mean return met the paper's rule."""
    by_patience: int
    """Left because the level had lasted for the largest number of iterations."""


def levels_passed(run: FinishedRun) -> LevelsPassed:
    """The levels of a run."""
    rule = run.manifest.config["learning"]["curriculum"]["rule"]
    return count_levels(run.metrics(), ReturnRule(scale=rule["scale"]))


def count_levels(metrics: Sequence[Mapping[str, Any]], rule: ReturnRule) -> LevelsPassed:
    """The levels of logged iterations."""
    # The last iteration at each level; a trial has none.
    last_of = {line["level"]: line["mean_return"] for line in metrics if "level" in line}
    last = max(last_of)
    met = [rule.is_met(level, reached, 0) for level, reached in last_of.items() if level != last]
    return LevelsPassed(last, sum(met), len(met) - sum(met))


def world_steps(run: FinishedRun) -> int:
    """The number of environment steps that the run learned from."""
    return sum(line["steps"] for line in run.metrics())


LEGEND = """\
*Start*: how the planner's kernels are initialised, as the four moves or as noise (the paper's setting); *best of*:
of so many initial weights the ones that do best on validation problems are trained on; the steps of the others count
too. *Success*: share of test problems in which the greedy moves reach the goal; *success, sampled*: the same with moves
sampled from the policy. *Falls*: share that end in a hole; the others end in a loop. *Extra steps*: mean of steps
beyond the shortest path, over the successes. *Optimal moves*: share of the states on a shortest path in which the
greedy move is optimal. *Million steps*: environment steps that the training learned from. *Last level*: of the
curriculum, and of how many. *Left by return, by patience*: levels that were left because the mean return met the
paper's rule, and because the largest number of iterations at a level was reached; over all seeds. Ours is the mean ±
deviation over the seeds, on the same {problems} unseen maps for all; *minutes* is one training by the clock on one core
of a machine with other work.
"""

STARTS = {"moves": "moves", "random": "noise"}


def start(row: Row) -> str:
    """How the kernels of a VIN are initialised, and from how many starts the best one was taken."""
    config = row.manifest.config
    kernels = STARTS.get(config["network"].get("initialisation", ""), tables.NONE)
    count = config.get("starts", 1)
    return kernels if count == 1 else f"{kernels}, best of {count}"


def last_level(row: Row) -> str:
    """The levels that the seeds reached, of how many there are."""
    reached = sorted({levels_passed(run).last for run in row.runs})
    return f"{' or '.join(map(str, reached))} of {row.manifest.config['learning']['curriculum']['last']}"


def levels_left(row: Row) -> str:
    """How many levels were left by return and by patience, over all seeds."""
    passed = [levels_passed(run) for run in row.runs]
    return f"{sum(one.by_return for one in passed)}, {sum(one.by_patience for one in passed)}"


COLUMNS: tuple[Column[Row], ...] = (
    tables.SETTING,
    Column("start", start),
    tables.SEEDS,
    tables.PAPER_SUCCESS,
    tables.OUR_SUCCESS,
    Column("95 % interval", lambda row: row.interval(1)),
    Column("difference", lambda row: row.difference(1)),
    Column("success, sampled", lambda row: row.percent("sampled_success_rate", 1)),
    Column("falls", lambda row: row.percent("fallen_rate", 1)),
    Column("extra steps", lambda row: row.mean("trajectory_difference", 2)),
    Column("optimal moves", lambda row: row.percent("optimal_action_accuracy", 1)),
    Column("iterations", lambda row: str(row.manifest.config["learning"]["iterations"])),
    Column("million steps", lambda row: mean_text([world_steps(run) / 1e6 for run in row.runs], digits=2)),
    Column("last level", last_level),
    Column("left by return, by patience", levels_left),
    tables.MINUTES,
    tables.COMMAND,
)


def table(runs: Sequence[FinishedRun]) -> str:
    """The appendix's table: a line for each setting, recipe and budget that was run."""
    title = "Grid-world by reinforcement learning (appendix)"
    legend = LEGEND.format(problems=tables.tested_on(runs))
    return tables.document(title, tables.render(COLUMNS, tables.rows_of(runs, SETTINGS)), legend, runs=runs)
