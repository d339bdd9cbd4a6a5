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
from vinlab.serve.ground import ground_of_file
from vinlab.serve.handlers import answer_map, answer_plan, answer_world
from vinlab.serve.middleware import SecurityMiddleware, error_response
from vinlab.serve.schemas import LARGEST_BODY, plan_request, world_request
from vinlab.serve.terrain import pixels_of, world_of_image
from vinlab.serve.worker import QUEUE, ClientDisconnected, PlanWorker, QueueFull
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


def make_app(models: Mapping[str, Model], *, hosts: frozenset[str], queue: int = QUEUE) -> FastAPI:
    """The application with some models, for requests under some host names."""
    worker = PlanWorker(queue=queue)

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        yield
        worker.close()

    app = FastAPI(lifespan=life, docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(SecurityMiddleware, hosts=hosts)
    for path, (name, kind) in FILES.items():
        app.add_api_route(path, _file(name, kind), methods=["GET"])
    described = [_describe(model) | {"number": number} for number, model in enumerate(models.values())]
    app.add_api_route("/api/models", lambda: {"models": described}, methods=["GET"])

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
        app.add_api_route(path, _handler(worker, work), methods=["POST"])
    return app


def _file(name: str, kind: str) -> Callable[[], Response]:
    content = (STATIC / name).read_bytes()
    return lambda: Response(content, media_type=kind)


def _handler(worker: PlanWorker, work: Callable[[bytes], Any]) -> Callable[[Request], Awaitable[Response]]:
    """Answers with the result of some work on the body, or with an error of one sentence."""

    async def answer(request: Request) -> Response:
        try:
            body = await _body(request)
            return JSONResponse(await worker.run(lambda: work(body), request.is_disconnected))
        except InputError as error:
            return error_response(400, str(error))
        except QueueFull:
            return error_response(503, "Too many plans are waiting; try again in a moment.")
        except ClientDisconnected:
            return error_response(499, "The client has disconnected.")

    return answer


async def _body(request: Request) -> bytes:
    """The body, read up to the limit, as its stated length may be wrong."""
    parts, length = [], 0
    async for part in request.stream():
        length += len(part)
        if length > LARGEST_BODY:
            raise InputError(f"expected a request of at most {LARGEST_BODY // 2**20} MB, got more.")
        parts.append(part)
    return b"".join(parts)


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise InputError("expected a JSON body, got something else.") from None
