"""The table from finished runs."""

import dataclasses

from vinlab.experiments.rl.table import table
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
