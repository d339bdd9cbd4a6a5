"""The table of web navigation from recorded runs: successes beside the paper's, and real navigation."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean

from vinlab.evaluation.statistics import mean_text
from vinlab.experiments.base import paper_numbers
from vinlab.recording.finished_run import FinishedRun
from vinlab.recording.markdown import markdown_table

HEADERS = (
    "network",
    "seeds",
    "root, success",
    "− baseline (p)",
    "random, success",
    "÷ baseline (p)",
    "random, any link",
    "top-1 error, root / random",
    "top-4 error, root / random",
    "reward, root / random",
    "arrives, root / random",
    "minutes",
)

LEGEND = """\
*Success* (the paper's): problems in which every link of one fixed shortest path is within the policy's top 4, of 2,000
from the root and 4,000 from random articles. *Any link*: the same where any link on a shortest path is right.
*− baseline*, *÷ baseline*: the difference and the ratio of the successes to those of the baseline of the same block
that saw the same features; *p*: a paired t-test of the difference over the seeds that both have, if three or more.
*Errors*: share of clicks on the fixed paths whose right link is not the first, or not among the first four. *Reward*:
share of problems in which the policy, clicking by itself, arrives by a shortest path; *arrives*: within 10 clicks by
any. Mean ± deviation over the seeds; the test queries are the same for all. *Minutes*: one training on one CPU core,
beside other work on the machine.
"""

PAPER = """\
The paper, on its own crawl of Wikipedia for Schools (all links, trained from the root): baseline 1,025 of 2,000 from
the root and 304 of 4,000 from random starts; VIN 1,030 and 346, 1.14 times the baseline.
"""

RECIPES = {
    "paper": "trained from the root alone (the paper)",
    "default": "trained from the root and from random starts",
}
GRAPHS = {"full": "all links", "tree": "category links only"}


def web_table(runs: Sequence[FinishedRun], about: Mapping[str, str]) -> str:
    """A block for each site, graph and kind of training; a line for each network."""
    blocks: dict[tuple[str, str, str, str], dict[str, list[FinishedRun]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for run in runs:
        data, manifest = run.manifest.config["data"], run.manifest
        key = (data["source"], data["graph"], manifest.recipe, manifest.budget)
        blocks[key][manifest.id].append(run)
    parts = ["# Web navigation (Section 4.4)", "", _paper(), LEGEND]
    for key in sorted(blocks, key=_order):
        parts += [
            _heading(key),
            "",
            markdown_table(HEADERS, _rows(blocks[key], list(about))),
            _command(key),
            "",
        ]
    commits = sorted({(run.manifest.commit or "unknown")[:10] for run in runs})
    return "\n".join([*parts, f"Commits: {', '.join(commits)}.\n"])


def _paper() -> str:
    baseline, vin = (paper_numbers("web")[f"web/full/{name}"] for name in ("baseline", "vin"))
    assert (baseline["random_successes"], vin["random_successes"]) == (304, 346)
    return PAPER


def _order(key: tuple[str, str, str, str]) -> tuple[bool, str, str, bool, str]:
    source, graph, recipe, budget = key
    return source == "synthetic", source, graph, recipe == "default", budget


def _heading(key: tuple[str, str, str, str]) -> str:
    source, graph, recipe, budget = key
    size = "" if budget == "paper" else f", budget {budget}"
    return f"## {source}, {GRAPHS[graph]}, {RECIPES[recipe]}{size}"


def _command(key: tuple[str, str, str, str]) -> str:
    source, graph, recipe, budget = key
    options = "" if source == "synthetic" else f" --data FOLDER/{source}"
    options += "" if recipe == "default" else f" --recipe {recipe}"
    options += "" if budget == "paper" else f" --budget {budget}"
    return f"Command: `vinlab train web/{graph}/pages{options} --seed 0`, and so for the other networks and seeds."


def _rows(block: Mapping[str, list[FinishedRun]], order: Sequence[str]) -> list[list[str]]:
    return [_row(id, block) for id in sorted(block, key=order.index)]


def _row(id: str, block: Mapping[str, list[FinishedRun]]) -> list[str]:
    runs = block[id]
    baseline = [] if id == _baseline(id) else block.get(_baseline(id), [])
    return [
        id.split("/")[2],
        str(len(runs)),
        mean_text(_all(runs, "root", "successes"), digits=0),
        _difference(runs, baseline),
        mean_text(_all(runs, "random", "successes"), digits=0),
        _ratio(runs, baseline),
        mean_text(_all(runs, "random", "any_successes"), digits=0),
        *(
            " / ".join(f"{fmean(_all(runs, start, measure)):.3f}" for start in ("root", "random"))
            for measure in ("top1_error", "top4_error", "average_reward", "arrival_rate")
        ),
        f"{fmean([run.result['training_seconds'] / 60 for run in runs]):.1f}",
    ]


def _baseline(id: str) -> str:
    """The baseline that saw the same features."""
    site, graph, network = id.split("/")
    control = next((f"-{name}" for name in ("leaky", "random-vectors") if network.endswith(name)), "")
    return f"{site}/{graph}/baseline{control}"


def _all(runs: Sequence[FinishedRun], start: str, measure: str) -> list[float]:
    return [float(run.result["scores"][start][measure]) for run in runs]


def _difference(runs: Sequence[FinishedRun], baseline: Sequence[FinishedRun]) -> str:
    ours, theirs = _paired(runs, baseline, "root")
    return f"{fmean(ours) - fmean(theirs):+.0f}{_p_value(ours, theirs)}".replace("-", "−") if ours else "–"


def _ratio(runs: Sequence[FinishedRun], baseline: Sequence[FinishedRun]) -> str:
    ours, theirs = _paired(runs, baseline, "random")
    return f"{fmean(ours) / fmean(theirs):.2f}{_p_value(ours, theirs)}" if sum(theirs) else "–"


def _paired(
    runs: Sequence[FinishedRun], baseline: Sequence[FinishedRun], start: str
) -> tuple[list[float], list[float]]:
    """The successes of both in the seeds that both have."""
    ours, theirs = ({run.manifest.seed: run for run in group} for group in (runs, baseline))
    seeds = sorted(ours.keys() & theirs.keys())
    first, second = (_all([group[seed] for seed in seeds], start, "successes") for group in (ours, theirs))
    return first, second


def _p_value(ours: Sequence[float], theirs: Sequence[float]) -> str:
    from scipy.stats import ttest_rel

    if len(ours) < 3:
        return ""
    p = float(ttest_rel(ours, theirs).pvalue)  # type: ignore[attr-defined]
    return " (< 0.001)" if p < 0.001 else f" ({p:.3f})"
