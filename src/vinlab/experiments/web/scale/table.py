"""The table of large sites beside the paper's of the full Wikipedia."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from vinlab.evaluation.statistics import mean_text
from vinlab.experiments.paper import numbers_of
from vinlab.experiments.tables import NONE, Column, group_runs, render, scores_of
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


@dataclass(frozen=True)
class Row:
    """A network on a site: the paper's, or ours over some seeds."""

    site: str
    network: str
    seeds: str
    errors: tuple[str, str]
    rewards: tuple[str, str]


COLUMNS: tuple[Column[Row], ...] = (
    Column("site", lambda row: row.site),
    Column("network", lambda row: row.network),
    Column("seeds", lambda row: row.seeds),
    Column("top-1 error", lambda row: row.errors[0]),
    Column("top-4 error", lambda row: row.errors[1]),
    Column("reward, 4 clicks", lambda row: row.rewards[0]),
    Column("reward, greedy", lambda row: row.rewards[1]),
)


def scale_section(runs: Sequence[FinishedRun]) -> list[str]:
    """The heading, the explanation and the table."""
    groups = group_runs(runs, lambda run: run.manifest.id)
    rows = [_paper_row(name) for name in ("baseline", "vin")]
    rows += [_row(id, groups[id]) for id in SETTINGS if id in groups]
    command = "Command: `vinlab train web/500k/vin --recipe paper --seed 0`, likewise for the others."
    missing = [] if groups else ["No run of ours is recorded yet."]
    text = textwrap.fill(TEXT.replace("\n", " "), WIDTH, break_on_hyphens=False)
    return [
        "## Large sites: the paper's second table",
        "",
        f"{text}\n",
        render(COLUMNS, rows),
        *missing,
        command,
        "",
    ]


def _paper_row(network: str) -> Row:
    numbers = numbers_of(f"web/wikipedia/{network}")
    errors = f"{numbers['top1_error']:.3f}", f"{numbers['top4_error']:.3f}"
    return Row("full Wikipedia (paper)", network, NONE, errors, (f"{numbers['average_reward']:.3f}", NONE))


def _row(id: str, runs: Sequence[FinishedRun]) -> Row:
    _, size, network = id.split("/")
    found = [scores["root"] for scores in scores_of(runs)]

    def text(name: str) -> str:
        return mean_text([float(scores[name]) for scores in found], digits=3)

    return Row(
        f"generated, {SIZES[size]:,} pages",
        network,
        str(len(runs)),
        (text("top1_error"), text("top4_error")),
        (text("average_reward_top4"), text("average_reward")),
    )
