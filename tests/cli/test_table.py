"""``vinlab table``."""

from helpers.commands import fails
from vinlab.cli import main


def test_table_sets_runs_beside_the_paper(run, tmp_path, capsys):
    main(["table", "gridworld", "--runs", str(run.parent)])
    line = next(line for line in capsys.readouterr().out.splitlines() if "gridworld/8/vin" in line)
    assert "99.6 %" in line
    assert "`vinlab train gridworld/8/vin --budget smoke`" in line


def test_experiments_have_their_old_names_too(run, capsys):
    for name in ("any-map", "guide"):
        said = fails(capsys, "table", name, "--runs", str(run.parent))
        assert "expected finished runs of" in said
