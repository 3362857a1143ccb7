"""Content codings of HTTP: what a body says once it is decoded."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Mapping
from functools import partial
from http.client import HTTPMessage
from typing import Protocol

IDENTITY = "identity"
# A few bytes may stand for far more than anybody compares.
LONGEST = 64 << 20
_GZIP = ("gzip", "x-gzip")
# zlib's names of its containers, by the bits of its window.
_GZIP_WINDOW, _ZLIB_WINDOW, _BARE_WINDOW = 16 + zlib.MAX_WBITS, zlib.MAX_WBITS, -zlib.MAX_WBITS


class CodingError(Exception):
    """A body that is not in the coding that its head names, or too long once decoded."""


def of(headers: HTTPMessage) -> str:
    """The codings that an answer's head names, in the order they were applied; identity for none."""
    named = [word.strip().lower() for word in ",".join(headers.get_all("Content-Encoding", [])).split(",")]
    return ", ".join(word for word in named if word and word != IDENTITY) or IDENTITY


def decoded(data: bytes, coding: str) -> bytes:
    """What it says; as it is in a coding that nobody here reads. Raises CodingError."""
    if not data or unread(coding) is not None:
        return data
    for each in reversed(coding.split(", ")):
        data = _READ[each](data, each)
    return data


def unread(coding: str) -> str | None:
    """A clause about a body in a coding that nobody here reads; None of any other. Some servers name what is
    none (`utf-8`), so whoever can do with the body as it is need not refuse it."""
    if all(each in _READ for each in coding.split(", ")):
        return None
    return f"a body in {coding}, and read are gzip, deflate, br and zstd"


def _as_it_is(data: bytes, _coding: str) -> bytes:
    return data


def _inflated(data: bytes, coding: str) -> bytes:
    # "deflate" is zlib's container, which some leave out.
    windows = [_GZIP_WINDOW] if coding in _GZIP else [_ZLIB_WINDOW, _BARE_WINDOW]
    for window in windows:
        try:
            return _members(data, partial(zlib.decompressobj, window))
        except (zlib.error, EOFError):
            continue
    raise CodingError(f"a body that is no {coding}")


def _of_zstd(data: bytes, coding: str) -> bytes:
    # What reads a coding is loaded when one comes: most answers have none.
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    try:
        return _members(data, zstd.ZstdDecompressor)
    except (zstd.ZstdError, EOFError) as error:
        raise CodingError(f"a body that is no {coding}") from error


def _of_br(data: bytes, coding: str) -> bytes:
    import brotli

    reader = brotli.Decompressor()
    try:
        found: bytes = reader.process(data, output_buffer_limit=LONGEST + 1)
    except brotli.error as error:
        raise CodingError(f"a body that is no {coding}") from error
    if len(found) > LONGEST:
        raise _too_long()
    if not reader.is_finished():
        raise CodingError(f"a body that is no {coding}")
    return found


class _Reader(Protocol):
    """Of one member (gzip) or frame (zstd)."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


def _members(data: bytes, reader: Callable[[], _Reader]) -> bytes:
    """Of several, one after the other. Raises EOFError where the last has no end, and CodingError for what is
    too long."""
    found, length = [], 0
    while data:
        member = reader()
        part = member.decompress(data, LONGEST - length + 1)
        length += len(part)
        if length > LONGEST:
            raise _too_long()
        if not member.eof:
            raise EOFError
        found.append(part)
        data = member.unused_data
    return b"".join(found)


def _too_long() -> CodingError:
    return CodingError(f"a body of over {LONGEST >> 20} MiB once decoded")


_READ: Mapping[str, Callable[[bytes, str], bytes]] = {
    IDENTITY: _as_it_is,
    **dict.fromkeys((*_GZIP, "deflate"), _inflated),
    "br": _of_br,
    "zstd": _of_zstd,
}
