"""The table of learned ground costs, from finished runs."""

from collections.abc import Sequence

from vinlab.experiments import tables
from vinlab.experiments.tables import NONE, Column, Row
from vinlab.experiments.terrain_costs.settings import SETTINGS
from vinlab.recording.finished_run import FinishedRun

LEGEND = """\
*Cost ratio*: true cost of the policy's route / cost of the cheapest one, over the held-out problems in which the goal
is reached; *straight* is that of the shortest route, which ignores the costs, on the same problems. *Agreement*: share
of the demonstrated moves that the policy would have made. Runs named *few* have 20 pictures, all others 100; those
named *noisy* learn from a demonstrator who makes one move in ten at random. Test pictures are the same for all, and
nobody strays on them. With `--budget small` a run makes 450 updates in place of 3,000.
"""


def _ratio(heading: str, measure: str) -> Column[Row]:
    def cell(row: Row) -> str:
        known = all(measure in run.result["scores"] for run in row.runs)
        return row.mean(measure) if known else NONE

    return Column(heading, cell)


COLUMNS: list[Column[Row]] = [
    tables.SETTING,
    Column("loss", lambda row: str(row.manifest.config["loss"]["kind"])),
    tables.SEEDS,
    _ratio("cost ratio, mean", "cost_ratio_mean"),
    _ratio("median", "cost_ratio_median"),
    _ratio("straight, mean", "straight_ratio_mean"),
    Column("goal reached", lambda row: row.percent("success_rate", 1)),
    Column("agreement", lambda row: row.percent("move_agreement", 1)),
    tables.CPU_MINUTES,
    tables.COMMAND,
]


def table(runs: Sequence[FinishedRun]) -> str:
    """A line for each setting; runs on datasets of one's own belong into none."""
    shown = [run for run in runs if run.manifest.id != "terrain-costs/own"]
    title = "Costs of ground, learned from demonstrated paths"
    rows = tables.render(COLUMNS, tables.rows_of(shown, SETTINGS))
    return tables.document(title, LEGEND, rows, "", runs=shown)
