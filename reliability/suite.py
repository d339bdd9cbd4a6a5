"""All tests in another environment, with the counts recorded: the oldest versions, or a locale without UTF-8.

``python -m reliability.suite --record FILE`` runs them as ``pytest`` does; what follows ``--`` is handed to pytest.
"""

import argparse
import locale
import os
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]


class Outcomes:
    """A plugin of pytest that counts how tests end; one that fails twice counts once."""

    def __init__(self) -> None:
        self.by_test: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Keep the outcome of a test; a failure before or after the test itself counts too."""
        if report.when == "call" or not report.passed:
            known = self.by_test.get(report.nodeid)
            self.by_test[report.nodeid] = "failed" if known == "failed" else report.outcome

    def pytest_collectreport(self, report: Any) -> None:
        """A file that cannot be read is a failure."""
        if report.failed:
            self.by_test[report.nodeid] = "failed"

    def counts(self) -> dict[str, Any]:
        """How many passed, were skipped and failed, and which those are."""
        found = Counter(self.by_test.values())
        failed = sorted(test for test, outcome in self.by_test.items() if outcome == "failed")
        return {"passed": found["passed"], "skipped": found["skipped"], "failed": failed}


def main() -> None:
    """Run the tests, print and record the counts, and fail if a test does."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--record", type=Path, help="file for the counts, as JSON")
    parser.add_argument("options", nargs="*", help="options of pytest, after --")
    chosen = parser.parse_args()
    os.chdir(ROOT)
    outcomes, began = Outcomes(), time.monotonic()
    pytest.main([*chosen.options], plugins=[outcomes])  # a copy, as pytest adds its own
    found = outcomes.counts()
    found |= {
        "seconds": round(time.monotonic() - began, 1),
        "encoding": locale.getpreferredencoding(False),
        "options": chosen.options,
    }
    if chosen.record:
        from reliability.record import write_record

        write_record(chosen.record, "python -m reliability.suite", found)
    sys.exit(f"{len(found['failed'])} tests failed." if found["failed"] or not found["passed"] else 0)


if __name__ == "__main__":
    main()
