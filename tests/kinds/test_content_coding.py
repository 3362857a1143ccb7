"""Content codings: what a body decodes to, and bodies that are not what their head says."""

from __future__ import annotations

import gzip
import hashlib
import sys
import zlib
from collections.abc import Callable
from http.client import HTTPMessage

import brotli
import pytest

from deadheat.kinds import conformance, content_coding, http_asking
from deadheat.kinds.content_coding import CodingError
from deadheat.model.work.http import HttpCase

from .test_http_asking import Serve, serve

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["serve"]

# A frame of zstd that says nothing (RFC 8878, section 3.1.2).
SKIPPED = b"\x50\x2a\x4d\x18\x03\0\0\0abc"
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
        ("br", brotli.compress(TEXT)),
        ("zstd", zstd.compress(TEXT)),
        ("zstd", zstd.compress(TEXT[:4]) + SKIPPED + zstd.compress(TEXT[4:])),
        ("gzip, br", brotli.compress(packed_by_gzip(TEXT))),
        ("compress", TEXT),
        ("compress, gzip", TEXT),
    ],
)
def test_what_a_body_says(coding: str, packed: bytes) -> None:
    assert content_coding.decoded(packed, coding) == TEXT


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd"])
def test_an_answer_without_a_body_is_in_any_coding(coding: str) -> None:
    assert content_coding.decoded(b"", coding) == b""


@pytest.mark.parametrize("coding", ["compress", "gzip, compress"])
def test_what_nobody_here_reads_is_said(coding: str) -> None:
    assert content_coding.unread(coding) == f"a body in {coding}, and read are gzip, deflate, br and zstd"
    assert content_coding.unread("zstd, gzip") is None


@pytest.mark.parametrize(
    ("coding", "packed"),
    [
        ("gzip", TEXT),
        ("gzip", packed_by_gzip(TEXT)[:-5]),
        ("deflate", TEXT),
        ("gzip", packed_by_gzip(TEXT) + b"x"),
        ("br", TEXT),
        ("br", brotli.compress(TEXT)[:-3]),
        ("br", brotli.compress(TEXT) + b"x"),
        ("zstd", TEXT),
        ("zstd", zstd.compress(TEXT)[:-3]),
        ("zstd", zstd.compress(TEXT) + b"x"),
    ],
)
def test_a_body_in_another_coding_than_its_head_names(coding: str, packed: bytes) -> None:
    with pytest.raises(CodingError, match=f"a body that is no {coding}"):
        content_coding.decoded(packed, coding)


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd"])
def test_a_few_bytes_do_not_fill_the_memory(coding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content_coding, "LONGEST", 1 << 20)
    pack = {"gzip": packed_by_gzip, "br": brotli.compress, "zstd": zstd.compress}[coding]
    assert len(content_coding.decoded(pack(bytes(1 << 20)), coding)) == 1 << 20
    # Brotli has no members.
    several = [] if coding == "br" else [pack(bytes(1 << 19)) * 3]
    for packed in (pack(bytes((1 << 20) + 1)), pack(bytes(8 << 20)), *several):
        with pytest.raises(CodingError, match="over 1 MiB"):
            content_coding.decoded(packed, coding)


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


BR, ZSTD, COMPRESS = (b"Content-Encoding: %s\r\n" % name for name in (b"br", b"zstd", b"compress"))
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
        (brotli.compress(TEXT), BR, "expected Content-Encoding gzip  got br"),
    ],
)
def test_another_answer(body: bytes, head: bytes | None, reason: str, serve: Serve) -> None:
    at = serve(answering(body) if head is None else answering(body, head))
    with pytest.raises(conformance.Wrong) as wrong:
        http_asking.ask_http(STRUCTURE, at, "t")
    assert reason in wrong.value.reason


@pytest.mark.parametrize(("head", "packed"), [(BR, brotli.compress(TEXT)), (ZSTD, zstd.compress(TEXT))])
@pytest.mark.parametrize(
    "case",
    [HttpCase(path="/", structure=TEXT.decode()), HttpCase(path="/", json_fields={"$.name": "one"}), DIGEST],
)
def test_what_br_and_zstd_decode_to_is_compared(
    case: HttpCase, head: bytes, packed: bytes, serve: Serve
) -> None:
    http_asking.ask_http(case, serve(answering(packed, head)), "t")


@pytest.mark.parametrize(
    "case",
    [HttpCase(path="/", structure=TEXT.decode()), HttpCase(path="/", json_fields={"$.name": "one"})],
)
def test_json_in_a_coding_that_nobody_reads(case: HttpCase, serve: Serve) -> None:
    with pytest.raises(conformance.Wrong, match="got a body in compress, and read are gzip, deflate"):
        http_asking.ask_http(case, serve(answering(b"\x1f\x9d\x90", COMPRESS)), "t")
    # What names no coding at all, as some servers do, is read as it is.
    http_asking.ask_http(case, serve(answering(TEXT, b"Content-Encoding: utf-8\r\n")), "t")


def test_bytes_in_a_coding_that_nobody_reads_have_their_digest(serve: Serve) -> None:
    http_asking.ask_http(DIGEST, serve(answering(TEXT, COMPRESS)), "t")
