"""Answers browsers on this machine: the page, and an event whenever there is something new.

A web site that a person visits must not be able to read a race: the address holds a secret, the Host header
must be ours (against a name that was bound to 127.0.0.1 afterwards), a browser that says it comes from
another site is refused, and no header invites one. Nothing is served but this one page: no path names a file.
"""

import asyncio
import hmac
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
OURS = ("none", "same-origin")
RETRY_MS = 1000


@dataclass
class Board:
    """What is shown now. Browsers wait for its `changed`; each then takes what it has not seen."""

    html: str = ""
    version: int = -1
    state: str = "starting"
    ended: bool = False
    watching: int = 0
    #: How often the last page, the report, was asked for as such.
    reports: int = 0
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def show(self, *, html: str | None = None, state: str | None = None, ended: bool = False) -> None:
        async with self.changed:
            if html is not None:
                self.html, self.version = html, self.version + 1
            self.state = self.state if state is None else state
            self.ended = self.ended or ended
            self.changed.notify_all()

    async def events(self, *, only_end: bool = False) -> AsyncIterator[ServerSentEvent]:
        """From what there is now to the end of the race; `only_end`: now, and then nothing before the end."""
        self.watching += 1
        try:
            seen: tuple[object, ...] = ()
            while True:
                now = self._now(only_end)
                if now != seen:
                    seen = now
                    state = {"version": self.version, "state": self.state, "ended": self.ended}
                    yield ServerSentEvent(json.dumps(state), event="race", retry=RETRY_MS)
                if self.ended:
                    return
                async with self.changed:
                    if self._now(only_end) == seen:
                        await self.changed.wait()
        finally:
            self.watching -= 1

    def _now(self, only_end: bool) -> tuple[object, ...]:
        return (self.ended,) if only_end else (self.version, self.state, self.ended)


def application(board: Board, token: str, port: int) -> Starlette:
    async def page(request: Request) -> Response:
        if board.version < 0:
            return HTMLResponse(
                '<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="1">'
                '<meta name="viewport" content="width=device-width"><meta name="color-scheme" '
                'content="light dark"><link rel="icon" href="data:,"><title>Deadheat</title>'
                "<p>The race is about to begin."
            )
        # An answer to a browser that asked for an earlier page is the report too, but it will ask again.
        board.reports += board.ended and request.query_params.get("version") == str(board.version)
        return HTMLResponse(board.html)

    async def events(request: Request) -> Response:
        return EventSourceResponse(board.events(only_end="end" in request.query_params))

    return Starlette(
        routes=[Route(f"/{token}/", page), Route(f"/{token}/events", events)],
        middleware=[Middleware(Guard, token=token, port=port)],
    )


class Guard:
    """Refuses before anything else sees the request."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app = app
        self._token = token
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    *((k, v) for k, v in message["headers"] if k.decode().lower() not in HEADERS),
                    *((k.encode(), v.encode()) for k, v in HEADERS.items()),
                ]
            await send(message)

        await (refusal or self._app)(scope, receive, guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        if scope["type"] != "http":
            return PlainTextResponse("no", 403)
        request = Request(scope)
        if request.headers.get("host") not in self._hosts:
            return PlainTextResponse("wrong host", 403)
        # A link in a chat or a terminal is followed as "none" or "cross-site" navigation: it may open the
        # page, which another site cannot read; anything else from another site is refused.
        site, mode = request.headers.get("sec-fetch-site", "none"), request.headers.get("sec-fetch-mode")
        if site not in OURS and mode != "navigate":
            return PlainTextResponse("not from another site", 403)
        origin = request.headers.get("origin")
        if origin is not None and origin.removeprefix("http://") not in self._hosts:
            return PlainTextResponse("not from another site", 403)
        token_given = request.url.path.split("/")[1]
        if not hmac.compare_digest(token_given.encode(), self._token.encode()):
            return PlainTextResponse("not found", 404)
        return None
