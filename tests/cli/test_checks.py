"""Absurd options are refused with the bound, and what goes wrong ends in one sentence."""

import json
import shutil

import numpy as np
import pytest

from helpers.commands import fails
from vinlab.cli import Command, main
from vinlab.cli import run as run_command

ABSURD = {
    ("train", "gridworld/8/vin", "--seed", str(2**80)): "--seed: expected at most 4,294,967,295, got",
    ("train", "gridworld/8/vin", "--seed", "-1"): "--seed: expected at least 0, got -1",
    ("train", "gridworld/8/vin", "--threads", "1000000"): "--threads: expected at most",
    ("train", "gridworld/8/vin", "--out", "."): "--out: expected the name of a new folder, got '.'",
    ("train", "gridworld/8/vin", "--out", "/"): "--out: expected the name of a new folder, got '/'",
    ("train", "gridworld/8/vin", "--resume", "--overwrite"): "expected --resume or --overwrite, got both",
    ("evaluate", "gridworld/8/vin", "--resume", "--overwrite"): "expected --resume or --overwrite, got both",
    ("evaluate", "gridworld/8/vin", "--iterations", "1000000000"): "--iterations: expected at most 100,000",
    ("plan", "map.png", "--iterations", "1000000000"): "--iterations: expected at most 100,000",
    ("plan", "map.png", "--iterations", "0"): "--iterations: expected at least 1, got 0",
    ("plan", "map.png", "--out", "/"): "--out: expected the name of a file to write, got the folder '/'",
    ("plan", "map.png", "--path-out", "."): "--path-out: expected the name of a file to write",
    ("data", "gridworld", "--out", "a.npz", "--size", "1000000"): "--size: expected at most 4,096",
    ("data", "gridworld", "--out", "a.npz", "--count", "10000000"): "--count: expected at most 1,000,000",
    (
        "data",
        "gridworld",
        "--out",
        "a.npz",
        "--size",
        "4096",
    ): "expected at most 16,777,216 cells in all maps",
    ("data", "gridworld", "--out", ".."): "--out: expected the name of a file to write",
    ("data", "mars", "--out", "a.npz", "--size", "4096"): "--size: expected at most 512",
    (
        "data",
        "mars",
        "--out",
        "a.npz",
        "--threshold",
        "nan",
    ): "expected a threshold between 0 and 90 degrees, got nan",
    ("data", "terrain-costs", "--out", "a.npz", "--size", "0"): "--size: expected at least 1, got 0",
    (
        "data",
        "terrain-costs",
        "--out",
        "a.npz",
        "--count",
        "1000000000",
    ): "--count: expected at most 1,000,000",
    ("data", "terrain-costs", "--out", "a.npz", "--paths", "0"): "--paths: expected at least 1, got 0",
    (
        "data",
        "terrain-costs",
        "--out",
        "a.npz",
        "--paths",
        "1000",
    ): "in the pictures of all paths, got 160,000,000",
    ("export", "gridworld/8/vin", "/"): "out: expected the name of a file to write",
    ("table", "gridworld", "--out", "."): "--out: expected the name of a file to write",
    ("reproduce", "--jobs", "100000"): "--jobs: expected at most 256",
    ("reproduce", "--seeds", "0"): "--seeds: expected at least 1",
    ("browse", "x", "--model", ".", "--clicks", "99999"): "--clicks: expected at most 1,000",
    ("serve", "--host", ""): "expected a value, got an empty text for --host",
    ("plan", "map.png", "--out="): "expected a value, got an empty text for --out",
    ("show", ""): "expected a value, got an empty text",
}


@pytest.mark.parametrize("arguments", ABSURD, ids=" ".join)
def test_absurd_options_are_refused_with_the_bound(arguments, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert ABSURD[arguments] in fails(capsys, *arguments)
    assert list(tmp_path.iterdir()) == []


def no_memory() -> None:
    """Ask for more than there is."""
    np.zeros(2**60, np.uint8)


def no_memory_for_torch() -> None:
    """Ask PyTorch for more than there is."""
    import torch

    torch.empty(2**60)


def interrupted_import() -> None:
    """Ctrl-C while a library is imported."""
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (no_memory, "vinlab: there is not enough memory for this"),
        (no_memory_for_torch, "vinlab: there is not enough memory for this"),
        (interrupted_import, "vinlab: interrupted."),
    ],
)
def test_a_lack_of_memory_and_an_interruption_are_sentences(function, sentence, capsys, monkeypatch):
    monkeypatch.setattr(Command, "load", lambda self: function)
    with pytest.raises(SystemExit):
        run_command("list", [])
    assert capsys.readouterr().err.startswith(sentence)


def test_ctrl_c_while_the_command_is_imported_is_a_sentence(capsys, monkeypatch):
    monkeypatch.setattr(Command, "load", lambda self: interrupted_import())
    with pytest.raises(SystemExit) as stop:
        run_command("train", ["x"])
    assert stop.value.code == 130
    assert capsys.readouterr().err == "vinlab: interrupted; continue with --resume.\n"


def test_an_endless_name_makes_no_endless_sentence(capsys):
    assert len(fails(capsys, "browse", "x", "--model", "9" * 5000)) < 1000


def test_an_odd_result_is_named_and_left_out_of_a_table(run, tmp_path, capsys):
    shutil.copytree(run, tmp_path / "sound")
    for name, scores in {"a": {}, "b": {"success_rate": "high", "num_problems": 3}, "c": [1]}.items():
        shutil.copytree(run, tmp_path / name)
        result = json.loads((run / "result.json").read_text(encoding="utf-8")) | {"scores": scores}
        del result["checksums"]
        (tmp_path / name / "result.json").write_text(json.dumps(result))
    main(["table", "gridworld", "--runs", str(tmp_path)])
    out, err = capsys.readouterr()
    assert "gridworld/8/vin" in out
    for name in "abc":
        assert f"Left out: {tmp_path / name}: expected a result with the numbers of its table" in err
    shutil.rmtree(tmp_path / "sound")
    assert "expected runs whose results fit together" in fails(
        capsys, "table", "gridworld", "--runs", str(tmp_path)
    )
