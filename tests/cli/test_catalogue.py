"""``vinlab list``: grouped by experiment, every id whole, one line each."""

from vinlab.cli import main
from vinlab.cli.catalogue import catalogue_lines
from vinlab.experiments.catalogue import read_catalogue
from vinlab.models import shipped_ids


def test_every_setting_has_a_line_with_its_whole_id(capsys):
    main(["list", "--all"])
    lines = capsys.readouterr().out.splitlines()
    ids = {line.split()[0] for line in lines if line.startswith("  ")}
    assert ids == set(read_catalogue())
    marked = {line.split()[0] for line in lines if line.startswith("  ") and line.split()[1] == "*"}
    assert marked == set(shipped_ids())
    headings = [line.split()[0] for line in lines if line.endswith(")")]
    assert headings[:2] == ["gridworld", "weight_sharing"]


def test_controls_are_listed_on_demand(capsys):
    main(["list"])
    short = capsys.readouterr().out
    controls = [id for id, entry in read_catalogue().items() if entry.control]
    assert controls
    assert not any(f"  {id} " in short for id in controls)
    assert f"{len(controls)} controls and ablations more: vinlab list --all" in short


def test_on_a_terminal_descriptions_are_cut_and_ids_are_not(monkeypatch):
    monkeypatch.setenv("COLUMNS", "50")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    entries = read_catalogue()
    lines = [line for line in catalogue_lines(entries, set()) if line.startswith("  ")]
    assert max(map(len, lines)) <= 50
    assert [line.split()[0] for line in lines] == list(entries)
