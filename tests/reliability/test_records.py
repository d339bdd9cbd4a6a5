"""The numbers of the trials in ``docs/reliability.md`` are those of their records.

``2,500<!-- reliability/fuzz found.cases -->`` is the entry ``cases`` of ``found`` in ``results/reliability/fuzz.json``.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
RECORDS = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in (ROOT / "results" / "reliability").glob("*.json")
}
PAGE = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
TAG = re.compile(
    r"(?P<number>[\d,]+(?:\.\d+)?)(?P<percent> %)?<!-- reliability/(?P<record>\w+) (?P<place>[\w. ]+) -->"
)


def entry(record: str, place: str) -> float:
    found: Any = RECORDS[record]
    for part in place.split("."):
        found = found[part.replace("_", " ")] if part not in found else found[part]
    return float(found) if isinstance(found, int | float) else float(len(found))


def wrong_numbers(text: str) -> list[str]:
    wrong = []
    for tag in TAG.finditer(text):
        recorded = entry(tag["record"], tag["place"]) * (100 if tag["percent"] else 1)
        digits = len(tag["number"].partition(".")[2])
        if abs(float(tag["number"].replace(",", "")) - recorded) > 0.5 * 10**-digits + 1e-9:
            wrong.append(f"{tag[0]}: recorded {recorded:.{digits}f}")
    return wrong


def test_the_numbers_of_the_page_are_recorded():
    assert len(TAG.findall(PAGE)) == PAGE.count("<!-- reliability/"), "a tag without a number before it"
    assert wrong_numbers(PAGE) == []


def test_every_record_is_on_the_page_and_of_a_clean_commit():
    for name, record in RECORDS.items():
        assert f"results/reliability/{name}.json" in PAGE, name
        assert record["clean"] is True, name
        assert re.fullmatch("[0-9a-f]{40}", record["commit"]), name


@pytest.mark.parametrize("change", [1, -1])
def test_a_number_that_is_changed_by_hand_is_found(change):
    tags = list(TAG.finditer(PAGE))
    assert tags
    for tag in tags:
        number = float(tag["number"].replace(",", ""))
        digits = len(tag["number"].partition(".")[2])
        changed = tag[0].replace(tag["number"], f"{number + change * 10**-digits:.{digits}f}", 1)
        if not changed.startswith("-"):
            assert wrong_numbers(changed), tag[0]
