"""Security middleware: own hosts only, bodies of a bounded size, and no content from other origins."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

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

    def __init__(self, app: Any, *, hosts: frozenset[str]) -> None:
        self.app, self.hosts = app, hosts

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass on a request for an own host of a bounded size; add the security headers to every response."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        secured = _with_headers(send)
        refusal = self._refusal(scope)
        app = self.app if refusal is None else refusal
        await app(scope, receive, secured)

    def _refusal(self, scope: Message) -> JSONResponse | None:
        headers = {name.decode("latin-1"): entry.decode("latin-1") for name, entry in scope["headers"]}
        if _host_of(headers.get("host", "")) not in self.hosts:
            return error_response(421, "expected a request to the address of this page, got another host.")
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != headers.get("host"):
            return error_response(403, "expected a request from this page, got another origin.")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > LARGEST_BODY:
            return error_response(413, f"expected a request of at most {LARGEST_BODY // 2**20} MB, got more.")
        return None


def error_response(status: int, sentence: str) -> JSONResponse:
    """A response with one sentence."""
    return JSONResponse({"error": sentence}, status_code=status)


def _host_of(header: str) -> str:
    """The name in a Host header, without the port."""
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return ""


def _with_headers(send: Send) -> Send:
    async def send_secured(message: Message) -> None:
        if message["type"] == "http.response.start":
            extra = [(name.encode(), entry.encode()) for name, entry in HEADERS.items()]
            message["headers"] = [*message.get("headers", []), *extra]
        await send(message)

    return send_secured
