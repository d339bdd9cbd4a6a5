"""The web server with what it lacks: no connection without a request stays, and Ctrl-C refuses what waits."""

import asyncio
from types import FrameType
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from vinlab.serve.worker import Lanes

HEAD_SECONDS = 10.0
"""In which a connection must have sent the head of a request."""

IDLE_SECONDS = 15
"""After which a connection is closed that has sent no further request."""

MOST_CONNECTIONS = 512
"""At a time; further ones get a 503."""

LAST_SECONDS = 10
"""After Ctrl-C, for the plans that are being made."""


class PunctualProtocol(HttpToolsProtocol):
    """Closes connections that are slow to send the head of a request."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """The first head is awaited."""
        super().connection_made(transport)
        self._await_head()

    def on_message_begin(self) -> None:
        """A further head has begun."""
        super().on_message_begin()
        self._await_head()

    def on_headers_complete(self) -> None:
        """The head has arrived; the body has a limit of its own."""
        self._forget_deadline()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """There is nothing to await."""
        self._forget_deadline()
        super().connection_lost(exc)

    def _await_head(self) -> None:
        self._forget_deadline()
        self._deadline = asyncio.get_running_loop().call_later(HEAD_SECONDS, self.transport.close)

    def _forget_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class PageServer(uvicorn.Server):
    """Says where it listens as soon as it does, and refuses what waits as soon as it is told to end."""

    def __init__(self, app: Any, lanes: Lanes, announcement: str) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=PunctualProtocol,
                log_level="warning",
                access_log=False,
                timeout_keep_alive=IDLE_SECONDS,
                timeout_graceful_shutdown=LAST_SECONDS,
                limit_concurrency=MOST_CONNECTIONS,
            )
        )
        self.lanes, self.announcement = lanes, announcement

    async def startup(self, sockets: Any = None) -> None:
        """Listen, then say so."""
        await super().startup(sockets)
        if self.started:
            print(self.announcement, flush=True)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """On Ctrl-C."""
        self.lanes.stop()
        super().handle_exit(sig, frame)
