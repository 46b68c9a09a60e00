"""What every request passes first: who may come in, how large and slow a body may be, one line in the log."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import logging
import time
import uuid
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from workbench.service.problem import Refused, problem

logger = logging.getLogger(__name__)
access = logging.getLogger("workbench.access")

REQUEST_ID = "workbench.request_id"
"""Where the scope holds the request's id."""
LARGEST_BODY = 32 * 1024 * 1024
BODY_SECONDS = 20.0
OPEN_PATHS = frozenset({"/health", "/ping"})
"""What answers without a token: it says nothing but that the service runs."""


@dataclass(frozen=True)
class Rules:
    """Who may come in.

    Args:
        token: what every request must carry; empty on the loopback address only.
        hosts: further names under which the service may be called.
        origins: web pages of other origins that may call it.
        largest_body: bytes of one request.
        body_seconds: how long a body may take to arrive.
    """

    token: str = ""
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    largest_body: int = LARGEST_BODY
    body_seconds: float = BODY_SECONDS

    def check(self, request: Request) -> None:
        """Let a request in.

        Raises:
            Refused: the token is missing or wrong, or the host or origin is not expected.
        """
        # A browser asks what it may send before it sends anything; that question carries no token.
        asks_first = request.method == "OPTIONS" and "access-control-request-method" in request.headers
        is_open = asks_first or request.scope["path"] in OPEN_PATHS
        if self.token and not is_open and not self._knows(request):
            raise Refused(
                401, "unauthorized", "This service needs its token: send Authorization: Bearer TOKEN."
            )
        hosts = request.headers.getlist("host")
        if len(hosts) != 1 or not self._is_expected(hosts[0]):
            raise Refused(403, "unexpected_host", "This service is not called by that name (Host).")
        for origin in request.headers.getlist("origin"):
            if origin not in self.origins and urlsplit(origin).netloc.lower() != hosts[0].lower():
                raise Refused(403, "unexpected_origin", "Pages of that origin may not call this service.")

    def _knows(self, request: Request) -> bool:
        given = request.headers.getlist("authorization")
        scheme, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
        # Both sides as bytes of one encoding: a header's are read as Latin-1.
        same = hmac.compare_digest(token.strip().encode("latin-1"), self.token.encode())
        return scheme.lower() == "bearer" and same

    def _is_expected(self, host: str) -> bool:
        try:
            name = (urlsplit(f"//{host}").hostname or "").rstrip(".").lower()
        except ValueError:
            return False
        if name == "localhost" or name in self.hosts:
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        # A page can make a name of its own point here, but not an address.
        return address.is_loopback or bool(self.token)


class Guard:
    """Wraps the service: checks, limits, a request id on every answer, one line a request in the log."""

    def __init__(self, app: ASGIApp, rules: Rules) -> None:
        self._app = app
        self._rules = rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = uuid.uuid4().hex
        scope[REQUEST_ID] = request_id
        began = time.monotonic()
        answered = 0

        async def tell(message: Message) -> None:
            nonlocal answered
            if message["type"] == "http.response.start":
                answered = message["status"]
                message = {**message, "headers": [*message["headers"], *_headers(request_id)]}
            await send(message)

        try:
            try:
                self._rules.check(Request(scope))
                await self._app(scope, _Limited(receive, scope, self._rules), tell)
            except Refused as refused:
                if not answered:
                    said = problem(refused.status, refused.code, refused.message, request_id)
                    await said(scope, receive, tell)
        except Exception:
            logger.exception("request=<%s> | failed", request_id)
            if not answered:
                said = problem(500, "internal", "Something went wrong here; the log says what.", request_id)
                await said(scope, receive, tell)
        finally:
            path = scope.get("raw_path") or scope["path"].encode()
            access.info(
                "%s %s %s %d ms request=<%s>",
                scope["method"],
                path.split(b"?")[0].decode("ascii", "backslashreplace").replace("\n", "\\n"),
                answered or "gone",
                (time.monotonic() - began) * 1000,
                request_id,
            )


class _Limited:
    """A request's body, counted and timed."""

    def __init__(self, receive: Receive, scope: Scope, rules: Rules) -> None:
        self._receive = receive
        self._rules = rules
        self._left = rules.largest_body
        self._until = time.monotonic() + rules.body_seconds
        self._whole = False
        declared = dict(scope["headers"]).get(b"content-length", b"")
        self._announced = int(declared) if declared.isdigit() else 0

    async def __call__(self) -> Message:
        if self._whole:
            return await self._receive()
        if self._announced > self._rules.largest_body:
            raise self._too_large()
        try:
            async with asyncio.timeout_at(
                asyncio.get_running_loop().time() + max(self._until - time.monotonic(), 0)
            ):
                message = await self._receive()
        except TimeoutError:
            raise Refused(408, "slow_body", "The body took too long to arrive.") from None
        self._whole = not message.get("more_body", False)
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise self._too_large()
        return message

    def _too_large(self) -> Refused:
        most = self._rules.largest_body
        return Refused(413, "too_large", f"The body is larger than {most:,} bytes.")


def _headers(request_id: str) -> list[tuple[bytes, bytes]]:
    return [
        (b"x-request-id", request_id.encode()),
        (b"x-content-type-options", b"nosniff"),
        (b"cache-control", b"no-store"),
    ]
