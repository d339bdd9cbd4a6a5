"""Which shipped VINs are evaluated, and on which maps."""

from dataclasses import dataclass, replace
from functools import partial

from vinlab.domains.gridworld.map_sets import blocks, mazes, paper, scattered
from vinlab.experiments.any_map.data import EvaluationSet
from vinlab.experiments.base import Budget, Recipe, Setting, by_id

MODELS = {
    "generalisation/8": "gridworld/8/vin",
    "generalisation/16": "gridworld/16/vin",
    "generalisation/28": "gridworld/28/vin",
    "generalisation/unrolled": "grid/unrolled",
    "generalisation/any": "grid/any",
}
"""The shipped model that each setting evaluates."""

EVALUATION_SETS = (
    *(EvaluationSet(paper(size), 200) for size in (8, 16, 28, 40, 64)),
    EvaluationSet(blocks(64), 200),
    EvaluationSet(scattered(64), 200),
    EvaluationSet(scattered(100), 50),
    *(EvaluationSet(mazes(size), 200) for size in (15, 31, 63)),
    EvaluationSet(mazes(101), 50),
    *(EvaluationSet(mazes(size, 0.1), 200) for size in (15, 31, 63)),
    EvaluationSet(mazes(101, 0.1), 50),
)


@dataclass(frozen=True)
class GeneralisationData:
    """The sets of maps."""

    test: tuple[EvaluationSet, ...]


@dataclass(frozen=True)
class GeneralisationConfig:
    """Which model is evaluated on which maps."""

    model: str
    data: GeneralisationData


def configure(model: str, budget: Budget, recipe: Recipe) -> GeneralisationConfig:
    """All kinds of maps; at the smallest budget a few small ones, at the small one fewer of each."""
    most = {"smoke": 2, "small": 20, "paper": 200}[budget]
    chosen = [part for part in EVALUATION_SETS if budget != "smoke" or part.map_set.size <= 16]
    parts = tuple(replace(part, maps=min(part.maps, most)) for part in chosen)
    return GeneralisationConfig(model, GeneralisationData(parts))


SETTINGS = by_id(
    Setting(
        id,
        f"evaluates the shipped {model} on maps of other sizes and kinds",
        partial(configure, model),
        recipes=("default",),
        control=True,
    )
    for id, model in MODELS.items()
)
