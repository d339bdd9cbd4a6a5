"""``vinlab show``."""

import json
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, UseAppendAction

from vinlab.experiments import experiment_of
from vinlab.experiments.base import Budget, Recipe, TrainingRequest
from vinlab.experiments.overrides import parse_overrides
from vinlab.experiments.runner import config_record, configuration
from vinlab.recording.finished_run import open_run
from vinlab.recording.serialization import to_plain


def show(
    id: Positional[str],
    /,
    budget: Budget = "paper",
    recipe: Recipe = "default",
    set: Annotated[tuple[str, ...], UseAppendAction] = (),
) -> None:
    """Show the whole configuration of a setting, as the manifest of a run holds it, or a finished run.

    Args:
        id: A setting such as gridworld/16/vin, or the folder of a run.
        budget: smoke takes seconds, small minutes, paper the paper's own sizes.
        recipe: default learns best and fastest; paper does what the authors did.
        set: A field to change, as NAME=VALUE.
    """
    if Path(id).is_dir():
        run = open_run(id)
        print(json.dumps({"manifest": to_plain(run.manifest), "result": run.result}, indent=2))
        return
    experiment = experiment_of(id)
    request = TrainingRequest(id, Path(), budget, recipe, overrides=parse_overrides(set))
    config = config_record(experiment, request, configuration(experiment, request))
    print(json.dumps({"id": id, "budget": budget, "recipe": recipe, **config}, indent=2))
