"""``vinlab show``."""

import json
import sys
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, UseAppendAction

from vinlab.experiments import experiment_of
from vinlab.experiments.base import Budget, Recipe, TrainingRequest
from vinlab.experiments.overrides import parse_overrides
from vinlab.experiments.runner import config_record, configuration
from vinlab.models import shipped_ids
from vinlab.models.names import suggestion
from vinlab.recording.finished_run import open_run
from vinlab.recording.serialization import to_plain
from vinlab.types import InputError


def show(
    id: Positional[str],
    /,
    budget: Budget = "paper",
    recipe: Recipe = "default",
    set: Annotated[tuple[str, ...], UseAppendAction] = (),
    card: bool = False,
) -> None:
    """Show the whole configuration of a setting, as the manifest of a run holds it, a finished run, or a model's card.

    Args:
        id: A setting such as gridworld/16/vin, or the folder of a run.
        budget: smoke takes seconds, small minutes, paper the paper's own sizes.
        recipe: default learns best and fastest; paper does what the authors did; noise learns best by their means.
        set: A field to change, as NAME=VALUE.
        card: Show the card of the shipped model instead: what it is for, its limits, scores and training.
    """
    if card:
        if id not in shipped_ids():
            raise InputError(f"--card: expected a shipped model, got '{id}'{suggestion(id, shipped_ids())}")
        from vinlab.cli.cards import card_text

        print(card_text(id).replace("**", "").replace("`", ""))
        return
    if Path(id).is_dir():
        run = open_run(id)
        print(json.dumps({"manifest": to_plain(run.manifest), "result": run.result}, indent=2))
        return
    experiment = experiment_of(id)
    request = TrainingRequest(id, Path(), budget, recipe, overrides=parse_overrides(set))
    config = config_record(experiment, request, configuration(experiment, request))
    print(json.dumps({"id": id, "budget": budget, "recipe": recipe, **config}, indent=2))
    if id in shipped_ids():
        print(f"What the shipped weights are for, and their limits: vinlab show {id} --card", file=sys.stderr)
