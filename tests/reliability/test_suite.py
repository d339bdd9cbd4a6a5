"""The trial of the whole suite counts every test once, and a failure wherever it happens."""

from types import SimpleNamespace

from reliability.suite import Outcomes


def reports(**outcomes):
    return [
        SimpleNamespace(
            nodeid="t", when=when, outcome=outcome, passed=outcome == "passed", failed=outcome == "failed"
        )
        for when, outcome in outcomes.items()
    ]


def counted(*tests):
    outcomes = Outcomes()
    for number, test in enumerate(tests):
        for report in test:
            report.nodeid = f"test {number}"
            outcomes.pytest_runtest_logreport(report)
    return outcomes.counts()


def test_a_test_counts_once_and_fails_wherever_it_fails():
    found = counted(
        reports(setup="passed", call="passed", teardown="passed"),
        reports(setup="skipped", teardown="passed"),
        reports(setup="passed", call="skipped", teardown="passed"),
        reports(setup="passed", call="failed", teardown="passed"),
        reports(setup="failed", teardown="passed"),
        reports(setup="passed", call="passed", teardown="failed"),
        reports(setup="passed", call="failed", teardown="failed"),
    )
    assert found == {"passed": 1, "skipped": 2, "failed": ["test 3", "test 4", "test 5", "test 6"]}


def test_a_file_that_cannot_be_read_is_a_failure():
    outcomes = Outcomes()
    outcomes.pytest_collectreport(SimpleNamespace(nodeid="tests/test_a.py", failed=True))
    outcomes.pytest_collectreport(SimpleNamespace(nodeid="tests/test_b.py", failed=False))
    assert outcomes.counts() == {"passed": 0, "skipped": 0, "failed": ["tests/test_a.py"]}
