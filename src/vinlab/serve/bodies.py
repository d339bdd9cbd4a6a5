"""Bodies of requests: their size and number are bounded before they are read, and so is the time of reading."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from starlette.requests import ClientDisconnect, Request

from vinlab.serve.schemas import LARGEST_BODY
from vinlab.serve.worker import ClientDisconnected, QueueFull
from vinlab.types import InputError

SMALL_BODY = 10_000
"""Bytes up to which a request is small; a plan of 96 x 96 cells is."""

MOST_BYTES = {"small": 128 * SMALL_BODY, "large": 8 * LARGEST_BODY}
"""Of the bodies that are being read at a time; requests beyond are refused. Small ones do not wait for large ones."""

SECONDS = 10.0
"""In which a body must have arrived."""


class BodyTooSlow(Exception):
    """The body has not arrived in time."""


class BodyReader:
    """Reads the bodies of all requests within the bounds."""

    def __init__(self, *, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self._left = dict(MOST_BYTES)

    async def read(self, request: Request) -> bytes:
        """The body."""
        async with self._place_for(_stated_length(request.headers)):
            try:
                async with asyncio.timeout(self.seconds):
                    return await _read(request)
            except TimeoutError:
                raise BodyTooSlow from None
            except ClientDisconnect:
                raise ClientDisconnected from None

    @asynccontextmanager
    async def _place_for(self, length: int) -> AsyncIterator[None]:
        kind = "small" if length <= SMALL_BODY else "large"
        if self._left[kind] < length:
            raise QueueFull
        self._left[kind] -= length
        try:
            yield
        finally:
            self._left[kind] += length


def _stated_length(headers: Mapping[str, str]) -> int:
    """The length of the body; without one it may be the largest."""
    stated = headers.get("content-length", "")
    return int(stated) if stated.isdecimal() else LARGEST_BODY


async def _read(request: Request) -> bytes:
    """The body up to the limit, as its stated length may be wrong."""
    parts, length = [], 0
    async for part in request.stream():
        length += len(part)
        if length > LARGEST_BODY:
            raise InputError(f"expected a request of at most {LARGEST_BODY // 2**20} MB, got more.")
        parts.append(part)
    return b"".join(parts)
