"""Every number of README and docs beside a setting's id is what the recorded runs, or the paper, say."""

import re
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest

from helpers.page_numbers import Claim, claims
from helpers.recorded_numbers import RecordedNumbers
from vinlab.experiments.catalogue import read_catalogue
from vinlab.recording.finished_run import collect_runs

ROOT = Path(__file__).parents[1]
IDS = read_catalogue()
RUNS = collect_runs(ROOT / "results" / "runs")
RECORDED = RecordedNumbers(RUNS)
PAGES = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for path in [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
}

NOT_OF_RUNS: dict[str, dict[str, str]] = {
    "docs/experiments/any-map.md": {
        "88.0 %": "of a first version of the setting, of which the page tells",
    },
    "docs/experiments/generalisation.md": {
        "24.0 %": "recorded in the commit that the page names",
    },
    "docs/experiments/gridworld.md": {
        "5,000": "printed by the example that the page names",
        "99.00 %": "printed by the example that the page names",
        "99.88 %": "printed by the example that the page names",
    },
    "docs/experiments/graded.md": {
        "1.2": "of a trial, of which the page says that it is not among the runs",
        "18": "the number of sets of maps to train on",
        "10": "of the power that is the rate",
    },
    "docs/experiments/hierarchical.md": {"1.8": "the difference to the paper's number"},
    "docs/experiments/terrain_costs.md": {"1": "of the formula of the hidden cost", "5": "of the same"},
    "docs/guide.md": {"99.4": "recorded in the commit that the page names"},
    "docs/maps.md": {"262,144": "a limit of the command"},
    "docs/models.md": {"1.4": "of the run that the card names, before the third draw of test domains"},
}
"""Numbers beside an id that no recorded run has, and where they are from: by page, as they are written."""


def written(claim: Claim) -> str:
    return f"{claim.number} %" if claim.unit == "%" else claim.number


def false_claims(page: str, text: str) -> list[str]:
    """The numbers of a page that neither the runs nor the list above have."""
    other = NOT_OF_RUNS.get(page, {})
    return [
        str(claim)
        for claim in claims(page, text, IDS)
        if written(claim) not in other and not RECORDED.holds(claim)
    ]


@pytest.mark.parametrize("page", PAGES)
def test_the_numbers_beside_a_setting_are_recorded(page):
    assert false_claims(page, PAGES[page]) == []


def test_no_exception_is_left_over():
    for page, numbers in NOT_OF_RUNS.items():
        found = {written(claim) for claim in claims(page, PAGES[page], IDS) if not RECORDED.holds(claim)}
        assert set(numbers) <= found, page


@pytest.mark.parametrize("step", [1, -1, 7])
def test_a_number_of_the_readme_that_is_changed_by_hand_is_found(step):
    for claim in claims("README.md", PAGES["README.md"], IDS):
        if claim.heading:
            assert not RECORDED.holds(changed(claim, step)), (claim, step)


def test_a_percentage_of_the_docs_that_is_changed_by_hand_is_found():
    shares = [
        claim
        for page, text in PAGES.items()
        for claim in claims(page, text, IDS)
        if claim.unit == "%" and not claim.is_rough and not claim.is_deviation
    ]
    missed = [
        str(claim) for claim in shares if all(RECORDED.holds(changed(claim, -step)) for step in range(1, 20))
    ]
    assert shares
    assert missed == []


def changed(claim: Claim, step: int) -> Claim:
    """The claim with its last digit moved by some steps."""
    decimals = len(claim.number.partition(".")[2])
    return replace(claim, number=f"{claim.value + step * 10**-decimals:.{decimals}f}")


def test_a_changed_copy_of_a_page_fails():
    page, shares = (
        "README.md",
        [one for one in claims("README.md", PAGES["README.md"], IDS) if one.unit == "%"],
    )
    first = next(one for one in shares if "ours" in one.heading)
    lines = PAGES[page].splitlines()
    lines[first.line - 1] = lines[first.line - 1].replace(first.number, "98.7", 1)
    found = false_claims(page, "\n".join(lines))
    assert [message for message in found if "98.7 % beside gridworld/8/vin" in message]


def row(text: str) -> list[Claim]:
    table = "| setting | recipe | success, ours | minutes |\n| --- | --- | --- | --- |\n" + text
    return claims("page.md", table, IDS)


def test_a_row_is_held_to_the_runs_of_its_recipe():
    rates = [
        run.result["scores"]["success_rate"]
        for run in RUNS
        if (run.manifest.id, run.manifest.recipe) == ("rl/8/vin", "paper")
    ]
    share = f"{100 * fmean(rates):.2f} %"
    (right,), (wrong,) = (
        [claim for claim in row(f"| rl/8/vin | {recipe} | {share} | – |") if claim.unit == "%"]
        for recipe in ("paper", "default")
    )
    assert RECORDED.holds(right)
    assert not RECORDED.holds(wrong)


def test_what_is_read_of_a_page():
    text = (
        "On 8 × 8 maps `rl/8/vin` has K = 10, see detail 3. It is 5.\n"
        "2. `rl/8/cnn` reached 76.1,\n   77.0 and 78.2 ± 0.3 % with about 1.6 million steps.\n\n"
        "```sh\nvinlab train rl/8/vin --seed 3  # on 1,000 maps\n```\n"
    )
    found = claims("page.md", text, IDS)
    assert [
        (claim.number, claim.unit, claim.is_deviation, claim.is_rough, claim.line) for claim in found
    ] == [
        ("1,000", "", False, False, 6),
        ("76.1", "%", False, False, 2),
        ("77.0", "%", False, False, 2),
        ("78.2", "%", False, False, 2),
        ("0.3", "%", True, False, 2),
        ("1.6", "million", False, True, 2),
    ]
    assert re.match(r"page.md:2: 76.1 % beside rl/8/cnn", str(found[1]))
