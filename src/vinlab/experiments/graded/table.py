"""What the routes of models cost on maps with costs, from finished runs."""

from collections.abc import Mapping, Sequence
from typing import Any

from vinlab.experiments.tables import minutes_of, train_command
from vinlab.recording.finished_run import FinishedRun
from vinlab.recording.markdown import markdown_table

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
        manifest, (minutes,) = run.manifest, minutes_of([run])
        command = f"{train_command(manifest.id, manifest.recipe, manifest.budget)} --seed {manifest.seed}"
        about = (
            f"`{command}`, {minutes:.1f} minutes with {manifest.threads} thread{'s' if manifest.threads > 1 else ''}, "
            f"commit {(manifest.commit or 'unknown')[:10]}."
        )
        rows = markdown_table(HEADERS, [_row(name, one) for name, one in run.result["scores"].items()])
        parts.append(f"## {manifest.id}, seed {manifest.seed}\n\n{about}\n\n{rows}")
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
