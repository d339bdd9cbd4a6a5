"""Security middleware: own hosts only, bodies of a bounded size, and no content from other origins."""

from collections.abc import Awaitable, Callable, MutableMapping
from ipaddress import ip_address
from typing import Any
from urllib.parse import SplitResult, urlsplit

from starlette.responses import JSONResponse

from vinlab.serve.schemas import LARGEST_BODY

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}


class SecurityMiddleware:
    """Wraps an ASGI application."""

    def __init__(self, app: Any, *, hosts: frozenset[str], any_address: bool = False) -> None:
        self.app, self.hosts, self.any_address = app, hosts, any_address

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass on a request for an own host of a bounded size; add the security headers to every response."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        app = self._refusal(scope) or self.app
        await app(scope, receive, _with_headers(send))

    def _refusal(self, scope: Message) -> JSONResponse | None:
        headers = {name.decode("latin-1"): entry.decode("latin-1") for name, entry in scope["headers"]}
        host = _parts_of(f"//{headers.get('host', '')}").hostname or ""
        # An address in numbers cannot be a foreign name that leads here.
        if host not in self.hosts and not (self.any_address and is_address(host)):
            numbers = " or the address in numbers" if self.any_address else ""
            expected = f"{', '.join(sorted(self.hosts))}{numbers}"
            sentence = f"expected a request to {expected}, got another host; vinlab serve --host sets it."
            return error_response(421, sentence)
        origin = headers.get("origin")
        if origin is not None and _parts_of(origin).netloc != headers.get("host"):
            return error_response(403, "expected a request from this page, got another origin.")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > LARGEST_BODY:
            sentence = f"expected a request of at most {LARGEST_BODY // 2**20} MB, got more."
            return error_response(413, sentence, close=True)
        return None


def error_response(status: int, sentence: str, *, close: bool = False) -> JSONResponse:
    """A response with one sentence; ``close`` ends the connection, as the rest of the request is not read."""
    headers = {"connection": "close"} if close else None
    return JSONResponse({"error": sentence}, status_code=status, headers=headers)


def is_address(host: str) -> bool:
    """Whether a host is an IP address in numbers."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _parts_of(address: str) -> SplitResult:
    """The parts of an address; empty ones where it is none."""
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")


def _with_headers(send: Send) -> Send:
    async def send_secured(message: Message) -> None:
        if message["type"] == "http.response.start":
            extra = [(name.encode(), entry.encode()) for name, entry in HEADERS.items()]
            message["headers"] = [*message.get("headers", []), *extra]
        await send(message)

    return send_secured
