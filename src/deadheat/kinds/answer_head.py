"""The head of an answer: where it leads, and which cookies it sets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from http.client import HTTPMessage
from typing import Literal
from urllib.parse import SplitResult, urlsplit

from deadheat.kinds import structure

LOOPBACK = ("localhost", "127.0.0.1", "::1")
_DEFAULT_PORT = {"http": 80, "https": 443}
# What separates the parts of an address that a server makes of its values.
_BETWEEN = re.compile(r"([/?&=#;.])")
_MASK = re.compile(r"\{(uuid|number|any)\}")
_Class = Literal["uuid", "number", "any"]


def location(headers: HTTPMessage, host: str, port: int) -> str:
    """The Location without the server's own scheme, host and port; "" for none."""
    value = headers.get("Location", "").strip()
    try:
        parts = urlsplit(value)
        own = _is(parts, host, port)
    except ValueError:
        return value
    return parts._replace(scheme="", netloc="", path=parts.path or "/").geturl() if own else value


def cookies(headers: HTTPMessage) -> tuple[str, ...]:
    """The names of the cookies that it sets, in order of the alphabet."""
    return tuple(sorted({line.partition("=")[0].strip() for line in headers.get_all("Set-Cookie", [])}))


def pattern(locations: Sequence[str]) -> str | None:
    """What all of them are like, with a class in braces for each part that varies: `/items/{number}`; None
    where they have not the same parts."""
    split = [_BETWEEN.split(each) for each in locations]
    if len({len(parts) for parts in split}) > 1 or len({tuple(parts[1::2]) for parts in split}) > 1:
        return None
    return "".join(_common(column) for column in zip(*split, strict=True))


def fits(got: str, pattern: str) -> bool:
    """Whether a Location is like that."""
    mine, its = _BETWEEN.split(pattern), _BETWEEN.split(got)
    return len(mine) == len(its) and all(map(_part_fits, its, mine))


def _is(parts: SplitResult, host: str, port: int) -> bool:
    """Raises ValueError for a port that is none."""
    same_host = parts.hostname == host or (host in LOOPBACK and parts.hostname in LOOPBACK)
    return same_host and (parts.port or _DEFAULT_PORT.get(parts.scheme)) == port


def _common(column: Sequence[str]) -> str:
    if len(set(column)) == 1:
        return column[0]
    classes = {_class_of(part) for part in column}
    return f"{{{classes.pop() if len(classes) == 1 else 'any'}}}"


def _part_fits(got: str, expected: str) -> bool:
    mask = _MASK.fullmatch(expected)
    return got == expected if mask is None else mask[1] in ("any", _class_of(got))


def _class_of(part: str) -> _Class:
    if structure.class_of(part) == "uuid":
        return "uuid"
    return "number" if part.isascii() and part.isdecimal() else "any"
