import re

import numpy as np
import pytest

import vinlab
from vinlab.cli.browse import browse
from vinlab.experiments.base import EvaluateRequest, TrainingRequest
from vinlab.experiments.runner import train
from vinlab.experiments.web import EXPERIMENT
from vinlab.experiments.web.game.browse import game_table_of
from vinlab.experiments.web.game.evaluate import game_scores
from vinlab.experiments.web.game.figures import finished_figure
from vinlab.types import InputError


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("games")
    ids = {player: f"web/game/{player}" for player in ("similarity", "vin")}
    requests = {p: TrainingRequest(id=id, out=folder / p, budget="smoke") for p, id in ids.items()}
    return {player: train(EXPERIMENT, request) for player, request in requests.items()}


def test_scores_of_games_by_hand():
    found = game_scores(np.array([2, 5, -1, 3]), np.array([2, 3, 3, 3]))
    assert (found["num_games"], found["finished"], found["shortest_paths"]) == (4, 0.75, 0.5)
    assert (found["clicks"], found["shortest"]) == (10 / 3, 8 / 3)
    assert found["by_length"]["3"]["finished"] == pytest.approx(2 / 3)
    assert game_scores(np.array([-1]), np.array([2]))["clicks"] is None


def test_a_plan_with_memory_finishes_more_games_than_similarity(runs):
    finished = {player: run.result["scores"]["games"]["finished"] for player, run in runs.items()}
    assert finished["vin"] > finished["similarity"]


def test_a_run_is_loaded_and_evaluates_to_its_recorded_scores(runs):
    found = EXPERIMENT.evaluate(vinlab.load(runs["vin"].folder), EvaluateRequest())
    assert found.scores["games"] == runs["vin"].result["scores"]["games"]


def test_the_table_has_a_row_for_each_player_and_for_the_whole_graph(runs):
    text = EXPERIMENT.table(list(runs.values()))
    for row in ("| similarity ", "| vin ", "| vin, K = 0 ", "| whole graph known "):
        assert f"\n{row}" in text


def test_the_command_plays_a_game_beside_a_person(runs, capsys, monkeypatch):
    table = game_table_of(vinlab.load(runs["vin"].folder), None)
    first = next(page for page in range(table.site.num_pages) if len(table.site.links.of(page)) > 1)
    target = int(table.site.links.of(first)[1])
    start, end = table.site.titles[first], table.site.titles[target]
    typed = iter(["0", "2"])
    monkeypatch.setattr("builtins.input", lambda prompt: next(typed))
    browse(end, model=runs["vin"].folder, start=start, play=True)
    said = capsys.readouterr().out
    assert "or q, got '0'" in said
    assert f"\n{start}\n" in said
    assert re.search(rf"  2 {re.escape(end)}\b", said)
    assert f"You: finished after 1 click: {start} → {end}." in said
    assert f"web/game/vin: finished after 1 click: {start} → {end}." in said
    assert "A shortest path has 1 click." in said
    monkeypatch.setattr("builtins.input", lambda prompt: "q")
    browse(end, model=runs["vin"].folder, start=start, play=True)
    assert f"You: gave up after 0 clicks: {start}." in capsys.readouterr().out


def test_one_game_and_the_finished_share_by_length_are_drawn(runs, tmp_path):
    drawn = EXPERIMENT.figures(vinlab.load(runs["vin"].folder), tmp_path, 3, None)
    assert [path.name for path in drawn] == ["game.png"]
    assert drawn[0].stat().st_size > 5_000
    figure = finished_figure({"vin": {1: 1.0, 2: 0.5}, "people": {1: 0.9, 2: 0.8}})
    assert [line.get_label() for line in figure.axes[0].lines] == ["vin", "people"]
    assert EXPERIMENT.summary_figures(list(runs.values()), tmp_path) == []  # no people on a generated site


def test_bad_input_is_refused(runs, tmp_path):
    model = runs["vin"].folder
    title = game_table_of(vinlab.load(model), None).site.titles[0]
    with pytest.raises(InputError, match="There is no article 'Nowhere'"):
        browse("Nowhere", model=model, start=title)
    with pytest.raises(InputError, match="expected two different articles"):
        browse(title, model=model, start=title)
    with pytest.raises(InputError, match="--start: expected the title of an article"):
        browse(title, model=model)
    with pytest.raises(InputError, match="--out: expected a model with a plan to draw"):
        browse(title, model=model, start=title, out=tmp_path / "x.png")
