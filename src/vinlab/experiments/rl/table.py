"""The table of the paper's reinforcement learning, from recorded runs."""

from collections import defaultdict
from collections.abc import Sequence

from vinlab.evaluation.statistics import mean_text, wilson_interval
from vinlab.experiments.base import paper_numbers
from vinlab.recording.finished_run import FinishedRun
from vinlab.recording.markdown import markdown_table

HEADERS = (
    "setting",
    "start",
    "seeds",
    "success, paper",
    "success, ours",
    "95 % interval",
    "difference",
    "moves drawn",
    "falls",
    "detour",
    "optimal moves",
    "iterations",
    "minutes",
    "command",
)

LEGEND = """\
*Start*: how the planner's kernels begin, as the four moves or as noise (the paper's setting). *Success*: share of test
problems in which the likeliest moves lead to the goal; *moves drawn*: the same when moves are drawn from the policy.
*Falls*: share that end in a hole; the rest go round in circles. *Detour*: mean of steps beyond the shortest way, over
the successes. *Optimal moves*: share of the states on a shortest way in which the likeliest move is optimal. Ours is
the mean ± deviation over the seeds, on the same 1,000 unseen maps for all; *minutes* is the time of one training on one
core of a machine that others used too.
"""

STARTS = {"moves": "moves", "random": "noise"}


def rl_table(experiment: str, runs: Sequence[FinishedRun]) -> str:
    """The table as Markdown, with a line for each setting, recipe and budget that was run."""
    groups: dict[tuple[str, str, str], list[FinishedRun]] = defaultdict(list)
    for run in runs:
        groups[run.manifest.id, run.manifest.recipe, run.manifest.budget].append(run)
    rows = [_row(key, groups[key], experiment) for key in sorted(groups, key=_order)]
    commits = sorted({(run.manifest.commit or "unknown")[:10] for run in runs})
    title = "# Grid-world by reinforcement learning (appendix)"
    return "\n".join([title, "", markdown_table(HEADERS, rows), LEGEND, f"Commits: {', '.join(commits)}.\n"])


def _order(key: tuple[str, str, str]) -> tuple[int, bool, str, str, str]:
    id, recipe, budget = key
    return int(id.split("/")[1]), "cnn" in id, id, recipe, budget


def _row(key: tuple[str, str, str], runs: Sequence[FinishedRun], experiment: str) -> list[str]:
    id, recipe, budget = key
    paper = paper_numbers(experiment).get(id)
    scores = [run.result["scores"] for run in runs]
    successes = [100 * one["success_rate"] for one in scores]
    total = sum(one["num_problems"] for one in scores)
    reached = sum(round(one["success_rate"] * one["num_problems"]) for one in scores)
    low, high = wilson_interval(reached, total)
    mean = sum(successes) / len(successes)
    config = runs[0].manifest.config
    return [
        id,
        STARTS.get(config["network"].get("initialisation", ""), "–"),
        str(len(runs)),
        f"{100 * paper['success_rate']:.1f} %" if paper else "–",
        f"{mean_text(successes, digits=2)} %",
        f"{100 * low:.1f}–{100 * high:.1f}",
        f"{mean - 100 * paper['success_rate']:+.1f}" if paper else "–",
        f"{mean_text([100 * one['sampled_success_rate'] for one in scores], digits=1)} %",
        f"{mean_text([100 * one['fallen_rate'] for one in scores], digits=1)} %",
        mean_text([one["trajectory_difference"] for one in scores], digits=2),
        f"{mean_text([100 * one['optimal_action_accuracy'] for one in scores], digits=1)} %",
        str(config["learning"]["iterations"]),
        mean_text([run.result["training_seconds"] / 60 for run in runs], digits=1),
        _command(id, recipe, budget),
    ]


def _command(id: str, recipe: str, budget: str) -> str:
    options = "" if recipe == "default" else f" --recipe {recipe}"
    options += "" if budget == "paper" else f" --budget {budget}"
    return f"`vinlab train {id}{options}`"
