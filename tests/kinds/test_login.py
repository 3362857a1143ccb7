"""What is taken from the answer to a login, of a real server."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import brotli
import pytest
from pydantic import ValidationError

from deadheat.kinds import login
from deadheat.kinds.conformance import Wrong
from deadheat.model.address import Address
from deadheat.model.login import Login

RIGHT = b"right"
ANSWER = b'{"user": {"id": 17, "tokens": ["a.b-c"], "admin": true}}'

PACKED = {"gzip": gzip.compress(ANSWER), "br": brotli.compress(ANSWER), "compress": b"\x1f\x9d\x90"}


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(200 if sent == RIGHT else 403)
        self.send_header("Set-Cookie", "theme=dark; Path=/")
        self.send_header("Set-Cookie", 'session="7%3A9"; HttpOnly; Path=/')
        self.send_header("X-CSRF-Token", "c5")
        coding = self.path.removeprefix("/")
        body = PACKED.get(coding, ANSWER)
        if coding:
            self.send_header("Content-Encoding", coding)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def at() -> Iterator[Address]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield Address(host="127.0.0.1", port=server.server_port)
        server.shutdown()
        thread.join()


def asked(take: dict[str, str], **more: Any) -> Login:
    return Login.model_validate({"path": "/", "body": RIGHT.decode(), "take": take, **more})


@pytest.mark.parametrize(
    ("where", "value"),
    [
        ("cookie session", '"7%3A9"'),
        ("cookie theme", "dark"),
        ("header x-csrf-token", "c5"),
        ("json $.user.tokens[0]", "a.b-c"),
        ("json $.user.id", "17"),
    ],
)
@pytest.mark.parametrize("path", ["/", "/gzip", "/br"])
def test_a_value_is_taken_as_it_stands(at: Address, where: str, value: str, path: str) -> None:
    assert login.values(asked({"it": where}, path=path), at) == {"it": value}


@pytest.mark.parametrize(
    "where",
    ["cookie other", "header X-Other", "json $.user.name", "json $.user.tokens[1]", "json $.user.admin",
     "json $.user"],
)  # fmt: skip
def test_what_is_not_there_is_named(at: Address, where: str) -> None:
    with pytest.raises(Wrong, match="has no") as raised:
        login.values(asked({"it": where}), at)
    assert where in raised.value.reason and "{it}" in raised.value.reason


def test_a_body_in_a_coding_that_nobody_reads(at: Address) -> None:
    with pytest.raises(Wrong, match="POST /compress, the login, is answered with a body in compress"):
        login.values(asked({"it": "json $.user.id"}, path="/compress"), at)
    assert login.values(asked({"it": "json $.user.id"}, path="/utf-8"), at) == {"it": "17"}
    assert login.values(asked({"it": "cookie theme"}, path="/compress"), at) == {"it": "dark"}


def test_a_refused_login_is_said(at: Address) -> None:
    with pytest.raises(Wrong, match=r"POST /, the login, is answered with 403"):
        login.values(asked({"it": "cookie session"}, body="wrong"), at)
    assert login.values(asked({"it": "cookie theme"}, body="wrong", status=403), at) == {"it": "dark"}


def test_without_one_there_is_nothing_to_take(at: Address) -> None:
    assert login.values(None, at) == {}


@pytest.mark.parametrize(
    ("take", "says"),
    [
        ({"token": "cookie a"}, "none of token"),
        ({"a b": "cookie a"}, "is no name"),
        ({"a": "session"}, "says no place"),
        ({"a": "json token"}, "says no place"),
        ({}, "at least 1"),
    ],
)
def test_what_takes_nothing_is_refused(take: dict[str, str], says: str) -> None:
    with pytest.raises(ValidationError, match=says):
        asked(take)
