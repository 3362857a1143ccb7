"""Where an answer leads and which cookies it sets: what is compared of them, and what is not."""

from __future__ import annotations

from http.client import HTTPMessage

import pytest

from deadheat.kinds import answer_head, conformance, http_asking
from deadheat.model.work.http import HttpCase

from .test_http_asking import Serve, serve

__all__ = ["serve"]

ONE = "1b4e28ba-2fa1-11d2-883f-0016d3cca427"
OTHER = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (None, ""),
        ("/items/1", "/items/1"),
        ("items/1", "items/1"),
        ("http://127.0.0.1:3000/items/1?page=2#top", "/items/1?page=2#top"),
        ("http://localhost:3000", "/"),
        ("http://[::1]:3000/", "/"),
        ("//127.0.0.1:3000/x", "/x"),
        ("http://127.0.0.1:3001/x", "http://127.0.0.1:3001/x"),
        ("http://127.0.0.1/x", "http://127.0.0.1/x"),
        ("https://example.com/x", "https://example.com/x"),
        ("http://127.0.0.1:none/x", "http://127.0.0.1:none/x"),
    ],
)
def test_a_location_without_the_servers_own_address(said: str | None, expected: str) -> None:
    headers = HTTPMessage()
    if said is not None:
        headers["Location"] = said
    assert answer_head.location(headers, "127.0.0.1", 3000) == expected


def test_a_port_that_is_the_schemes_own_need_not_be_said() -> None:
    headers = HTTPMessage()
    headers["Location"] = "https://box/x"
    assert answer_head.location(headers, "box", 443) == "/x"
    assert answer_head.location(headers, "box", 3000) == "https://box/x"


def test_cookies_are_their_names() -> None:
    headers = HTTPMessage()
    for line in ("session=abc; Path=/", "csrf=1", "session=def"):
        headers["Set-Cookie"] = line
    assert answer_head.cookies(headers) == ("csrf", "session")
    assert answer_head.cookies(HTTPMessage()) == ()


@pytest.mark.parametrize(
    ("locations", "expected"),
    [
        (["", ""], ""),
        (["/items/1", "/items/1"], "/items/1"),
        (["/items/1", "/items/22"], "/items/{number}"),
        ([f"/items/{ONE}.json", f"/items/{OTHER}.json"], "/items/{uuid}.json"),
        (["/a?next=x1&n=1", "/a?next=7&n=1"], "/a?next={any}&n=1"),
        (["/items/1", "/items/1/2"], None),
        (["/items/1", "/items?1"], None),
    ],
)
def test_what_varies_is_masked_part_by_part(locations: list[str], expected: str | None) -> None:
    assert answer_head.pattern(locations) == expected


@pytest.mark.parametrize(
    ("got", "pattern", "fitting"),
    [
        ("/items/9", "/items/{number}", True),
        ("/items/nine", "/items/{number}", False),
        ("/item/9", "/items/{number}", False),
        ("/items/9/x", "/items/{number}", False),
        (f"/items/{ONE}", "/items/{uuid}", True),
        ("/items/9", "/items/{uuid}", False),
        ("/items/x", "/items/{any}", True),
        ("", "", True),
        ("/", "", False),
    ],
)
def test_whether_one_is_like_the_others(got: str, pattern: str, *, fitting: bool) -> None:
    assert answer_head.fits(got, pattern) is fitting


CASE = HttpCase(path="/{token}", location="/items/{number}?of={token}", cookies=("csrf", "session"))


@pytest.mark.parametrize(
    ("where", "cookies", "reason"),
    [
        (b"/items/7?of=t", (b"session", b"csrf"), None),
        (b"/login?of=t", (b"session", b"csrf"), "expected Location /items/{number}?of=t  got /login?of=t"),
        (b"/items/7?of=t", (b"session",), "expected cookies csrf, session  got session"),
        (b"/items/7?of=t", (), "expected cookies csrf, session  got none"),
    ],
)
def test_another_head_is_another_answer(
    where: bytes, cookies: tuple[bytes, ...], reason: str | None, serve: Serve
) -> None:
    lines = b"".join(b"Set-Cookie: %s=x; Path=/\r\n" % name for name in cookies)
    answer = b"HTTP/1.1 200 OK\r\nLocation: %s\r\n%sContent-Length: 0\r\n\r\n" % (where, lines)
    at = serve(lambda _: answer)
    found = conformance.run([lambda: http_asking.ask_http(CASE, at, "t")])
    assert found.ok == (reason is None)
    assert reason is None or reason in (found.reason or "")


def test_none_is_held_to_none(serve: Serve) -> None:
    at = serve(lambda _: b"HTTP/1.1 200 OK\r\nLocation: /x\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n")
    for case, reason in (
        (HttpCase(path="/", location=""), "expected Location none  got /x"),
        (HttpCase(path="/", cookies=()), "expected cookies none  got a"),
    ):
        with pytest.raises(conformance.Wrong) as wrong:
            http_asking.ask_http(case, at, "t")
        assert reason in wrong.value.reason
