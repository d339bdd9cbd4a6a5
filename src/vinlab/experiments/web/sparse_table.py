"""Dense and sparse features side by side: how often rollouts from random starts arrive, with paired tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from vinlab.evaluation.statistics import mean_text
from vinlab.experiments.tables import NONE, Column, group_runs, render
from vinlab.experiments.web.settings import SPARSE
from vinlab.recording.finished_run import FinishedRun

TEXT = """\
Rollouts from random starts that reach the target within 10 clicks, trained from the root alone. *Difference*: of
`pages-sparse` to this row, with a paired t-test over the seeds that both have, if three or more.
"""


@dataclass(frozen=True)
class Row:
    """A network: the share of each seed, and those of the plan on pages with sparse features."""

    graph: str
    network: str
    shares: Mapping[int, float]
    best: Mapping[int, float]

    def difference(self) -> str:
        """To the plan on pages with sparse features."""
        seeds = sorted(self.shares.keys() & self.best.keys())
        if self.shares is self.best or not seeds:
            return NONE
        ours, theirs = ([shares[seed] for seed in seeds] for shares in (self.best, self.shares))
        return f"{fmean(ours) - fmean(theirs):+.3f}{p_value(ours, theirs)}".replace("-", "−")


COLUMNS: tuple[Column[Row], ...] = (
    Column("links", lambda row: row.graph),
    Column("network", lambda row: row.network),
    Column("seeds", lambda row: str(len(row.shares))),
    Column("reached", lambda row: mean_text(list(row.shares.values()), digits=3)),
    Column("difference (p)", Row.difference),
)


def sparse_section(runs: Sequence[FinishedRun]) -> list[str]:
    """A table for each real or generated site that has runs with sparse features."""
    parts: list[str] = []
    chosen = [run for run in runs if (run.manifest.recipe, run.manifest.budget) == ("paper", "paper")]
    for source, found in group_runs(chosen, lambda run: run.manifest.config["data"]["source"]).items():
        groups = group_runs(found, lambda run: run.manifest.id)
        rows = [row for graph in ("full", "tree") for row in _rows(graph, groups)]
        if rows:
            parts += [f"## {source}, sparse features beside dense ones", "", TEXT, render(COLUMNS, rows), ""]
    return parts


def _rows(graph: str, groups: Mapping[str, Sequence[FinishedRun]]) -> list[Row]:
    best = f"web/{graph}/pages-sparse"
    if best not in groups:
        return []
    shares = {
        id: {run.manifest.seed: run.result["scores"]["random"]["arrival_rate"] for run in runs}
        for id, runs in groups.items()
    }
    named = [f"{network}{suffix}" for network in SPARSE for suffix in ("", "-sparse")]
    return [
        Row(graph, network, shares[id], shares[best])
        for network in named
        if (id := f"web/{graph}/{network}") in shares
    ]


def p_value(ours: Sequence[float], theirs: Sequence[float]) -> str:
    """The p of a paired t-test, in brackets; nothing for fewer than three pairs."""
    from scipy.stats import ttest_rel

    if len(ours) < 3:
        return ""
    p = float(ttest_rel(ours, theirs).pvalue)  # type: ignore[attr-defined]
    return " (< 0.001)" if p < 0.001 else f" ({p:.3f})"
