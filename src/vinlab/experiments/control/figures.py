"""Figures of the control experiment: trajectories, an animation, and the progress of the paper's teacher."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from vinlab.domains.control.environment import Controller, ParticleWorlds, Physics
from vinlab.domains.control.expert import StraightController
from vinlab.domains.control.geometry import RADIUS
from vinlab.experiments.base import require_problem
from vinlab.experiments.control.data import ControlData, make_test_problems
from vinlab.experiments.control.evaluate import NetworkController, control_policy
from vinlab.figures import style, trajectories
from vinlab.figures.save import save_figure
from vinlab.models import Model, load
from vinlab.recording.finished_run import WEIGHTS, FinishedRun

DOMAINS = 8
"""How many test domains the figure of trajectories shows."""

ANIMATED = 4
"""How many of them the animation shows."""

COLOURS = {"VIN": style.PREDICTED, "CNN": style.BLUE, "straight": style.GREEN}
"""The colour of each controller, in all figures: the VIN's is that of its paths on maps."""

SUMMARIES = {"paper": "control_paper", "default": "control_route"}
"""The name of the figures of each recipe."""


def draw_model(model: Model, out: Path, problem: int | None, data: Path | None) -> list[Path]:
    """Draw a model on test domains, from ``problem`` on, and the progress of its teacher's search."""
    drawn = draw_trajectories({_label(model.id): model}, out, first=problem or 0, name="control")
    history = model.card.get("teacher", {}).get("history", [])
    return [*drawn, *draw_search([history], out)] if len(history) > 1 else drawn


def draw_runs(runs: Sequence[FinishedRun], out: Path) -> list[Path]:
    """Draw both networks of each recipe together, where their weights are kept, and the teacher's search."""
    full = [run for run in runs if run.manifest.budget == "paper"]
    drawn = []
    for recipe, name in SUMMARIES.items():
        trained = [run for run in full if run.manifest.recipe == recipe and (run.folder / WEIGHTS).exists()]
        first = {run.manifest.id: run for run in sorted(trained, key=lambda run: -run.manifest.seed)}
        if len(first) == 2:
            models = {_label(id): load(first[id].folder) for id in sorted(first, reverse=True)}
            drawn += draw_trajectories(models, out, first=0, name=name)
    searched = {run.manifest.seed: run for run in full if run.manifest.recipe == "paper"}
    histories = [run.result["teacher"]["history"] for run in searched.values()]
    return [*drawn, *draw_search(histories, out)] if histories else drawn


def draw_trajectories(models: Mapping[str, Model], out: Path, *, first: int, name: str) -> list[Path]:
    """Draw what the models do on the same test domains, as a figure and as an animation."""
    data = ControlData()
    problems = make_test_problems(data)
    require_problem(first, len(problems) - DOMAINS + 1)
    chosen = problems[first : first + DOMAINS]
    worlds = ParticleWorlds(chosen, Physics())
    controllers: dict[str, Controller] = {
        label: NetworkController(control_policy(model), chosen) for label, model in models.items()
    }
    controllers["straight"] = StraightController(chosen)
    rollouts = {label: worlds.rollout(one, horizon=data.horizon) for label, one in controllers.items()}
    paths = {
        label: np.concatenate([found.states[:, 0, :, :2], found.final[:, :, :2]], axis=1)
        for label, found in rollouts.items()
    }
    domains = trajectories.Domains(chosen.boxes, chosen.starts, chosen.goals)
    title = "Unseen domains: trajectories and final distances"
    figure = trajectories.trajectories_figure(domains, paths, COLOURS, title=title)
    moving = {label: positions[:ANIMATED] for label, positions in paths.items() if label in models}
    return [
        save_figure(figure, out / f"{name}_trajectories.png"),
        trajectories.save_animation(out / f"{name}.gif", domains[:ANIMATED], moving, COLOURS, radius=RADIUS),
    ]


def draw_search(histories: Sequence[Sequence[Mapping[str, Any]]], out: Path) -> list[Path]:
    """Draw how the samples of the paper's teacher approach the goals."""
    distances = [[entry["distance"] for entry in history] for history in histories]
    figure = trajectories.progress_figure(distances, title="iLQG on the training domains")
    return [save_figure(figure, out / "control_search.png")]


def _label(id: str) -> str:
    return id.split("/")[-1].upper()
