"""``vinlab evaluate``."""

from dataclasses import replace
from pathlib import Path
from typing import Literal

from tyro.conf import Positional

from vinlab.cli.checks import require_backups, require_folder, require_one_of_two
from vinlab.cli.models import load_model
from vinlab.cli.output import CornerCutting, corner_rule, print_json, print_scores, print_settings, watched
from vinlab.experiments import experiment_named, experiment_of
from vinlab.experiments.base import Budget, EvaluateRequest, Evaluation, TrainingRequest
from vinlab.models import Model
from vinlab.types import InputError

Suite = Literal["generalisation"]
"""Experiments that evaluate shipped models and train nothing."""


def evaluate(
    model: Positional[str],
    /,
    problems: Path | None = None,
    iterations: int | None = None,
    corner_cutting: CornerCutting = "auto",
    data: Path | None = None,
    device: str = "cpu",
    json: bool = False,
    suite: Suite | None = None,
    budget: Budget = "paper",
    out: Path | None = None,
    resume: bool = False,
    overwrite: bool = False,
) -> None:
    """Evaluate a trained model on unseen problems and print its scores.

    Args:
        model: The id of a shipped model such as gridworld/28/vin, or the folder of a run.
        problems: A file of problems; the test problems of the setting if not given.
        iterations: Number of backups K; that of training, scaled to the map, if not given.
        corner_cutting: Whether a diagonal move may pass an obstacle's corner; auto is the rule of its training.
        data: Folder of the real data that the run was trained on, where its test problems come from there.
        device: Device to compute on, such as cpu or cuda.
        json: Print one JSON object instead of a table.
        suite: Evaluate a shipped model on a recorded suite of other problems instead.
        budget: With --suite: smoke takes seconds, small minutes, paper all of it.
        out: With --suite: folder of the run; runs/ID/default-BUDGET/seed-0 if not given.
        resume: With --suite: continue the unfinished run in the folder.
        overwrite: With --suite: replace the run in the folder.
    """
    require_one_of_two(resume, overwrite)
    require_backups(iterations)
    loaded = load_model(model, device=device)
    others = (problems, iterations, data) != (None, None, None) or corner_cutting != "auto"
    if suite and others:
        raise InputError(
            "--suite has its own problems and rules: expected no other options of the evaluation."
        )
    if not suite and (out or resume or overwrite or budget != "paper"):
        raise InputError("--budget, --out, --resume and --overwrite: expected a --suite, got none.")
    if suite:
        found = run_suite(suite, loaded, budget, out, resume=resume, overwrite=overwrite)
    else:
        request = EvaluateRequest(problems, iterations, corner_rule(corner_cutting), data)
        with watched(f"Evaluating {loaded.id}") as progress:
            found = experiment_of(loaded.id).evaluate(loaded, replace(request, progress=progress))
        if found.settings.get("corner_cutting") != request.corner_cutting:
            request.refuse(loaded.id, corner_cutting="its problems have no diagonal moves")
    settings = {"model": loaded.id, "problems": str(problems or suite or "test"), **found.settings}
    if json:
        print_json({**found.scores, "settings": settings})
        return
    print_scores(loaded.id, found.scores)
    print_settings(settings, loaded)


def run_suite(
    suite: Suite, model: Model, budget: Budget, out: Path | None, *, resume: bool, overwrite: bool
) -> Evaluation:
    """The recorded run of a suite for a shipped model."""
    from vinlab.cli.train import run_folder
    from vinlab.experiments.runner import train

    experiment = experiment_named(suite)
    settings = {one.configure(budget, "default").model: id for id, one in experiment.settings.items()}
    if model.folder or model.id not in settings:
        raise InputError(
            f"--suite {suite}: expected one of {', '.join(settings)}, got {model.folder or model.id}."
        )
    id = settings[model.id]
    folder = require_folder(out) if out else run_folder(id, budget)
    request = TrainingRequest(id, folder, budget, resume=resume, overwrite=overwrite)
    with watched(f"Evaluating {model.id}") as progress:
        run = train(experiment, request, progress=progress)
    return Evaluation(run.result["scores"], {"budget": budget, "run": str(run.folder)})
