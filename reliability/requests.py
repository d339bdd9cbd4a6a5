"""Hostile requests to the page, through the real application."""

import asyncio
import base64
import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reliability.cases import Case
from reliability.map_formats import sound_files, sound_map
from reliability.odd_bytes import Rng, damaged, odd_json
from vinlab.types import InputError

PLAN = {
    "model": "grid/any",
    "height": 6,
    "width": 6,
    "cells": "0" * 36,
    "start": [0, 0],
    "goal": [5, 5],
    "iterations": 20,
    "corner_cutting": True,
}
TERRAIN = {
    **PLAN,
    "model": "mars/vin",
    "height": 4,
    "width": 4,
    "cells": "0" * 16,
    "goal": [3, 3],
    "image": base64.b64encode(bytes(32 * 32)).decode(),
}
GROUND = "terrain-costs/vin"
GROUND_RUN = Path(__file__).parents[1] / "results" / "runs" / GROUND / "default-paper" / "seed-0"
"""A model that sees pictures of ground; none is shipped."""
PICTURE = {**TERRAIN, "model": GROUND, "image": base64.b64encode(bytes(4 * 4 * 3)).decode()}
WORLD = {"kind": "maze", "height": 15, "width": 15, "seed": 3}


@functools.cache
def models() -> Any:
    """The models of the page."""
    from vinlab.serve.server import models_for_page

    return models_for_page(["grid/any", "gridworld/8/vin", "mars/vin", str(GROUND_RUN)])


def warm_up() -> None:
    """Load the server and the models before the first fork; no thread is started."""
    import httpx

    import vinlab.serve.app

    models()
    assert httpx
    assert vinlab.serve.app


def ask(method: str, path: str, body: bytes, headers: dict[str, str]) -> None:
    """Send one request; an answer that is no error of the client is fine, and a fault of the server is none."""
    import httpx

    from vinlab.serve.app import make_app
    from vinlab.serve.server import LOCAL

    async def send() -> httpx.Response:
        app = make_app(models(), hosts=LOCAL)
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8028") as client:
            return await client.request(method, path, content=body, headers=headers)

    answer = asyncio.run(send())
    if answer.status_code >= 500 and answer.status_code != 503:
        raise RuntimeError(f"status {answer.status_code}: {answer.text[:200]}")
    if answer.status_code >= 400:
        raise InputError(" ".join(answer.text.split())[:500] or "refused")


def _case(
    group: str, name: str, method: str, path: str, body: bytes, headers: dict[str, str] | None = None
) -> Case:
    def act(folder: Path) -> None:
        ask(method, path, body, headers or {})

    return Case(f"requests: {group}", name, act)


BODIES = [
    ("/api/plan", PLAN),
    ("/api/plan", TERRAIN),
    ("/api/plan", PICTURE),
    ("/api/plan", {**PLAN, "model": "gridworld/8/vin"}),
    ("/api/world", WORLD),
    ("/api/world", {**WORLD, "kind": "terrain", "model": GROUND}),
]


def odd_bodies(rng: Rng, count: int) -> Iterator[Case]:
    """Requests with an odd field or damaged JSON."""
    for number in range(count):
        path, base = BODIES[number % len(BODIES)]
        if rng.random() < 0.8:
            kind, body = odd_json(base, rng)
        else:
            kind, body = damaged(json.dumps(base).encode(), rng)
        yield _case(path, f"{kind}, {number}", "POST", path, body)


def odd_files(rng: Rng, count: int) -> Iterator[Case]:
    """Dropped files with random damage."""
    files = sound_files(sound_map(rng))
    for number in range(count):
        file = str(rng.choice(list(files)))
        kind, body = damaged(files[file], rng)
        path = str(rng.choice(["/api/map", "/api/terrain", "/api/ground/4"]))
        yield _case(path, f"{file}, {kind}, {number}", "POST", path, body)


HEADERS = [
    ("Host", "evil.example"),
    ("Host", ""),
    ("Origin", "http://["),
    ("Origin", "null"),
    ("Origin", "x" * 5000),
    ("Content-Length", "5"),
    ("Content-Type", "text/plain"),
    ("Content-Encoding", "gzip"),
    ("Sec-Fetch-Site", "cross-site"),
    ("Cookie", "a" * 9000),
    ("Range", "bytes=0-"),
    ("X", "\x00"),
]
PATHS = [
    "/",
    "/api/models",
    "/api/none",
    "/../../etc/passwd",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/page.js?x=" + "x" * 3000,
    "/api/plan/",
    "//",
    "/\u00e9",
    "/api/map%00",
    "/static/page.js",
]


def odd_heads(rng: Rng, count: int) -> Iterator[Case]:
    """Odd methods, paths and headers."""
    for number in range(count):
        method = str(rng.choice(["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "BREW"]))
        path = str(rng.choice([*PATHS, "/api/plan", "/api/map"]))
        header = HEADERS[int(rng.integers(len(HEADERS)))]
        body = (
            json.dumps(PLAN).encode()
            if rng.random() < 0.5
            else rng.bytes(int(rng.choice([0, 10, 3 * 2**20])))
        )
        if "\x00" in header[1]:
            header = ("X", "y")
        yield _case(
            "heads", f"{method} {path[:30]} {header[0]}, {number}", method, path, body, dict([header])
        )


def cases(rng: Rng, count: int) -> Iterator[Case]:
    """About ``count`` cases."""
    yield from odd_bodies(rng, count // 2)
    yield from odd_files(rng, count // 4)
    yield from odd_heads(rng, count // 4)
