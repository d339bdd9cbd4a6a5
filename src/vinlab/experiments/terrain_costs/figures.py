"""Figures of a model on held-out images: its route and the demonstrated one, and the costs that it learned."""

from pathlib import Path

from matplotlib.figure import Figure

from vinlab.experiments.base import require_problem
from vinlab.experiments.terrain_costs.dataset.record import PathDataset
from vinlab.experiments.terrain_costs.evaluate import Episode, episodes, held_out
from vinlab.figures.ground import GroundView, colours_of, ground_figure
from vinlab.figures.save import save_figure
from vinlab.models import Model

SHOWN = 3


def figures(model: Model, out: Path, problem: int | None, data: Path | None) -> list[Path]:
    """Draw one held-out problem, or the longest on each of the first images."""
    test = held_out(model, data)
    return [save_figure(routes_figure(model, test, problem), out / f"{model.prefix}routes.png")]


def routes_figure(model: Model, test: PathDataset, problem: int | None) -> Figure:
    """A row for each problem that is shown."""
    found = episodes(model.network, test)
    shown = _longest(found) if problem is None else [found[require_problem(problem, len(found))]]
    return ground_figure([view_of(one, test) for one in shown], title=f"{model.id} on held-out images")


def _longest(found: list[Episode]) -> list[Episode]:
    """The longest demonstrated path on each of the first images."""
    best: dict[int, Episode] = {}
    for one in sorted(found, key=lambda one: -len(one.demonstrated)):
        best.setdefault(one.image, one)
    return [best[image] for image in sorted(best)[:SHOWN]]


def view_of(episode: Episode, dataset: PathDataset) -> GroundView:
    """What is drawn of one problem."""
    return GroundView(
        image=colours_of(dataset.images[episode.image]),
        route=episode.path,
        demonstrated=episode.demonstrated,
        learned=episode.costs,
        true=None if dataset.costs is None else dataset.costs[episode.image],
        pixels=dataset.pixels,
    )
