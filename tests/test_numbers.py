"""Numbers in README and docs that carry the name of a setting are those of its recorded runs.

``99.87 ± 0.05 %<!-- gridworld/28/hvin default -->`` is the mean success of all recorded seeds and its deviation. A tag
may go on with a measure, and with a seed: ``98.8 %<!-- gridworld/8/vin paper success_rate seed-2 -->``. The runs are
those on generated data, or on the real data that it ends with:
``99.2 %<!-- gridworld/16/vin paper on gridworld_authors -->``.
"""

import re
from pathlib import Path

import pytest

from vinlab.evaluation.statistics import mean_and_deviation
from vinlab.recording.finished_run import collect_runs

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
TAG = re.compile(
    r"(?P<mean>\d+(?:\.\d+)?)(?: ± (?P<deviation>\d+\.\d+))?(?: ?(?P<percent>%))?"
    r"<!-- (?P<id>\w+/[\w/-]+) (?P<recipe>\w+)(?: (?P<measure>[a-z]\w*))?(?: seed-(?P<seed>\d+))?"
    r"(?: on (?P<source>\w+))? -->"
)
ANY_TAG = re.compile(r"<!-- \w+/[\w/-]+ (?:default|paper|noise)\b[^>]*-->")
RUNS = collect_runs(ROOT / "results" / "runs")


def wrong_numbers(text, runs):
    """The tagged numbers that the runs do not give, each with what they give."""
    wrong = []
    for tag in TAG.finditer(text):
        asked = (tag["id"], tag["recipe"], tag["source"])
        rows = [run for run in runs if (run.manifest.id, run.manifest.recipe, run.manifest.source) == asked]
        rows = [run for run in rows if tag["seed"] is None or run.manifest.seed == int(tag["seed"])]
        measure, scale = tag["measure"] or "success_rate", 100.0 if tag["percent"] else 1.0
        found = [scale * run.result["scores"][measure] for run in rows]
        mean, deviation = mean_and_deviation(found) if found else (float("nan"), float("nan"))
        for written, recorded in ((tag["mean"], mean), (tag["deviation"], deviation)):
            digits = len(written.partition(".")[2]) if written else 0
            # Half a unit of the last digit, and what floats add to it.
            if written and not abs(float(written) - recorded) <= 0.5 * 10**-digits + 1e-9:
                wrong.append(f"{tag[0]}: recorded {recorded:.{digits}f}")
    return wrong


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_tagged_numbers_are_recorded(page):
    text = page.read_text(encoding="utf-8")
    assert len(TAG.findall(text)) == len(ANY_TAG.findall(text)), "a tag without a number before it"
    assert wrong_numbers(text, RUNS) == []


def test_a_number_changed_by_hand_is_found():
    run = RUNS[0]
    name = f"<!-- {run.manifest.id} {run.manifest.recipe} epochs seed-{run.manifest.seed} -->"
    changed = type(run)(run.folder, run.manifest, run.result | {"scores": {"epochs": 0.9375}})
    assert wrong_numbers(f"93.8 %{name} and 0.94{name}", [changed]) == []
    assert len(wrong_numbers(f"93.6 %{name} and 0.95{name}", [changed])) == 2
    assert len(wrong_numbers(f"93.8 %{name.replace('/', '/no-')}", [changed])) == 1


def test_some_numbers_are_tagged():
    assert sum(len(TAG.findall(page.read_text(encoding="utf-8"))) for page in PAGES) > 10
