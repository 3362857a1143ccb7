"""A service of comments on loopback, as GitHub's and GitLab's are asked: it keeps what it is sent."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

ALL = re.compile(r"/repos/o/r/issues/(\d+)/comments|/projects/7/merge_requests/(\d+)/notes")
ONE = re.compile(r"/repos/o/r/issues/comments/(\d+)|/projects/7/merge_requests/\d+/notes/(\d+)")
PULL = re.compile(r"/repos/o/r/pulls/(\d+)")


@dataclass
class FakeForge:
    """`comments` by number; `heads`: the commit of each pull request. `refuses`: the status that every change
    is answered with; `tokens`: what came in with which."""

    comments: dict[int, str] = field(default_factory=dict)
    heads: dict[int, str] = field(default_factory=dict)
    refuses: int | None = None
    tokens: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    url: str = ""

    def answer(self, method: str, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        parts = urlsplit(path)
        self.asked.append(f"{method} {parts.path}")
        if method != "GET" and self.refuses is not None:
            return self.refuses, {"message": "Resource not accessible by integration"}
        if method == "GET" and (pull := PULL.fullmatch(parts.path)):
            return 200, {"head": {"sha": self.heads[int(pull[1])]}}
        if method == "GET" and ALL.fullmatch(parts.path):
            query = parse_qs(parts.query)
            size, page = int(query["per_page"][0]), int(query["page"][0])
            listed = [{"id": number, "body": text} for number, text in self.comments.items()]
            return 200, listed[(page - 1) * size : page * size]
        if method == "POST" and ALL.fullmatch(parts.path):
            number = len(self.comments) + 1
            self.comments[number] = body["body"]
            return 201, {"id": number}
        if method in ("PATCH", "PUT") and (one := ONE.fullmatch(parts.path)):
            self.comments[int(one[1] or one[2])] = body["body"]
            return 200, {}
        return 404, {"message": "Not Found"}


@contextmanager
def serving() -> Iterator[FakeForge]:
    forge = FakeForge()

    class Handler(BaseHTTPRequestHandler):
        def _any(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else {}
            forge.tokens.append(self.headers.get("Authorization") or self.headers.get("PRIVATE-TOKEN") or "")
            status, found = forge.answer(self.command, self.path, body)
            text = json.dumps(found).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_PATCH = do_PUT = _any  # noqa: N815 - the names that http.server calls

        def log_message(self, *_: object) -> None:
            """Not into the output of tests."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        forge.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield forge
        finally:
            server.shutdown()
            thread.join()
