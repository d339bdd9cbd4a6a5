"""What the routes of models cost on maps with costs, from finished runs."""

from collections.abc import Sequence

from vinlab.experiments.any_map.table import MapSet, column, map_sets_table, percent
from vinlab.experiments.tables import Column
from vinlab.recording.finished_run import FinishedRun

LEGEND = """\
*Cost ratio*: the cost of the network's route over that of the cheapest one. *Success*: share of the problems whose
route reaches the goal. *From all cells*: the same from every cell with a path to the goal. The number after a kind is
the side of its maps; costs differ by a factor of up to 20 unless another is named. *noise*: smooth costs; *patches*:
six grounds; *cells*: independent ones; *costmap*: costs that fall with the distance from obstacles, as robots have
them; *mazes*: corridors with costs, of whose walls a fifth was taken away.
"""


COLUMNS: tuple[Column[MapSet], ...] = (
    Column("maps", lambda one: one[0]),
    column("problems", "num_problems", str),
    column("success", "success_rate", lambda share: percent(share, 1)),
    column("cost ratio, mean", "cost_ratio_mean", "{:.5f}".format),
    column("median", "cost_ratio_median", "{:.5f}".format),
    column("reached from all cells", "reached_share", percent),
    column("cost ratio there", "cost_ratio_all_cells", "{:.5f}".format),
)


def table(runs: Sequence[FinishedRun]) -> str:
    """A table for each run, a line for each set of maps."""
    return map_sets_table("One planner for maps with costs", LEGEND, COLUMNS, runs)
