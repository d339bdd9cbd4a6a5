"""The table of the paper's reinforcement learning from finished runs, beside the paper's numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

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
*Start*: how the planner's kernels are initialised, as the four moves or as noise (the paper's setting). *Success*:
share of test problems in which the greedy moves reach the goal; *success, sampled*: the same with moves sampled from
the policy. *Falls*: share that end in a hole; the others end in a loop. *Extra steps*: mean of steps beyond the
shortest path, over the successes. *Optimal moves*: share of the states on a shortest path in which the greedy move is
optimal. Ours is the mean ± deviation over the seeds, on the same {problems} unseen maps for all; *minutes* is one
training by the clock on one core of a machine with other work.
"""

STARTS = {"moves": "moves", "random": "noise"}


@dataclass(frozen=True)
class Row:
    """Runs of one setting, recipe and budget, which differ in the seed alone."""

    runs: Sequence[FinishedRun]

    @property
    def id(self) -> str:
        """The setting."""
        return self.runs[0].manifest.id

    @property
    def order(self) -> tuple[int, bool, str, str, str]:
        """By size; of one size the CNN last."""
        manifest = self.runs[0].manifest
        size = int(self.id.split("/")[1])
        return size, "cnn" in self.id, self.id, manifest.recipe, manifest.budget

    @property
    def paper(self) -> float | None:
        """The paper's success in percent, where it prints one."""
        numbers = paper_numbers("rl").get(self.id)
        return None if numbers is None else 100 * numbers["success_rate"]

    def values(self, measure: str) -> list[float]:
        """A measure of each run, where it has one."""
        return [scores[measure] for scores in scores_of(self.runs) if scores[measure] is not None]

    def percent(self, measure: str, digits: int = 1) -> str:
        """Mean and deviation of a share."""
        return f"{mean_text([100 * value for value in self.values(measure)], digits=digits)} %"

    def start(self) -> str:
        """How the kernels of a VIN are initialised."""
        network = self.runs[0].manifest.config["network"]
        return STARTS.get(network.get("initialisation", ""), "–")

    def interval(self) -> str:
        """The 95 % interval of the success over all runs."""
        counts = [(one["success_rate"], one["num_problems"]) for one in scores_of(self.runs)]
        total = sum(problems for _, problems in counts)
        low, high = wilson_interval(sum(round(rate * problems) for rate, problems in counts), total)
        return f"{100 * low:.1f}–{100 * high:.1f}"

    def difference(self) -> str:
        """Our mean success minus the paper's, in points."""
        successes = [100 * value for value in self.values("success_rate")]
        return "–" if self.paper is None else f"{sum(successes) / len(successes) - self.paper:+.1f}"

    def extra_steps(self) -> str:
        """Without any success there are none."""
        found = self.values("trajectory_difference")
        return mean_text(found, digits=2) if found else "–"

    def command(self) -> str:
        """What trains it."""
        manifest = self.runs[0].manifest
        return f"`{train_command(self.id, manifest.recipe, manifest.budget)}`"


COLUMNS: tuple[Column[Row], ...] = (
    Column("setting", lambda row: row.id),
    Column("start", Row.start),
    Column("seeds", lambda row: str(len(row.runs))),
    Column("success, paper", lambda row: "–" if row.paper is None else f"{row.paper:.1f} %"),
    Column("success, ours", lambda row: row.percent("success_rate", digits=2)),
    Column("95 % interval", Row.interval),
    Column("difference", Row.difference),
    Column("success, sampled", lambda row: row.percent("sampled_success_rate")),
    Column("falls", lambda row: row.percent("fallen_rate")),
    Column("extra steps", Row.extra_steps),
    Column("optimal moves", lambda row: row.percent("optimal_action_accuracy")),
    Column("iterations", lambda row: str(row.runs[0].manifest.config["learning"]["iterations"])),
    Column("minutes", lambda row: mean_text(minutes_of(row.runs), digits=1)),
    Column("command", Row.command),
)


def table(runs: Sequence[FinishedRun]) -> str:
    """The appendix's table: a line for each setting, recipe and budget that was run."""
    groups = group_runs(runs, lambda run: (run.manifest.id, run.manifest.recipe, run.manifest.budget))
    rows = sorted((Row(group) for group in groups.values()), key=lambda row: row.order)
    counts = sorted({scores["num_problems"] for scores in scores_of(runs)})
    legend = LEGEND.format(problems=" or ".join(f"{count:,}" for count in counts))
    title = "# Grid-world by reinforcement learning (appendix)"
    return "\n".join([title, "", render(COLUMNS, rows), legend, f"{commits_line(runs)}\n"])
