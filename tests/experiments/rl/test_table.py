"""The table from finished runs."""

import dataclasses

from vinlab.experiments.rl.table import LevelsPassed, count_levels, levels_passed, table, world_steps
from vinlab.learners.trpo.curriculum import ReturnRule
from vinlab.recording.finished_run import open_run


def test_the_table_has_a_line_for_each_setting_beside_the_papers_numbers(rl_runs):
    text = table([open_run(run.folder) for run in rl_runs])
    lines = [line for line in text.splitlines() if line.startswith("| rl/")]
    assert [line.split("|")[1].strip() for line in lines] == [
        "rl/8/vin",
        "rl/8/vin-no-curriculum",
        "rl/8/cnn",
    ]
    assert "90.9 %" in lines[0]
    assert "86.9 %" in lines[2]
    assert "noise" in lines[0]
    assert "vinlab train rl/8/vin --recipe paper --budget smoke" in lines[0]
    assert "same 50 unseen maps" in text.replace("\n", " ")


def test_a_run_without_any_success_has_no_extra_steps(rl_runs):
    run = rl_runs[0]
    scores = {**run.result["scores"], "success_rate": 0.0, "trajectory_difference": None}
    failed = dataclasses.replace(run, result={**run.result, "scores": scores})
    (line,) = (line for line in table([failed]).splitlines() if line.startswith("| rl/"))
    assert [cell.strip() for cell in line.split("|")][10] == "–"


def lines(*passed: tuple[int, float]) -> list[dict[str, float]]:
    return [{"level": level, "mean_return": reached} for level, reached in passed]


def test_a_level_is_left_by_its_last_return_or_by_patience():
    rule = ReturnRule(scale=10.0)
    metrics = lines((1, 0.2), (1, 0.95), (2, 0.9), (3, 0.1), (3, 0.1), (4, 0.9))
    assert count_levels(metrics, rule) == LevelsPassed(last=4, by_return=2, by_patience=1)


def test_the_last_level_is_not_left():
    assert count_levels(lines((1, 1.0), (1, 1.0)), ReturnRule()) == LevelsPassed(1, 0, 0)


def test_a_run_tells_its_levels_and_steps(rl_runs):
    vin, _, without = rl_runs
    assert levels_passed(vin).last == vin.metrics()[-1]["level"]
    assert levels_passed(without) == LevelsPassed(last=12, by_return=0, by_patience=0)
    assert world_steps(vin) == sum(line["steps"] for line in vin.metrics())
