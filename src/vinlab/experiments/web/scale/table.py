"""The table of large sites beside the paper's of the full Wikipedia."""

import textwrap
from collections.abc import Sequence

from vinlab.evaluation.statistics import mean_text
from vinlab.experiments.paper import numbers_of
from vinlab.experiments.tables import NONE, group_runs, markdown_table, scores_of
from vinlab.experiments.web.scale.settings import SETTINGS, SIZES
from vinlab.recording.finished_run import FinishedRun

WIDTH = 120
TEXT = """\
The paper's second table, on the full Wikipedia: 4.8 million pages, 779,169 training queries, a plan on the graph of the
whole school encyclopedia with K = 4, trained at K = 0 first and then with the reward held. Wikipedia and its word
vectors are not reproduced here: our site is generated (a tree of categories, features that follow it, articles with
random links), and so is the smaller site of 4,600 pages to plan on. Order of training and measures are the paper's, the
network too but for its attention, a softmax in place of a sigmoid; the paper's numbers and ours are not comparable one
by one. *Reward, 4 clicks*: the paper's, the four best links of every page are clicked; *reward, greedy*: only the
best."""

HEADERS = ("site", "network", "seeds", "top-1 error", "top-4 error", "reward, 4 clicks", "reward, greedy")


def scale_section(runs: Sequence[FinishedRun]) -> list[str]:
    """The heading, the explanation and the table."""
    groups = group_runs(runs, lambda run: run.manifest.id)
    rows = [_paper_row(name) for name in ("baseline", "vin")]
    rows += [_row(id, groups[id]) for id in SETTINGS if id in groups]
    command = "Command: `vinlab train web/500k/vin --recipe paper --seed 0`, likewise for the others."
    missing = [] if groups else ["No run of ours is recorded yet."]
    text = textwrap.fill(TEXT.replace("\n", " "), WIDTH, break_on_hyphens=False)
    title = "## Large sites: the paper's second table"
    return [title, "", f"{text}\n", markdown_table(HEADERS, rows), *missing, command, ""]


def _paper_row(network: str) -> list[str]:
    numbers = numbers_of(f"web/wikipedia/{network}")
    found = [f"{numbers[name]:.3f}" for name in ("top1_error", "top4_error", "average_reward")]
    return ["full Wikipedia (paper)", network, NONE, *found, NONE]


def _row(id: str, runs: Sequence[FinishedRun]) -> list[str]:
    _, size, network = id.split("/")
    scores = [one["root"] for one in scores_of(runs)]
    measures = ("top1_error", "top4_error", "average_reward_top4", "average_reward")
    found = [mean_text([float(one[name]) for one in scores], digits=3) for name in measures]
    return [f"generated, {SIZES[size]:,} pages", network, str(len(runs)), *found]
