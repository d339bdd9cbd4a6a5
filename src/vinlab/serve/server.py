"""Starting the page: its models, its address, and a clean end."""

import base64
import socket
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from vinlab.models import Model, load, shipped_ids
from vinlab.navigation.greedy import takes_costs
from vinlab.navigation.images import sees_ground
from vinlab.networks import ValueIterationNetwork
from vinlab.planning import GridPlanner
from vinlab.planning.shortest_path import ShortestPathPlanner
from vinlab.serve.ground import require_shown
from vinlab.serve.handlers import answer_plan
from vinlab.serve.schemas import PlanRequest
from vinlab.serve.terrain import pixels_of
from vinlab.types import InputError, missing_library

LOCAL = frozenset({"127.0.0.1", "localhost", "::1"})


def models_for_page(names: Sequence[str]) -> dict[str, Model]:
    """The models that the page offers, by id: those named, or the shipped ones; the first is selected."""
    models = {model.id: model for model in (map(load, names) if names else default_models())}
    for model in models.values():
        if not _shows_plans(model):
            raise InputError(f"The page supports VINs that plan on one grid, got {model.id}.")
    if not models:
        raise InputError("expected shipped weights, or a run with --model, got none.")
    return models


def default_models() -> list[Model]:
    """The shipped VINs on one grid: those for maps, the largest maps of training first, then those for images."""
    models = [model for model in map(load, shipped_ids()) if _shows_plans(model)]
    on_maps = [model for model in models if type(model.network) is ValueIterationNetwork]
    on_images = [model for model in models if pixels_of(model)]
    return [*sorted(on_maps, key=lambda model: (-model.size, model.id)), *on_images]


def _shows_plans(model: Model) -> bool:
    """Whether the model has one K, or plans to the fixed point, on maps of free and blocked cells or on images."""
    planner = getattr(model.network, "planner", None)
    return isinstance(planner, GridPlanner | ShortestPathPlanner) and not takes_costs(model.network)


EVERYWHERE = frozenset({"0.0.0.0", "::"})
"""Addresses that stand for all of this machine."""


def serve(models: dict[str, Model], *, host: str, port: int) -> None:
    """Serve the page until Ctrl-C."""
    try:
        from vinlab.serve.app import make_app
        from vinlab.serve.connections import PageServer
    except ImportError as error:
        raise missing_library("The page", "fastapi", "uvicorn", "httptools", extra="serve") from error
    if not 0 <= port < 65536:
        raise InputError(f"--port: expected 0 to 65535, got {port}.")
    host = host.strip()
    if not host:
        raise InputError(
            "--host: expected an address, got none; 127.0.0.1 is this machine alone, 0.0.0.0 all its addresses."
        )
    warm_up(models)
    listener = _listen(host, port)
    app = make_app(models, hosts=LOCAL | {host.lower()}, any_address=host in EVERYWHERE)
    server = PageServer(app, app.state.lanes, announcement(host, listener.getsockname()[1]))
    with suppress(KeyboardInterrupt):  # uvicorn has closed everything by then
        server.run(sockets=[listener])
    print("The page is closed.")


def announcement(host: str, port: int) -> str:
    """Where the page is, and who can reach it."""
    name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    shown = f"[{name}]" if ":" in name else name
    sentence = f"Watch it plan: http://{shown}:{port}/ (Ctrl-C ends it)"
    if host in EVERYWHERE:
        sentence += (
            f"\nEvery machine that can reach this one can use the page, at http://ADDRESS:{port}/ with an address of "
            "this machine in numbers."
        )
    return sentence


def warm_up(models: dict[str, Model]) -> None:
    """Compile and load everything that the first plan needs."""
    empty = np.zeros((8, 8), np.uint8)
    for id, model in models.items():
        channels = require_shown(model) if sees_ground(model) else 1
        pixels = bytes(channels * empty.size * (pixels_of(model) or 0) ** 2)
        image = base64.b64encode(pixels).decode("ascii")
        answer_plan(models, PlanRequest(id, empty, (0, 0), (7, 7), None, corner_cutting=True, image=image))


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        # The protocol is given because asyncio sends small responses at once on TCP sockets only.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.set_inheritable(True)
    except OSError as error:
        raise InputError(f"Cannot listen on {host:.80} port {port}: {error.strerror or error}.") from error
    except (TypeError, ValueError) as error:
        raise InputError(
            f"--host: expected an address or the name of this machine, got {host!r:.80}."
        ) from error
    return listener
