"""Content codings of HTTP: what a body says once it is decoded."""

from __future__ import annotations

import zlib
from http.client import HTTPMessage

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
    """What it says; as it is in a coding other than gzip and deflate. Raises CodingError."""
    codings = coding.split(", ")
    if not data or any(each not in (*_GZIP, "deflate") for each in codings):
        return data
    for each in reversed(codings):
        data = _inflated(data, each)
    return data


def _inflated(data: bytes, coding: str) -> bytes:
    # Gzip may be several members, one after the other. "deflate" is zlib's container, which some leave out.
    windows = [_GZIP_WINDOW] if coding in _GZIP else [_ZLIB_WINDOW, _BARE_WINDOW]
    for window in windows:
        try:
            return _members(data, window)
        except zlib.error:
            continue
    raise CodingError(f"a body that is no {coding}")


def _members(data: bytes, window: int) -> bytes:
    """Raises zlib.error, and CodingError for what is too long."""
    found, length = [], 0
    while data:
        member = zlib.decompressobj(window)
        part = member.decompress(data, LONGEST - length + 1)
        length += len(part)
        if length > LONGEST:
            raise CodingError(f"a body of over {LONGEST >> 20} MiB once decoded")
        if not member.eof:
            raise zlib.error("it ends before its end")
        found.append(part)
        data = member.unused_data
    return b"".join(found)
