"""``vinlab fit`` and the commands that follow it."""

import json

import numpy as np
import pytest
from PIL import Image

from helpers.commands import fails
from helpers.path_datasets import arrays, save
from vinlab.cli import main


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fit")
    main(
        [
            "data",
            "terrain-costs",
            "--out",
            str(folder / "data.npz"),
            "--size",
            "12",
            "--count",
            "8",
            "--paths",
            "2",
        ]
    )
    main(["fit", str(folder / "data.npz"), "--out", str(folder / "run"), "--updates", "4", "--hidden", "4"])
    return folder


def test_fitting_prints_a_summary_and_scores_and_draws_routes(fitted, capsys):
    command = [
        "fit",
        str(fitted / "data.npz"),
        "--out",
        str(fitted / "other"),
        "--updates",
        "2",
        "--hidden",
        "4",
    ]
    main([*command, "--loss", "slips", "--view", "wide"])
    said = capsys.readouterr().out
    assert "8 images of 12 x 12 cells, 3 channels." in said
    assert "6 images with 12 paths to train on" in said
    assert "cost / cheapest, mean" in said
    assert (fitted / "other" / "routes.png").exists()


def test_the_data_can_be_checked_alone(fitted, capsys, tmp_path):
    main(["fit", str(fitted / "data.npz"), "--out", str(tmp_path / "run"), "--check-only"])
    assert "16 paths of" in capsys.readouterr().out
    assert not (tmp_path / "run").exists()


def test_a_run_is_evaluated_on_a_file_of_the_same_layout(fitted, capsys):
    main(["evaluate", str(fitted / "run"), "--problems", str(fitted / "data.npz"), "--json"])
    scores = json.loads(capsys.readouterr().out)
    assert scores["num_problems"] == 16
    assert scores["success_rate"] == 1.0
    assert 1.0 <= scores["cost_ratio_median"] <= 10
    assert {"cost_ratio_mean", "move_agreement"} <= scores.keys()


def test_a_run_plans_on_an_image(fitted, capsys, tmp_path):
    Image.fromarray(arrays(size=12)["observations"][0].transpose(1, 2, 0)).save(tmp_path / "ground.png")
    command = [
        "plan",
        str(tmp_path / "ground.png"),
        "--model",
        str(fitted / "run"),
        "--start",
        "0,0",
        "--goal",
        "11,9",
    ]
    main([*command, "--out", str(tmp_path / "plan.png"), "--path-out", str(tmp_path / "path.csv")])
    said = capsys.readouterr().out
    assert "Read 12 x 12 cells with 3 channels." in said
    assert "Reached in" in said
    assert (tmp_path / "plan.png").exists()
    assert len((tmp_path / "path.csv").read_text(encoding="utf-8").splitlines()) > 9
    main([*command, "--json"])
    assert json.loads(capsys.readouterr().out)["reached"] is True
    said = fails(capsys, *command, "--robot-radius", "2")
    assert "plans on the image itself" in said
    assert "--world-coordinates: expected a GeoTIFF" in fails(capsys, *command, "--world-coordinates")


def test_a_run_is_drawn(fitted, capsys):
    main(["plot", str(fitted / "run"), "--data", str(fitted / "data.npz")])
    assert "routes.png" in capsys.readouterr().out


def test_bad_data_end_in_one_sentence(fitted, capsys, tmp_path):
    file = save(tmp_path / "bad.npz", observations=np.full((6, 3, 10, 10), np.nan))
    assert "expected finite numbers, got nan" in fails(
        capsys, "fit", str(file), "--out", str(tmp_path / "run")
    )
    assert not (tmp_path / "run").exists()
    few = save(tmp_path / "few.npz", pictures=2)
    assert "at least 3 images" in fails(capsys, "fit", str(few), "--out", str(tmp_path / "run"))
    gone = fails(capsys, "fit", str(tmp_path / "gone"), "--out", str(tmp_path / "run"))
    assert "expected an .npz file or a folder" in gone
    there = fails(capsys, "fit", str(fitted / "data.npz"), "--out", str(fitted / "run"), "--updates", "2")
    assert "run" in there
    bad = fails(capsys, "fit", str(fitted / "data.npz"), "--out", str(tmp_path / "r"), "--updates", "0")
    assert "expected updates and hidden of at least 1" in bad
