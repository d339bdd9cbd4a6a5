"""The table of web navigation from finished runs: successes beside the paper's, and rollouts."""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from vinlab.evaluation.statistics import mean_text
from vinlab.experiments import tables
from vinlab.experiments.paper import numbers_of
from vinlab.experiments.tables import NONE, Column, counts_text, group_runs, scores_of
from vinlab.experiments.web.data import SYNTHETIC
from vinlab.experiments.web.game.settings import SETTINGS as GAMES
from vinlab.experiments.web.game.table import game_section
from vinlab.experiments.web.scale.settings import SETTINGS as SCALE
from vinlab.experiments.web.scale.table import scale_section
from vinlab.experiments.web.settings import CONTROLS, NAVIGATION
from vinlab.experiments.web.sparse_table import p_value, sparse_section
from vinlab.recording.finished_run import FinishedRun

LEGEND = """\
*Success* (the paper's): problems in which every link of one fixed shortest path is within the policy's top 4, of
{root} from the root and {random} from random articles. *Any link*: the same where any link on a shortest path is
right. *− baseline*, *÷ baseline*: the difference and the ratio of the successes to those of the baseline of the same
block with the same features; *p*: a paired t-test of the difference over the seeds that both have, if three or more.
*Errors*: share of clicks on the fixed paths whose right link is not the first, or not among the first four. *Reward*:
share of problems in which the policy's own clicks reach the target by a shortest path; *4 clicks*: the same when it
clicks its four best links on every page, the paper's measure, where it was recorded; *reached*: within 10 clicks by
any path. *-sparse*: TF-IDF features too; their training does not see the test pages at all. Mean ± deviation over the
seeds; the test queries are the same for all. *Minutes*: one training on one CPU core, beside other work on the
machine.
"""

RECIPES = {
    "paper": "trained from the root alone (the paper)",
    "default": "trained from the root and from random starts",
}
WIDTH = 120
"""Of the lines of text."""

GRAPHS = {"full": "all links", "tree": "category links only"}


@dataclass(frozen=True)
class Block:
    """Runs on one site and graph with one recipe and budget."""

    source: str
    graph: str
    recipe: str
    budget: str

    @classmethod
    def of(cls, run: FinishedRun) -> "Block":
        """The block that a run belongs to."""
        data = run.manifest.config["data"]
        return cls(data["source"], data["graph"], run.manifest.recipe, run.manifest.budget)

    def order(self) -> tuple[bool, str, str, bool, str]:
        """Real sites first, and the paper's recipe first."""
        return self.source == SYNTHETIC, self.source, self.graph, self.recipe == "default", self.budget

    def heading(self) -> str:
        """As a heading."""
        size = "" if self.budget == "paper" else f", budget {self.budget}"
        return f"## {self.source}, {GRAPHS[self.graph]}, {RECIPES[self.recipe]}{size}"

    def command(self) -> str:
        """What trains one of its networks."""
        command = tables.train_command(f"web/{self.graph}/pages", self.recipe, self.budget)
        data = "" if self.source == SYNTHETIC else f" --data FOLDER/{self.source}"
        return f"Command: `{command}{data} --seed 0`, likewise for the other networks and seeds."


@dataclass(frozen=True)
class Row:
    """Runs of one setting, and those of the baseline with the same features."""

    id: str
    runs: Sequence[FinishedRun]
    baseline: Sequence[FinishedRun]

    def successes(self, start: str, measure: str = "successes") -> str:
        """Mean and deviation over the seeds."""
        return mean_text(_measured(self.runs, start, measure), digits=0)

    def both_starts(self, measure: str) -> str:
        """The mean from the root and from random articles; none where a run has not recorded it."""
        if any(measure not in scores["root"] for scores in scores_of(self.runs)):
            return NONE
        return " / ".join(
            f"{fmean(_measured(self.runs, start, measure)):.3f}" for start in ("root", "random")
        )

    def difference(self) -> str:
        """From the root, to the baseline."""
        ours, theirs = self._paired("root")
        text = f"{fmean(ours) - fmean(theirs):+.0f}{p_value(ours, theirs)}" if ours else NONE
        return text.replace("-", "−")

    def ratio(self) -> str:
        """From random articles, to the baseline."""
        ours, theirs = self._paired("random")
        return f"{fmean(ours) / fmean(theirs):.2f}{p_value(ours, theirs)}" if sum(theirs) else NONE

    def _paired(self, start: str) -> tuple[list[float], list[float]]:
        """The successes of both in the seeds that both have."""
        ours, theirs = ({run.manifest.seed: run for run in group} for group in (self.runs, self.baseline))
        seeds = sorted(ours.keys() & theirs.keys())
        first, second = (
            _measured([group[seed] for seed in seeds], start, "successes") for group in (ours, theirs)
        )
        return first, second


COLUMNS: tuple[Column[Row], ...] = (
    Column("network", lambda row: row.id.split("/")[2]),
    Column("seeds", lambda row: str(len(row.runs))),
    Column("root, success", lambda row: row.successes("root")),
    Column("− baseline (p)", lambda row: row.difference()),
    Column("random, success", lambda row: row.successes("random")),
    Column("÷ baseline (p)", lambda row: row.ratio()),
    Column("random, any link", lambda row: row.successes("random", "any_successes")),
    Column("top-1 error, root / random", lambda row: row.both_starts("top1_error")),
    Column("top-4 error, root / random", lambda row: row.both_starts("top4_error")),
    Column("reward, root / random", lambda row: row.both_starts("average_reward")),
    Column("4 clicks, root / random", lambda row: row.both_starts("average_reward_top4")),
    Column("reached, root / random", lambda row: row.both_starts("arrival_rate")),
    Column("minutes", lambda row: f"{fmean(tables.minutes_of(row.runs)):.1f}"),
)


def table(runs: Sequence[FinishedRun]) -> str:
    """A block for each site, graph, recipe and budget; a line for each network."""
    searches, large, games = (
        [run for run in runs if run.manifest.id in settings] for settings in (NAVIGATION, SCALE, GAMES)
    )
    blocks = group_runs(searches, Block.of)
    parts = []
    if searches:
        counts = {
            start: counts_text(scores[start]["num_problems"] for scores in scores_of(searches))
            for start in ("root", "random")
        }
        parts = [_paper(), LEGEND.format(**counts)]
    parts += sparse_section(searches)
    for block in sorted(blocks, key=Block.order):
        parts += [block.heading(), "", tables.render(COLUMNS, _rows(blocks[block])), block.command(), ""]
    parts += scale_section(large)
    parts += game_section(games) if games else []
    return tables.document("Web navigation (Section 4.4)", *parts, runs=runs)


def _rows(runs: Sequence[FinishedRun]) -> list[Row]:
    """The networks in the order of the settings."""
    groups = group_runs(runs, lambda run: run.manifest.id)
    ids = sorted(groups, key=list(NAVIGATION).index)
    return [Row(id, groups[id], _baseline_runs(id, groups)) for id in ids]


def _baseline_runs(id: str, groups: Mapping[str, Sequence[FinishedRun]]) -> Sequence[FinishedRun]:
    """The runs of the baseline with the same features; none for the baseline itself."""
    site, graph, network = id.split("/")
    features = (*CONTROLS, "sparse")
    control = next((f"-{name}" for name in features if network.endswith(f"-{name}")), "")
    baseline = f"{site}/{graph}/baseline{control}"
    return [] if id == baseline else groups.get(baseline, [])


def _measured(runs: Sequence[FinishedRun], start: str, measure: str) -> list[float]:
    return [float(scores[start][measure]) for scores in scores_of(runs)]


def _paper() -> str:
    baseline, vin = (numbers_of(f"web/full/{name}") for name in ("baseline", "vin"))
    text = (
        "The paper, on its own crawl of Wikipedia for Schools (all links, trained from the root): baseline "
        f"{baseline['root_successes']:,.0f} of {baseline['root_problems']:,.0f} from the root and "
        f"{baseline['random_successes']:,.0f} of {baseline['random_problems']:,.0f} from random starts; VIN "
        f"{vin['root_successes']:,.0f} and {vin['random_successes']:,.0f}, "
        f"{vin['random_successes'] / baseline['random_successes']:.2f} times the baseline."
    )
    return f"{textwrap.fill(text, WIDTH)}\n"
