"""``vinlab plan --motion``: a robot with a heading on a map of one's own."""

import json

import numpy as np
import pytest

from helpers.commands import fails
from vinlab.cli import main


@pytest.fixture
def map_file(tmp_path):
    obstacles = np.zeros((5, 6), np.uint8)
    obstacles[1:, 3] = 1
    np.savez(tmp_path / "map.npz", obstacles=obstacles)
    return tmp_path / "map.npz"


def test_a_robot_drives_around_the_wall(map_file, tmp_path, capsys):
    out, path = tmp_path / "plan.png", tmp_path / "path.json"
    main(
        ["plan", str(map_file), "--motion", "differential", "--start", "4,2,S", "--goal", "4,4", "--exact"]
        + ["--out", str(out), "--path-out", str(path)]
    )
    said = capsys.readouterr().out
    assert (
        "in 14 moves that cost 14.00; the shortest route costs 14.00" in said
    )  # 10 forward and 4 quarter turns
    assert out.stat().st_size > 3000
    record = json.loads(path.read_text(encoding="utf-8"))
    assert record["headings"][0] == "S"
    assert record["moves"].count("forward") == 10


@pytest.mark.parametrize("motion", ["four", "eight", "differential-8", "differential-16"])
def test_every_motion_plans(motion, map_file, capsys):
    main(
        ["plan", str(map_file), "--motion", motion, "--start", "4,0,0", "--goal", "4,5", "--exact", "--json"]
    )
    found = json.loads(capsys.readouterr().out)
    assert found["reached"]
    assert found["cost"] == pytest.approx(found["optimal_cost"])


def test_what_cannot_be_planned_ends_in_a_sentence(map_file, tmp_path, capsys):
    command = ["plan", str(map_file), "--motion", "differential", "--exact"]
    said = fails(capsys, *command, "--start", "0,0,9", "--goal", "4,4")
    assert "expected a layer from 0 to 3 (N, E, S, W), got '9'" in said
    said = fails(capsys, *command, "--start", "0,0,N")
    assert "The map names no goal: expected --goal ROW,COL,HEADING" in said
    said = fails(capsys, *command, "--start", "2,3", "--goal", "4,4")
    assert "lies on an obstacle" in said
    said = fails(capsys, *command[:4], "--model", "grid/any", "--start", "0,0", "--goal", "4,4")
    assert "--motion differential: expected a model for it, got grid/any" in said
    np.savez(tmp_path / "full.npz", obstacles=np.ones((3, 3), np.uint8))
    said = fails(capsys, "plan", str(tmp_path / "full.npz"), *command[2:], "--start", "0,0", "--goal", "1,1")
    assert "lies on an obstacle; expected a free cell" in said
