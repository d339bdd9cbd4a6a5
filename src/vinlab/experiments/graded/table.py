"""What the routes of models cost on maps with costs, from finished runs."""

from collections.abc import Mapping, Sequence
from typing import Any

from vinlab.experiments.any_map.table import about_run
from vinlab.experiments.tables import markdown_table
from vinlab.recording.finished_run import FinishedRun

HEADERS = (
    "maps",
    "problems",
    "success",
    "cost ratio, mean",
    "median",
    "reached from all cells",
    "cost ratio there",
)

LEGEND = """\
*Cost ratio*: the cost of the network's route over that of the cheapest one. *Success*: share of the problems whose
route reaches the goal. *From all cells*: the same from every cell with a path to the goal. The number after a kind is
the side of its maps; costs differ by a factor of up to 20 unless another is named. *noise*: smooth costs; *patches*:
six grounds; *cells*: independent ones; *costmap*: costs that fall with the distance from obstacles, as robots have
them; *mazes*: corridors with costs, of whose walls a fifth was taken away.
"""


def table(runs: Sequence[FinishedRun]) -> str:
    """A table for each run, a line for each set of maps."""
    ordered = sorted(runs, key=lambda run: (run.manifest.id, run.manifest.seed))
    parts = ["# One planner for maps with costs", "", LEGEND]
    for run in ordered:
        rows = markdown_table(HEADERS, [_row(name, one) for name, one in run.result["scores"].items()])
        parts.append(f"## {run.manifest.id}, seed {run.manifest.seed}\n\n{about_run(run)}\n\n{rows}")
    return "\n".join(parts)


def _row(name: str, scores: Mapping[str, Any]) -> list[str]:
    return [
        name,
        str(scores["num_problems"]),
        f"{100 * scores['success_rate']:.1f} %",
        f"{scores['cost_ratio_mean']:.5f}",
        f"{scores['cost_ratio_median']:.5f}",
        f"{100 * scores['reached_share']:.2f} %",
        f"{scores['cost_ratio_all_cells']:.5f}",
    ]
