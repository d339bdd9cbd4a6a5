"""Pictures of the control experiment: trajectories side by side, the teacher's progress, a short film."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from vinlab.domains.control.environment import ParticleWorlds
from vinlab.domains.control.expert import Controller, StraightController, roll_out
from vinlab.domains.control.geometry import RADIUS
from vinlab.experiments.control import configure
from vinlab.experiments.control.train import TEST_STREAM, NetworkController, load_policy, make_problems
from vinlab.figures.control import progress_figure, save_animation, trajectories_figure
from vinlab.figures.save import save_figure
from vinlab.recording.finished_run import FinishedRun
from vinlab.types import InputError

DOMAINS = 8
"""How many test domains the picture of trajectories shows."""

FILMED = 4


def draw_runs(folders: Mapping[str, Path], out: Path, *, first: int = 0, name: str = "control") -> list[Path]:
    """Draw what the policies of several runs do on the same test domains; the places of the pictures come back."""
    config = configure("control/vin", "paper", "default")
    problems = make_problems(config.data, TEST_STREAM, config.data.test_domains)
    if not 0 <= first <= len(problems) - DOMAINS:
        raise InputError(f"--problem must lie in 0..{len(problems) - DOMAINS}, but {first} came.")
    worlds = ParticleWorlds(problems[first : first + DOMAINS], config.physics)
    chosen = worlds.problems
    controllers: dict[str, Controller] = {
        label: NetworkController(load_policy(folder), chosen) for label, folder in folders.items()
    }
    controllers["straight"] = StraightController(chosen)
    ways = {label: _way(worlds, one, config.data.horizon) for label, one in controllers.items()}
    figure = trajectories_figure(
        chosen.boxes, chosen.starts, chosen.goals, ways, title="Unseen domains: ways and final distances"
    )
    few = slice(0, FILMED)
    film = save_animation(
        out / f"{name}.gif",
        chosen.boxes[few],
        chosen.starts[few],
        chosen.goals[few],
        {label: way[few] for label, way in ways.items() if label != "straight"},
        radius=RADIUS,
    )
    return [save_figure(figure, out / f"{name}_trajectories.png"), film]


def draw_search(runs: list[FinishedRun], out: Path) -> Path:
    """Draw how the paper's teacher came nearer to the goals."""
    histories = [[entry["distance"] for entry in run.result["teacher"]["history"]] for run in runs]
    return save_figure(progress_figure(histories, title="iLQG on the training domains"), out)


def draw_run(run: FinishedRun, out: Path, problem: int | None = None) -> list[Path]:
    """Draw what one finished run does on test domains, from one of them on, and how its teacher came nearer."""
    name = run.manifest.id.split("/")[-1].upper()
    pictures = draw_runs({name: run.folder}, out, first=problem or 0)
    if len(run.result["teacher"]["history"]) > 1:
        pictures.append(draw_search([run], out / "control_search.png"))
    return pictures


def _way(worlds: ParticleWorlds, controller: Controller, horizon: int) -> np.ndarray:
    """The positions of one rollout in each domain, the last one included."""
    found = roll_out(worlds, controller, horizon=horizon)
    return np.concatenate([found.states[:, 0, :, :2], found.final[:, :, :2]], axis=1)
