"""The maps of the gallery as the page shows them."""

from typing import Any

from vinlab.domains.gridworld.gallery import GALLERY, gallery_problem
from vinlab.serve.schemas import world_response


def gallery_worlds() -> list[dict[str, Any]]:
    """The name of each map, what it is, its cells and its ends."""
    return [{"name": name, "about": entry.about} | _world(name) for name, entry in GALLERY.items()]


def _world(name: str) -> dict[str, Any]:
    problem = gallery_problem(name)
    return world_response(problem.obstacles[0], problem.starts[0], problem.goals[0])
