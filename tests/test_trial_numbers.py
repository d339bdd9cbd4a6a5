"""Numbers of pages that carry the name of a trial's record are those of the record.

``2,514<!-- reliability/fuzz found.cases -->`` is the field ``cases`` of ``found`` in ``results/reliability/fuzz.json``.
"""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))]
TAG = re.compile(
    r"(?P<number>\d[\d,]*(?:\.\d+)?)(?: ?(?P<percent>%))?<!-- (?P<file>reliability/\w+) (?P<field>[\w.]+) -->"
)
ANY_TAG = re.compile(r"<!-- reliability/")


def recorded(file: str, field: str) -> float:
    """The number of a record, or how many entries a list or an object of it has."""
    value = json.loads((ROOT / "results" / f"{file}.json").read_text(encoding="utf-8"))
    for name in field.split("."):
        value = {key.replace(" ", "_"): entry for key, entry in value.items()}[name]
    return float(len(value)) if isinstance(value, list | dict) else float(value)


def wrong_numbers(text: str) -> list[str]:
    """The tagged numbers that are not in the records, each with what is."""
    wrong = []
    for tag in TAG.finditer(text):
        found = recorded(tag["file"], tag["field"]) * (100 if tag["percent"] else 1)
        digits = len(tag["number"].partition(".")[2])
        if not abs(float(tag["number"].replace(",", "")) - found) <= 0.5 * 10**-digits + 1e-9:
            wrong.append(f"{tag[0]}: recorded {found:.{digits}f}")
    return wrong


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_numbers_of_trials_are_recorded(page):
    text = page.read_text(encoding="utf-8")
    assert len(TAG.findall(text)) == len(ANY_TAG.findall(text)), "a tag without a number before it"
    assert wrong_numbers(text) == []


@pytest.mark.parametrize("page", ["SECURITY.md", "docs/reliability.md"])
def test_the_pages_of_the_trials_have_tagged_numbers(page):
    assert len(TAG.findall((ROOT / page).read_text(encoding="utf-8"))) >= 3


def test_a_number_changed_by_hand_is_found():
    cases = int(recorded("reliability/fuzz", "found.cases"))
    tag = "<!-- reliability/fuzz found.cases -->"
    assert wrong_numbers(f"{cases:,}{tag}") == []
    assert wrong_numbers(f"{cases + 1:,}{tag}") == [f"{cases + 1:,}{tag}: recorded {cases}"]
