"""The command itself: help, unknown names, and one sentence when something is wrong."""

import subprocess
import sys

import numpy as np
import pytest

from helpers.commands import fails
from vinlab import __version__
from vinlab.cli import COMMANDS, main


def test_help_names_every_command_and_version_the_version(capsys):
    main(["--help"])
    said = capsys.readouterr().out
    assert all(f"  {name} " in said for name in COMMANDS)
    main(["--version"])
    assert capsys.readouterr().out.strip() == f"vinlab {__version__}"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_begins_with_its_usage(name, capsys):
    with pytest.raises(SystemExit) as stop:
        main([name, "--help"])
    assert stop.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: vinlab {name}")


def test_an_unknown_command_gets_the_nearest_one(capsys):
    assert fails(capsys, "pln") == "vinlab: expected a command, got 'pln'; did you mean plan?"
    assert fails(capsys) == "vinlab: expected a command, got none."


def test_an_unknown_id_gets_the_nearest_ones(capsys):
    assert "did you mean gridworld/28/vin" in fails(capsys, "train", "gridworld/27/vin")
    assert "There is no model or run" in fails(capsys, "evaluate", "gridword/28")
    assert "There is no experiment 'grid'" in fails(capsys, "table", "grid")


def test_an_unwritable_place_is_named(run, tmp_path, capsys):
    file = tmp_path / "file"
    file.write_text("in the way")
    assert "Cannot create the folder" in fails(
        capsys, "train", "gridworld/8/vin", "--budget", "smoke", "--out", str(file / "run")
    )
    assert "file" in fails(capsys, "data", "gridworld", "--out", str(file / "p.npz"))


def test_compiling_for_the_first_time_is_said(monkeypatch, capsys, tmp_path):
    np.save(tmp_path / "map.npy", np.zeros((4, 4), np.uint8))
    command = ["plan", str(tmp_path / "map.npy"), "--start", "0,0", "--goal", "3,3", "--exact", "--json"]
    monkeypatch.setattr("vinlab.cli._has_compiled", lambda: False)
    main(command)
    assert "Kernels are compiled for this machine when they are first used" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["plan", "--help"])
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("vinlab.cli._has_compiled", lambda: True)
    main(command)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("typed", [("10", "12"), ("10,", "12")])
def test_a_position_with_a_space_is_explained(capsys, typed):
    with pytest.raises(SystemExit) as stop:
        main(["plan", "map.png", "--start", *typed, "--goal", "3,3"])
    assert stop.value.code == 2
    said = capsys.readouterr().err
    assert (
        said
        == f"vinlab plan: --start: expected ROW,COL without a space, got '{' '.join(typed)}'; is it 10,12?\n"
    )


def test_a_name_cannot_command_the_terminal_or_begin_another_line(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["plan", str(tmp_path / "a\x1b[2J\nvinlab: all is well.png"), "--exact"])
    told = capsys.readouterr().err
    assert "\x1b" not in told
    assert told.count("\n") == 1
    assert r"a\x1b[2J\nvinlab: all is well.png" in told


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("command", ["list", "data gridworld --count 1 --out a.npz"])
def test_a_command_works_where_its_caller_has_closed_the_streams(command, closed, tmp_path):
    call = f'"{sys.executable}" -m vinlab {command} {closed}'
    done = subprocess.run(["sh", "-c", call], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert command == "list" or len(np.load(tmp_path / "a.npz")["obstacles"]) == 1
