"""``vinlab plan``: what it prints and writes, and one sentence for what it cannot use."""

import json
import re
from contextlib import suppress

import numpy as np
import pytest
from PIL import Image

from helpers.commands import fails
from vinlab.cli import main
from vinlab.domains.gridworld.map_sets import mazes

ROBOT = "image: map.pgm\nresolution: 0.5\norigin: [-1.0, 2.0, 0.0]\nnegate: 0\n"
BROKEN = {
    "empty.npz": b"",
    "noise.npz": bytes(range(256)),
    "cut.npz": b"PK\x03\x04 cut",
    "cut.png": b"\x89PNG\r\n\x1a\n cut",
    "text.txt": b"hello",
}


def test_plan_reads_an_image_and_prints_its_assumptions(run, tmp_path, capsys):
    pixels = np.full((6, 9), 255, dtype=np.uint8)
    pixels[1:5, 4] = 0
    Image.fromarray(pixels).save(tmp_path / "map.png")
    out = tmp_path / "plan.png"
    with suppress(SystemExit):  # trained for seconds, it may not reach the goal
        main(
            ["plan", str(tmp_path / "map.png"), "--start", "2,1", "--goal", "2,7"]
            + ["--model", str(run), "--out", str(out)]
        )
    said = capsys.readouterr().out
    assert "6 x 9 cells, 7.4% of them blocked" in said
    assert "darker than 0.5 is blocked" in said
    assert re.search(r"K = (18|36|54) \(its own is 16", said)
    assert out.stat().st_size > 5000


def test_plan_answers_when_no_route_exists(run, tmp_path, capsys):
    np.savez(tmp_path / "map.npz", obstacles=np.array([[0, 1, 0]]))
    with pytest.raises(SystemExit):
        main(
            ["plan", str(tmp_path / "map.npz"), "--start", "0,0", "--goal", "0,2"]
            + ["--model", str(run), "--out", str(tmp_path / "plan.png")]
        )
    assert "No route exists" in capsys.readouterr().out


def test_plan_exact_needs_no_network_and_writes_the_path_in_metres(tmp_path, capsys):
    (tmp_path / "map.pgm").write_bytes(b"P5 4 2 255\n" + bytes([255, 255, 0, 255, 255, 255, 255, 255]))
    (tmp_path / "map.yaml").write_text(ROBOT)
    where = ["--world-coordinates", "--start=-0.75,2.75", "--goal=0.75,2.75", "--corner-cutting", "forbid"]
    files = ["--out", str(tmp_path / "plan.png"), "--path-out", str(tmp_path / "path.geojson")]
    main(["plan", str(tmp_path / "map.yaml"), "--exact", *where, *files])
    said = capsys.readouterr().out
    assert "0.5 m per cell" in said
    assert "Corner cutting is forbidden" in said
    assert "The shortest route has 4 steps and length 4.41" in said
    assert "2.207 m long" in said
    path = json.loads((tmp_path / "path.geojson").read_text(encoding="utf-8"))
    assert path["geometry"]["coordinates"][0] == pytest.approx([-0.75, 2.75])
    assert path["geometry"]["coordinates"][-1] == pytest.approx([0.75, 2.75])


def test_plan_runs_a_whole_file_of_scenarios(run, tmp_path, capsys):
    (tmp_path / "a.map").write_text("type octile\nheight 2\nwidth 3\nmap\n...\n.@.\n")
    scenario = "0\ta.map\t3\t2\t0\t1\t2\t1\t4.0\n"
    (tmp_path / "a.scen").write_text("version 1\n" + scenario * 3)
    main(["plan", str(tmp_path / "a.scen"), "--exact"])
    assert (
        "3 of 3 scenarios reach the goal, 3 of them at the length that the file states"
        in capsys.readouterr().out
    )
    main(["plan", str(tmp_path / "a.scen"), "--model", str(run)])
    assert "gridworld/8/vin" in capsys.readouterr().out


def write_scenarios(folder, lines, *, name="a", rows=("...", ".@.")):
    folder.mkdir(exist_ok=True)
    heading = f"type octile\nheight {len(rows)}\nwidth {len(rows[0])}\nmap\n"
    (folder / f"{name}.map").write_text(heading + "\n".join(rows) + "\n")
    (folder / f"{name}.scen").write_text("version 1\n" + "".join(lines))


def said_json(capsys, *command):
    with suppress(SystemExit):
        main(list(command))
    return json.loads(capsys.readouterr().out)


def test_json_of_a_file_of_scenarios_holds_its_counts(tmp_path, capsys):
    far, none = "0\ta.map\t3\t2\t0\t1\t2\t1\t4\n", "0 a.map 3 2 0 1 2 0 0\n"
    write_scenarios(tmp_path, [far, far.replace("\t4", "\t3"), none])
    counts = said_json(capsys, "plan", str(tmp_path / "a.scen"), "--exact", "--json")
    assert counts.pop("seconds_per_plan") > 0
    assert counts == {"scenarios": 2, "reached": 2, "at_stated_length": 1, "without_route": 1}


def test_a_folder_runs_all_its_files_of_scenarios(tmp_path, capsys):
    write_scenarios(tmp_path, ["0\ta.map\t3\t2\t0\t1\t2\t1\t4\n"] * 2)
    write_scenarios(tmp_path / "below", ["0\tb.map\t3\t2\t0\t0\t2\t0\t2\n"], name="b")
    counts = said_json(capsys, "plan", str(tmp_path), "--exact", "--json")
    assert (counts["scenarios"], counts["reached"], counts["at_stated_length"]) == (3, 3, 3)
    assert counts["seconds_per_plan"] > 0
    assert {name: file["reached"] for name, file in counts["files"].items()} == {
        "a.scen": 2,
        "below/b.scen": 1,
    }
    main(["plan", str(tmp_path), "--exact"])
    said = capsys.readouterr().out
    assert "below/b.scen" in said
    assert re.search(r"all\s+3\s+3\s+3\s+0", said)


def test_a_folder_without_scenarios_is_named(tmp_path, capsys):
    assert "expected a folder with .scen files" in fails(capsys, "plan", str(tmp_path), "--exact")


def test_json_of_a_map_holds_the_route_and_its_time(tmp_path, capsys):
    np.savez(tmp_path / "map.npz", obstacles=np.array([[0, 0, 1, 0]]))
    command = ["plan", str(tmp_path / "map.npz"), "--start", "0,0", "--exact", "--json"]
    route = said_json(capsys, *command, "--goal", "0,1")
    assert route.pop("seconds") > 0
    assert route == {"reached": True, "cost": 1.0, "optimal_cost": 1.0}
    route = said_json(capsys, *command, "--goal", "0,3")
    assert (route["reached"], route["optimal_cost"]) == (False, None)


def test_a_scenario_file_takes_no_start_from_the_command_line(tmp_path, capsys):
    (tmp_path / "a.map").write_text("type octile\nheight 1\nwidth 3\nmap\n...\n")
    (tmp_path / "a.scen").write_text("version 1\n0\ta.map\t3\t1\t0\t0\t2\t0\t2.0\n")
    said = fails(capsys, "plan", str(tmp_path / "a.scen"), "--exact", "--robot-radius", "1")
    assert "A .scen file has its own starts and goals" in said


@pytest.mark.parametrize(
    ("start", "goal", "sentence"),
    [
        ("9,0", "0,0", "start (9, 0) lies outside the map of 3 x 3 cells"),
        ("0,0", "1,1", "goal (1, 1) lies on an obstacle"),
        ("a,b", "0,0", "start: expected ROW,COL"),
    ],
)
def test_bad_cells_are_named(run, tmp_path, capsys, start, goal, sentence):
    obstacles = np.zeros((3, 3), dtype=np.uint8)
    obstacles[1, 1] = 1
    np.savez(tmp_path / "map.npz", obstacles=obstacles)
    path = str(tmp_path / "map.npz")
    assert sentence in fails(capsys, "plan", path, "--start", start, "--goal", goal, "--model", str(run))


@pytest.mark.parametrize("name", BROKEN)
def test_broken_and_foreign_maps_are_refused(run, tmp_path, capsys, name):
    path = tmp_path / name
    path.write_bytes(BROKEN[name])
    said = fails(capsys, "plan", str(path), "--start", "0,0", "--goal", "0,1", "--model", str(run))
    assert name in said
    assert name in fails(capsys, "evaluate", str(run), "--problems", str(path))


def test_pickled_arrays_are_refused(run, tmp_path, capsys):
    path = tmp_path / "pickled.npz"
    np.savez(path, obstacles=np.array([{"a": 1}], dtype=object))
    said = fails(capsys, "plan", str(path), "--start", "0,0", "--goal", "0,1", "--model", str(run))
    assert "plain arrays" in said


def test_the_exit_code_and_the_path_file_tell_whether_the_goal_is_reached(tmp_path, capsys):
    free, split = np.zeros((6, 6), np.uint8), np.zeros((6, 6), np.uint8)
    split[3] = 1
    np.save(tmp_path / "free.npy", free)
    np.save(tmp_path / "split.npy", split)
    out = ["--out", str(tmp_path / "p.png"), "--start", "0,0", "--goal", "5,5"]
    path = tmp_path / "path.csv"
    main(["plan", str(tmp_path / "free.npy"), *out, "--path-out", str(path)])
    assert path.read_text(encoding="utf-8").splitlines()[1].endswith(",true")
    path.unlink()
    for more in ([], ["--exact"], ["--json"]):
        with pytest.raises(SystemExit) as stopped:
            main(["plan", str(tmp_path / "split.npy"), *out, "--path-out", str(path), *more])
        assert stopped.value.code == 4
        assert not path.exists()
    assert "No path is written" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["plan", str(tmp_path / "split.npy"), *out, "--path-out", str(path), "--partial"])
    assert path.read_text(encoding="utf-8").splitlines()[1].endswith(",false")


def test_a_network_that_does_not_reach_the_goal_has_an_exit_code_of_its_own(tmp_path):
    world = mazes(31).sample(1, stream=5)
    np.save(tmp_path / "maze.npy", world.obstacles[0])
    ends = ["--start", ",".join(map(str, world.starts[0])), "--goal", ",".join(map(str, world.goals[0]))]
    command = ["plan", str(tmp_path / "maze.npy"), *ends, "--out", str(tmp_path / "p.png")]
    with pytest.raises(SystemExit) as stopped:
        main([*command, "--model", "gridworld/8/vin", "--iterations", "1"])
    assert stopped.value.code == 3


@pytest.mark.parametrize("kind", ["JPEG", "WEBP"])
def test_jpeg_and_webp_are_maps_too(tmp_path, kind, capsys):
    pixels = np.full((16, 24), 255, np.uint8)
    pixels[:, 8:16] = 0
    pixels[:8, 8:16] = 255
    file = tmp_path / f"map.{kind.lower()}"
    Image.fromarray(pixels).save(file, kind, quality=95, **({"lossless": True} if kind == "WEBP" else {}))
    main(
        ["plan", str(file), "--start", "15,0", "--goal", "15,23", "--exact", "--out", str(tmp_path / "p.png")]
    )
    assert "16 x 24 cells, 16.7% of them blocked" in capsys.readouterr().out
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with pytest.raises(SystemExit):
        main(["plan", str(file), "--start", "15,0", "--goal", "15,23", "--exact"])
    assert "expected a complete" in capsys.readouterr().err


def test_a_model_whose_problems_are_no_maps_is_refused(tmp_path, capsys):
    np.save(tmp_path / "free.npy", np.zeros((6, 6), np.uint8))
    with pytest.raises(SystemExit):
        main(
            ["plan", str(tmp_path / "free.npy"), "--start", "0,0", "--goal", "5,5", "--model", "control/vin"]
        )
    assert "expected a model that plans on maps, got control/vin" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--out", "--path-out"])
def test_the_map_that_is_read_is_never_written_over(option, tmp_path, capsys):
    place = tmp_path / ("map.png" if option == "--out" else "map.csv")
    Image.fromarray(np.full((6, 6), 255, np.uint8)).save(place, "PNG")
    before = place.read_bytes()
    (tmp_path / "link.png").symlink_to(place)
    for written in (place, tmp_path / "link.png"):
        words = [str(place), "--exact", "--start", "0,0", "--goal", "3,3", option, str(written)]
        assert "expected another file than the one that is read" in fails(capsys, "plan", *words)
    assert place.read_bytes() == before
