"""Web navigation: Section 4.4 of the paper, planning on the pages themselves, and the player's game."""

from pathlib import Path
from types import ModuleType
from typing import Any

from vinlab.experiments.base import EvaluateRequest, Evaluation, Experiment
from vinlab.experiments.web import evaluate, figures, table, train
from vinlab.experiments.web.data import SYNTHETIC
from vinlab.experiments.web.game import evaluate as game_evaluate
from vinlab.experiments.web.game import figures as game_figures
from vinlab.experiments.web.game import train as game_train
from vinlab.experiments.web.game.settings import SETTINGS as GAMES
from vinlab.experiments.web.game.settings import GameTraining
from vinlab.experiments.web.scale import train as scale_train
from vinlab.experiments.web.scale.settings import SETTINGS as SCALE
from vinlab.experiments.web.scale.settings import ScaleTraining
from vinlab.experiments.web.settings import NAVIGATION
from vinlab.models import Model


def _parts(config: Any) -> tuple[ModuleType, ModuleType]:
    """What trains and what evaluates a run, by the kind of its configuration."""
    if isinstance(config, GameTraining):
        return game_train, game_evaluate
    return (scale_train, scale_train) if isinstance(config, ScaleTraining) else (train, evaluate)


def evaluate_model(model: Model, request: EvaluateRequest) -> Evaluation:
    """Evaluate a model on the test problems of its site."""
    if model.id in GAMES:
        return game_evaluate.evaluate(model, request)
    return (scale_train if model.id in SCALE else evaluate).evaluate(model, request)


def draw(model: Model, out: Path, problem: int | None, data: Path | None) -> list[Path]:
    """Draw the plan of a test query or one game; nothing of a large site."""
    if model.id in GAMES:
        return game_figures.draw_game(model, out, problem, data)
    return figures.draw_query(model, out, problem, data) if model.id not in SCALE else []


ALL_SETTINGS: dict[str, Any] = {**NAVIGATION, **SCALE, **GAMES}

EXPERIMENT = Experiment(
    name="web",
    paper="Section 4.4",
    settings=ALL_SETTINGS,
    make_data=lambda config, request: _parts(config)[0].make_data(config, request),
    fit=lambda config, *rest: _parts(config)[0].fit(config, *rest),
    score=lambda config, *rest: _parts(config)[1].score(config, *rest),
    evaluate=evaluate_model,
    table=table.table,
    figures=draw,
    summary_figures=game_figures.draw_finished,
    # The dimension of the features is known from the site alone; a player of the game has none.
    adapt=lambda config, data: config if isinstance(config, GameTraining) else train.adapt(config, data),
    supports=frozenset({"data", "distributed"}),
    generated=SYNTHETIC,
)
