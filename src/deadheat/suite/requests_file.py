"""Requests that are one load, in a file as `deadheat-load --requests` takes it: JSON, an object a line.

Lines of curl and HTTP Archives are read as `pasted` reads them. What a race does not ask, or does not check,
is refused by its name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from deadheat.errors import UserError
from deadheat.model import json_path
from deadheat.model.bench import BenchRequest
from deadheat.model.workload import MOST_OF_A_MIX
from deadheat.suite import pasted

_KEYS = ("method", "path", "headers", "body", "body_file", "name", "weight", "rate", "expect")
_OF_EXPECT = ("status", "body", "body_file", "contains", "match", "json")
# What a race has no like of, and what to do.
_NOT_TAKEN = {
    "rate": "a race asks as fast as it is answered: a weight says how often",
    "contains": "a race compares whole bodies (body) or values in JSON (json)",
    "match": "a race compares whole bodies (body) or values in JSON (json)",
}
_PLACE = re.compile(json_path.PATTERN)
_RAW = re.compile(r"[A-Z]+ \S+ HTTP/\d")
_FORMS = "a JSON object a line, lines of curl, or an HTTP Archive (.har)"


class _WrongError(Exception):
    """What cannot be taken over, in a clause."""


def read(file: Path) -> tuple[BenchRequest, ...]:
    """The requests of a file, in order, each with a weight and a name of its own where there are several.

    Raises UserError with the line of one that a race cannot ask.
    """
    text = _text(file)
    found = pasted.read(file) if _is_pasted(text) else tuple(_of_lines(file, text))
    if not found:
        raise UserError(f"{file}: no request in it", hint=_FORMS)
    if len(found) > MOST_OF_A_MIX:
        raise UserError(f"{file}: {len(found)} requests, and one load has {MOST_OF_A_MIX} at most")
    if len(found) == 1:
        return (found[0].replaced(weight=None),)
    return tuple(_told_apart(file, found))


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"{file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{file}: no text") from error


def _is_pasted(text: str) -> bool:
    """Whether a browser handed it out: lines of curl, or an HTTP Archive."""
    if text.lstrip().startswith("curl "):
        return True
    try:
        return "log" in json.loads(text)
    except (ValueError, TypeError):
        return False


def _of_lines(file: Path, text: str) -> Iterator[BenchRequest]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        if _RAW.match(line) or line.startswith("###"):
            raise UserError(f"{file}:{number}: raw requests are for deadheat-load", hint=_FORMS)
        try:
            yield _of_line(line, file.parent)
        except (_WrongError, ValidationError) as error:
            raise UserError(f"{file}:{number}: {_clause(error)}") from error


def _of_line(line: str, folder: Path) -> BenchRequest:
    try:
        asked = json.loads(line, object_pairs_hook=_once)
    except ValueError as error:
        raise _WrongError(f"no JSON: {error}") from error
    _refuse_unknown(asked, _KEYS, "a request")
    expect = asked.get("expect", {})
    _refuse_unknown(expect, _OF_EXPECT, "expect")
    path = asked.get("path")
    if isinstance(path, str) and "://" in path.partition("?")[0]:
        raise _WrongError(f"{path}: whoever is raced is asked: write the path alone")
    given = {
        "name": asked.get("name"),
        "method": asked.get("method", "GET"),
        "path": path,
        "headers": _headers(asked.get("headers", [])),
        "body": _body(asked, folder),
        "weight": asked.get("weight"),
        "status": _status(expect.get("status")),
        "answer": _body(expect, folder),
        "json_fields": dict(map(_json_field, _listed(expect.get("json", [])))),
    }
    return BenchRequest.model_validate(given)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _WrongError(f'"{next(key for key in keys if keys.count(key) > 1)}" is given twice')
    return found


def _refuse_unknown(value: object, known: Sequence[str], where: str) -> None:
    if not isinstance(value, dict):
        raise _WrongError(f"{where} is a JSON object")
    for key in value:
        if key in _NOT_TAKEN:
            raise _WrongError(f'"{key}": {_NOT_TAKEN[key]}')
        if key not in known:
            raise _WrongError(f'{where} has no "{key}": {", ".join(k for k in known if k not in _NOT_TAKEN)}')


def _headers(pairs: Any) -> dict[str, str]:
    """Those of one name joined, as HTTP allows."""
    if not isinstance(pairs, list) or not all(_is_header(pair) for pair in pairs):
        raise _WrongError('headers are pairs of texts: [["Accept", "text/html"]]')
    if made_anew := [name for name, _ in pairs if pasted.is_of_connection(name)]:
        raise _WrongError(f"the header {made_anew[0]} is made anew for each request: leave it out")
    return pasted.joined(pairs)


def _is_header(pair: Any) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and all(isinstance(word, str) for word in pair)


def _body(of: Mapping[str, Any], folder: Path) -> str | None:
    """Its `body`, or what stands in its `body_file`."""
    body, file = of.get("body"), of.get("body_file")
    if body is not None and file is not None:
        raise _WrongError("body or body_file, not both")
    if body is not None and not isinstance(body, str):
        raise _WrongError("body: a race sends and compares texts")
    if file is None:
        return body
    if not isinstance(file, str):
        raise _WrongError("body_file: not the name of a file")
    try:
        return (folder / file).read_text(encoding="utf-8")
    except OSError as error:
        raise _WrongError(f"{file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise _WrongError(f"{file}: no text: a race sends and compares texts") from error


def _status(status: Any) -> int | None:
    if isinstance(status, str) and status.isascii() and status.isdigit():
        return int(status)
    if status is None or (isinstance(status, int) and not isinstance(status, bool)):
        return status
    raise _WrongError(f"status {json.dumps(status)}: a race compares one status, such as 200")


def _listed(texts: Any) -> list[str]:
    """A text, or a list of them."""
    listed = [texts] if isinstance(texts, str) else texts
    if not isinstance(listed, list) or not all(isinstance(text, str) for text in listed):
        raise _WrongError("json: a text, or a list of texts: $.items[0].id=7")
    return listed


def _json_field(text: str) -> tuple[str, Any]:
    """`$.items[0].id=7`: its place and its value, JSON or else a text."""
    place, equals, value = text.partition("=")
    if not equals or not _PLACE.fullmatch(place):
        raise _WrongError(f"json {text}: a race compares values at plain places: $.items[0].id=7")
    try:
        return place, json.loads(value)
    except ValueError:
        return place, value


def _clause(error: _WrongError | ValidationError) -> str:
    if isinstance(error, _WrongError):
        return str(error)
    first = error.errors()[0]
    message = first["msg"].removeprefix("Value error, ")
    return f"{'.'.join(map(str, first['loc']))}: {message}" if first["loc"] else message


def _told_apart(file: Path, requests: Sequence[BenchRequest]) -> Iterator[BenchRequest]:
    """Each by a title of its own: those without a name that ask alike are numbered."""
    taken = {each.name for each in requests if each.name is not None}
    seen: set[str] = set()
    for each in requests:
        title, count = each.title, 1
        while title in seen or (each.name is None and title in taken):
            if each.name is not None:
                raise UserError(
                    f'{file}: two requests are called "{title}"', hint="give each a name of its own"
                )
            count += 1
            title = f"{each.title} ({count})"
        seen.add(title)
        name = title if title != each.title else each.name
        yield each.replaced(name=name, weight=1.0 if each.weight is None else each.weight)
