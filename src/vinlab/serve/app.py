"""The application behind the page."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from starlette.responses import JSONResponse, Response

from vinlab.models import ANY_MAP, Model
from vinlab.navigation.images import sees_ground
from vinlab.serve.bodies import SECONDS, SMALL_BODY, BodyReader, BodyTooSlow
from vinlab.serve.ground import ground_of_file
from vinlab.serve.handlers import answer_map, answer_plan, answer_world
from vinlab.serve.middleware import SecurityMiddleware, error_response
from vinlab.serve.schemas import plan_request, world_request
from vinlab.serve.terrain import pixels_of, world_of_image
from vinlab.serve.worker import QUEUE, ClientDisconnected, Closing, Lanes, QueueFull
from vinlab.serve.worlds import gallery_worlds
from vinlab.types import InputError

STATIC = Path(__file__).parent / "static"
FILES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
    "/draw.js": ("draw.js", "text/javascript; charset=utf-8"),
    "/icon.svg": ("icon.svg", "image/svg+xml"),
}
"""The only files that are served; no name comes from the client."""


def _describe(model: Model) -> dict[str, Any]:
    """What the page shows of a model, and when it chooses it."""
    return {
        "id": model.id,
        "size": model.size,
        "iterations": model.network.iterations,
        "pixels": pixels_of(model),
        "ground": sees_ground(model),
        "corner_cutting": model.corner_cutting,
        "any_map": model.card.get("serves") == ANY_MAP,
    }


def make_app(
    models: Mapping[str, Model],
    *,
    hosts: frozenset[str],
    any_address: bool = False,
    queue: int = QUEUE,
    body_seconds: float = SECONDS,
) -> FastAPI:
    """The application with some models, for requests under some host names, or also under any address in numbers."""
    lanes, bodies = Lanes(queue=queue), BodyReader(seconds=body_seconds)

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        yield
        lanes.close()

    app = FastAPI(lifespan=life, docs_url=None, redoc_url=None, openapi_url=None)
    app.state.lanes = lanes
    app.add_middleware(SecurityMiddleware, hosts=hosts, any_address=any_address)
    for path, (name, kind) in FILES.items():
        app.add_api_route(path, _file(name, kind), methods=["GET"])
    described = [_describe(model) | {"number": number} for number, model in enumerate(models.values())]
    app.add_api_route("/api/models", lambda: {"models": described}, methods=["GET"])
    gallery = {"maps": gallery_worlds()}
    app.add_api_route("/api/gallery", lambda: gallery, methods=["GET"])

    answers: dict[str, Callable[[bytes], Any]] = {
        "/api/plan": lambda body: answer_plan(models, plan_request(_json(body))),
        "/api/world": lambda body: answer_world(models, world_request(_json(body))),
        "/api/map": answer_map,
        "/api/terrain": world_of_image,
    }
    answers |= {
        f"/api/ground/{number}": partial(ground_of_file, model)
        for number, model in enumerate(models.values())
        if sees_ground(model)
    }
    for path, work in answers.items():
        app.add_api_route(path, _handler(lanes, bodies, work, path == "/api/plan"), methods=["POST"])
    return app


def _file(name: str, kind: str) -> Callable[[], Response]:
    content = (STATIC / name).read_bytes()
    return lambda: Response(content, media_type=kind)


REFUSALS: dict[type[Exception], tuple[int, str]] = {
    QueueFull: (503, "Too many requests are waiting; try again in a moment."),
    Closing: (503, "The page is being closed."),
    BodyTooSlow: (408, "expected the whole request within seconds, got a part of it."),
    ClientDisconnected: (499, "The client has disconnected."),
}
"""Status and sentence of what is no fault of the request's content; the connection is closed after it."""


def _handler(
    lanes: Lanes, bodies: BodyReader, work: Callable[[bytes], Any], plans: bool
) -> Callable[[Request], Awaitable[Response]]:
    """Answers with the result of some work on the body, or with an error of one sentence."""

    async def answer(request: Request) -> Response:
        try:
            body = await bodies.read(request)
            worker = lanes.small if plans and len(body) <= SMALL_BODY else lanes.large
            return JSONResponse(await worker.run(lambda: work(body), request.is_disconnected))
        except InputError as error:
            return error_response(400, str(error))
        except tuple(REFUSALS) as refusal:
            return error_response(*REFUSALS[type(refusal)], close=True)

    return answer


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise InputError("expected a JSON body, got something else.") from None
