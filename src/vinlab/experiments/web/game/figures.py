"""Figures of the player's game: finished games by shortest length, and one game with the shortest path."""

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.ticker import PercentFormatter

from vinlab.domains.web.expert import distances_to, shortest_paths
from vinlab.domains.web.problem import WebProblems
from vinlab.experiments.base import require_problem
from vinlab.experiments.tables import group_runs, scores_of
from vinlab.experiments.web.game.data import GameSet, make_game_sets
from vinlab.experiments.web.game.evaluate import Player, recorded_games
from vinlab.figures import style
from vinlab.figures.save import save_figure
from vinlab.figures.style import LEGEND, dress
from vinlab.models import Model
from vinlab.recording.finished_run import FinishedRun

WIDTH, HEIGHT = 4.2, 2.6
FEWEST_GAMES = 20
"""Of a shortest length, for a point in the figure."""


def draw_finished(runs: Sequence[FinishedRun], out: Path) -> list[Path]:
    """The finished share by shortest length of every player and of people, for real sites."""
    games = [run for run in runs if run.manifest.id.startswith("web/game/") and run.result.get("people")]
    if not games:
        return []
    groups = group_runs(games, lambda run: run.manifest.id.rpartition("/")[2])
    lines = {
        player: _shares([scores["games"] for scores in scores_of(found)]) for player, found in groups.items()
    }
    figure = finished_figure({**lines, "people": _shares([games[0].result["people"]])})
    return [save_figure(figure, out / "web_game.png")]


def _shares(scores: Sequence[Mapping[str, Any]]) -> dict[int, float]:
    """The mean finished share at each shortest length that enough games of every seed have."""
    found = [each["by_length"] for each in scores]
    return {
        int(length): fmean(one[length]["finished"] for one in found)
        for length in sorted(set(found[0]).intersection(*found), key=int)
        if all(one[length]["num_games"] >= FEWEST_GAMES for one in found)
    }


def finished_figure(lines: Mapping[str, Mapping[int, float]]) -> Figure:
    """A line for each player."""
    figure = style.new_figure(WIDTH + 1.0, HEIGHT + 0.8)
    axes = style.place(figure, 0.75, 0.15, WIDTH, HEIGHT)
    colours = dict(zip(lines, style.LINES * len(lines), strict=False))
    for name, shares in lines.items():
        colour, dashes = (style.INK, "--") if name == "people" else (colours[name], "-")
        axes.plot(
            list(shares), list(shares.values()), dashes, color=colour, marker="o", markersize=3, label=name
        )
    dress(axes, across="shortest length, clicks", up="games finished")
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.set_ylim(0, 1.02)
    axes.legend(**LEGEND)
    return figure


def draw_game(model: Model, out: Path, problem: int | None, data: Path | None) -> list[Path]:
    """One test game: the player's clicks above a shortest path, and how many clicks people needed on average."""
    recorded = recorded_games(model, data)
    sets = make_game_sets(recorded, data, seed=0)
    test, network = sets.test, model.network
    index = require_problem(problem or 0, len(test.games))
    game = test.games[np.array([index])]
    ours = Player(network, test.site, recorded.kinds).play(game).history[0]  # type: ignore[arg-type]
    best = shortest_path(test, index)
    mean = None
    if sets.people is not None:
        mean = sets.people["by_length"].get(str(len(best) - 1), {}).get("clicks")
    titles = test.site.titles
    figure = game_figure([titles[page] for page in ours], [titles[page] for page in best], mean)
    return [save_figure(figure, out / f"{model.prefix}game.png")]


def shortest_path(games: GameSet, index: int) -> list[int]:
    """The pages of one shortest path of a game."""
    start, target = games.games.starts[index : index + 1], games.games.targets[index : index + 1]
    problem = WebProblems(np.zeros(1, dtype=np.int64), start, target)
    steps = shortest_paths(games.site.links, problem, distances_to(games.site.links, target))
    return [int(start[0]), *steps.following.tolist()]


def game_figure(ours: Sequence[str], best: Sequence[str], people: float | None) -> Figure:
    """The pages of both games by click."""
    figure = style.new_figure(9.0, 3.2)
    axes = style.place(figure, 0.9, 0.15, 7.9, 2.55)
    _draw_row(axes, 1.0, ours, style.PREDICTED)
    _draw_row(axes, 0.0, best, style.SHORTEST)
    if people is not None:
        axes.axvline(people, color=style.INK, linestyle="--", linewidth=1, zorder=0)
        text = f" people: {people:.1f} clicks on average\n in finished games of this length"
        axes.text(people, 1.62, text, va="center", size=style.TICK_SIZE, color=style.INK)
    dress(axes, across="clicks", up="")
    axes.set_yticks([0, 1], ["shortest", "player"])
    axes.set_ylim(-0.5, 1.8)
    axes.set_xlim(-0.5, max(len(ours), len(best), (people or 0) + 2.5) - 0.3)
    return figure


def _draw_row(axes: Axes, height: float, titles: Sequence[str], colour: str) -> None:
    axes.plot(range(len(titles)), [height] * len(titles), color=colour, marker="o", markersize=5)
    for click, title in enumerate(titles):
        # Neighbouring titles would touch on one line.
        above = click % 2 == 0
        axes.annotate(
            textwrap.fill(title, 20),
            xy=(click, height),
            xytext=(0, 5 if above else -5),
            textcoords="offset points",
            ha="center",
            va="bottom" if above else "top",
            size=style.TICK_SIZE,
            color=style.INK,
            path_effects=[withStroke(linewidth=2.5, foreground="white")],
        )
