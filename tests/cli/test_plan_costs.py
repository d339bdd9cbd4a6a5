"""``vinlab plan`` on maps with costs: what it assumes, says and writes."""

import json
from contextlib import suppress

import numpy as np
import pytest
from PIL import Image
from skimage.graph import route_through_array

from helpers.commands import fails
from helpers.raster_files import write_raster
from vinlab.cli import main
from vinlab.maps import Frame, write_costmap

RNG = np.random.default_rng(0)


def planned(capsys, *options: str) -> dict:
    with suppress(SystemExit):  # where no route exists
        main(["plan", *options, "--json"])
    return json.loads(capsys.readouterr().out)


def test_the_exact_route_costs_what_scikit_image_says(tmp_path, capsys):
    costs = RNG.uniform(1.0, 9.0, (20, 30))
    np.savez(tmp_path / "map.npz", costs=costs)
    ends = ["--start", "1,2", "--goal", "18,27"]
    found = planned(capsys, str(tmp_path / "map.npz"), "--exact", *ends)
    path, theirs = route_through_array(costs, (1, 2), (18, 27), fully_connected=True, geometric=True)
    assert found["cost"] == pytest.approx(theirs)
    assert found["length"] == pytest.approx(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())
    assert found["optimal_cost"] == found["cost"]


def test_the_command_says_what_it_assumed_and_writes_cost_and_length(tmp_path, capsys):
    Image.fromarray(np.full((6, 6), 255, np.uint8)).save(tmp_path / "map.png")
    out = ["--out", str(tmp_path / "plan.png"), "--path-out", str(tmp_path / "path.json")]
    ends = ["--start", "0,0", "--goal", "5,5"]
    main(
        ["plan", str(tmp_path / "map.png"), "--costs", "linear", "--cost-offset", "2", "--exact", *ends, *out]
    )
    said = capsys.readouterr().out
    assert "a cell costs 2 + 9 x its darkness" in said
    assert "The cheapest route costs 14.14: 5 steps of length 7.07." in said
    path = json.loads((tmp_path / "path.json").read_text(encoding="utf-8"))
    assert path["cost"] == pytest.approx(10 * 2**0.5)
    assert path["length"] == pytest.approx(5 * 2**0.5)
    assert (tmp_path / "plan.png").stat().st_size > 5000


def test_costmaps_are_planned_in_world_coordinates_and_around_a_robots_radius(tmp_path, capsys):
    bytes = np.zeros((9, 9), np.uint8)
    bytes[4, :5] = 254
    frame = Frame(a=0.5, b=0.0, c=-1.75, d=0.0, e=-0.5, f=6.25, unit="m")
    write_costmap(tmp_path / "map.yaml", bytes, frame)
    ends = ["--world-coordinates", "--start=-1.75,6.25", "--goal=-1.75,2.25"]
    plain = planned(capsys, str(tmp_path / "map.yaml"), "--exact", *ends)
    wide = planned(capsys, str(tmp_path / "map.yaml"), "--exact", *ends, "--robot-radius", "0.5")
    strict = planned(capsys, str(tmp_path / "map.yaml"), "--exact", *ends, "--corner-cutting", "forbid")
    assert plain["cost"] == pytest.approx(2 * (4 * 2**0.5 + 1))
    assert plain["cost"] < wide["cost"]
    assert plain["cost"] < strict["cost"]


def test_heights_cost_more_uphill_than_downhill(tmp_path, capsys):
    heights = np.repeat(np.linspace(0, 2.0, 11)[:, None], 5, axis=1).astype(np.float32)
    write_raster(tmp_path / "dem.tif", heights, west=0.0, north=11.0, pixel=1.0)
    command = ["plan", str(tmp_path / "dem.tif"), "--costs", "elevation", "--uphill", "0.2"]
    top, bottom = "0,2", "10,2"
    slope = np.degrees(np.arctan(0.2))
    up = planned(capsys, *command[1:], "--start", top, "--goal", bottom)
    down = planned(capsys, *command[1:], "--start", bottom, "--goal", top)
    assert up["cost"] == pytest.approx(10 * (1 + 0.2 * slope), rel=1e-5)
    assert down["cost"] == pytest.approx(10 * (1 + 0.05 * slope), rel=1e-5)
    main([*command, "--start", top, "--goal", bottom, "--out", str(tmp_path / "plan.png")])
    assert "planned exactly, without a network" in capsys.readouterr().out
    steep = planned(capsys, *command[1:], "--cost-limit", "5", "--start", top, "--goal", bottom)
    assert not steep["reached"]


def test_the_nearest_of_several_goals_is_chosen_by_cost(tmp_path, capsys):
    costs = np.ones((3, 9))
    costs[:, 3] = 100.0
    np.savez(tmp_path / "map.npz", costs=costs)
    goals = ["--goal", "1,0", "--goal", "1,8"]
    found = planned(capsys, str(tmp_path / "map.npz"), "--exact", "--start", "1,4", *goals)
    assert (found["goal"], found["cost"]) == ([1, 8], 4.0)
    np.savez(tmp_path / "plain.npz", obstacles=np.zeros((3, 9), np.uint8))
    for planner in (["--exact"], ["--model", "grid/any"]):
        found = planned(capsys, str(tmp_path / "plain.npz"), *planner, "--start", "1,3", *goals)
        assert (found["goal"], found["cost"]) == ([1, 0], 3.0)


def test_bad_input_is_one_sentence(tmp_path, capsys):
    np.save(tmp_path / "plain.npy", np.zeros((3, 3)))
    ends = ["--start", "0,0", "--goal", "1,1"]
    for words, options in (
        ("as the map has no world coordinates", ["plain.npy", "--world-coordinates", "--exact", *ends]),
        ("finite costs above zero", ["plain.npy", "--costs", "linear", "--exact", *ends]),
        (
            "cost_limit: expected a slope above 0",
            ["plain.npy", "--costs", "slope", "--cost-limit", "0", *ends],
        ),
    ):
        options = [str(tmp_path / options[0]), *options[1:]]
        assert words in fails(capsys, "plan", *options)
