"""Web navigation: Section 4.4 of the paper, planning on the pages themselves, and the player's game."""

from pathlib import Path
from typing import Any

from vinlab.experiments.base import EvaluateRequest, Evaluation, Experiment, FitContext, TrainingRequest
from vinlab.experiments.results import RunResult
from vinlab.experiments.web import evaluate, figures, table, train
from vinlab.experiments.web.data import SYNTHETIC
from vinlab.experiments.web.game import evaluate as game_evaluate
from vinlab.experiments.web.game import train as game_train
from vinlab.experiments.web.game.settings import SETTINGS as GAMES
from vinlab.experiments.web.game.settings import GameTraining
from vinlab.experiments.web.settings import NAVIGATION
from vinlab.learners.training_state import Best
from vinlab.models import Model


def make_data(config: Any, request: TrainingRequest) -> Any:
    """The data of a run, by the kind of its configuration."""
    return (game_train if isinstance(config, GameTraining) else train).make_data(config, request)


def adapt(config: Any, data: Any) -> Any:
    """What only the data tell, where there is such a thing."""
    return config if isinstance(config, GameTraining) else train.adapt(config, data)


def fit(config: Any, data: Any, network: Any, context: FitContext) -> Best:
    """Train the network."""
    return (game_train if isinstance(config, GameTraining) else train).fit(config, data, network, context)


def score(config: Any, data: Any, network: Any, seed: int) -> RunResult:
    """Evaluate the network on the test problems."""
    by_kind = game_evaluate if isinstance(config, GameTraining) else evaluate
    return by_kind.score(config, data, network, seed)


def evaluate_model(model: Model, request: EvaluateRequest) -> Evaluation:
    """Evaluate a model on the test problems of its site."""
    return (game_evaluate if model.id in GAMES else evaluate).evaluate(model, request)


def draw(model: Model, out: Path, problem: int | None, data: Path | None) -> list[Path]:
    """Draw a model on one of its test problems; a player of the game has no plan to draw."""
    return [] if model.id in GAMES else figures.draw_query(model, out, problem, data)


EXPERIMENT = Experiment(
    name="web",
    paper="Section 4.4",
    settings={**NAVIGATION, **GAMES},
    make_data=make_data,
    fit=fit,
    score=score,
    evaluate=evaluate_model,
    table=table.table,
    figures=draw,
    adapt=adapt,
    supports=frozenset({"data", "distributed"}),
    generated=SYNTHETIC,
)
