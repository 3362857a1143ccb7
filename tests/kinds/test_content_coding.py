"""Content codings: what a body decodes to, and bodies that are not what their head says."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Callable
from http.client import HTTPMessage

import pytest

from deadheat.kinds import conformance, content_coding, http_asking
from deadheat.kinds.content_coding import CodingError
from deadheat.model.workload import HttpCase

from .test_http_asking import Serve, serve

__all__ = ["serve"]

TEXT = b'{"name": "one"}'


def packed_by_gzip(data: bytes, level: int = 9) -> bytes:
    """Without the time: tests are called by their values, and must be called the same in every process."""
    return gzip.compress(data, level, mtime=0)


def bare(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize(
    ("coding", "packed"),
    [
        ("identity", TEXT),
        ("gzip", packed_by_gzip(TEXT)),
        ("x-gzip", packed_by_gzip(TEXT)),
        ("gzip", packed_by_gzip(TEXT[:4]) + packed_by_gzip(TEXT[4:])),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", bare(TEXT)),
        ("deflate, gzip", packed_by_gzip(zlib.compress(TEXT))),
        ("br", TEXT),
        ("gzip, br", TEXT),
    ],
)
def test_what_a_body_says(coding: str, packed: bytes) -> None:
    assert content_coding.decoded(packed, coding) == TEXT


def test_an_answer_without_a_body_is_in_any_coding() -> None:
    assert content_coding.decoded(b"", "gzip") == b""


@pytest.mark.parametrize(
    ("coding", "packed"),
    [
        ("gzip", TEXT),
        ("gzip", packed_by_gzip(TEXT)[:-5]),
        ("deflate", TEXT),
        ("gzip", packed_by_gzip(TEXT) + b"x"),
    ],
)
def test_a_body_in_another_coding_than_its_head_names(coding: str, packed: bytes) -> None:
    with pytest.raises(CodingError, match=f"a body that is no {coding}"):
        content_coding.decoded(packed, coding)


def test_a_few_bytes_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content_coding, "LONGEST", 1 << 20)
    assert len(content_coding.decoded(packed_by_gzip(bytes(1 << 20)), "gzip")) == 1 << 20
    for packed in (packed_by_gzip(bytes((1 << 20) + 1)), packed_by_gzip(bytes(1 << 19)) * 3):
        with pytest.raises(CodingError, match="over 1 MiB"):
            content_coding.decoded(packed, "gzip")


@pytest.mark.parametrize(
    ("lines", "coding"),
    [
        ((), "identity"),
        (("Identity",), "identity"),
        (("GZip",), "gzip"),
        (("deflate, gzip",), "deflate, gzip"),
        (("deflate", "gzip"), "deflate, gzip"),
    ],
)
def test_the_codings_that_a_head_names(lines: tuple[str, ...], coding: str) -> None:
    headers = HTTPMessage()
    for line in lines:
        headers["Content-Encoding"] = line
    assert content_coding.of(headers) == coding


def answering(body: bytes, head: bytes = b"Content-Encoding: gzip\r\n") -> Callable[[bytes], bytes]:
    return lambda _: b"HTTP/1.1 200 OK\r\n%sContent-Length: %d\r\n\r\n%s" % (head, len(body), body)


STRUCTURE = HttpCase(path="/", content_encoding="gzip", structure=TEXT.decode())
DIGEST = HttpCase(path="/", sha256=hashlib.sha256(TEXT).hexdigest())


@pytest.mark.parametrize("case", [STRUCTURE, DIGEST])
@pytest.mark.parametrize("level", [1, 9])
def test_what_it_decodes_to_is_compared(case: HttpCase, level: int, serve: Serve) -> None:
    http_asking.ask_http(case, serve(answering(packed_by_gzip(TEXT, level))), "t")


@pytest.mark.parametrize(
    ("body", "head", "reason"),
    [
        (packed_by_gzip(b'{"name": "two"}'), None, '$.name: expected "one"  got "two"'),
        (TEXT, None, "answered with a body that is no gzip"),
        (TEXT, b"", "expected Content-Encoding gzip  got identity"),
    ],
)
def test_another_answer(body: bytes, head: bytes | None, reason: str, serve: Serve) -> None:
    at = serve(answering(body) if head is None else answering(body, head))
    with pytest.raises(conformance.Wrong) as wrong:
        http_asking.ask_http(STRUCTURE, at, "t")
    assert reason in wrong.value.reason
