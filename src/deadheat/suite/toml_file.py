"""TOML read into a noun, with the line of every key, so that an error can say where it is."""

import difflib
import re
import tomllib
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from deadheat.errors import UserError

M = TypeVar("M", bound=BaseModel)
Location = tuple[str | int, ...]

_TABLE = re.compile(r"^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"""^\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"))*)\s*=""")


def read(path: Path, type_: type[M], **extra: Any) -> M:
    """The file as a `type_`; `extra` are fields that the file itself does not hold.

    Raises UserError with file, line and the nearest key.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 text: {error.reason} at byte {error.start}") from error
    return parse(text, path, type_, **extra)


def parse(text: str, path: Path, type_: type[M], **extra: Any) -> M:
    """The text of a file that messages call `path`; otherwise as `read`."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{path}:{_decode_line(error)}: not TOML: {_decode_message(error)}") from error
    for key in extra:
        if key in data:
            raise UserError(f'{path}:{_line_of(text, (key,))}: unknown key "{key}"')
    try:
        return type_(**data, **extra)
    except ValidationError as error:
        # A misspelt key is also a missing one: the misspelling is what helps.
        errors = sorted(error.errors(), key=lambda e: e["type"] != "extra_forbidden")
        raise UserError(_explain(path, text, type_, errors[0])) from error


def line_of(path: Path, *location: str | int) -> int:
    """The line where a key of the file stands (1-based; 1 where it is not there)."""
    return _line_of(path.read_text(encoding="utf-8"), location)


def _explain(path: Path, text: str, type_: type[BaseModel], error: ErrorDetails) -> str:
    location = error["loc"]
    where = f"{path}:{_line_of(text, location)}"
    key = str(location[-1]) if location else ""
    if error["type"] == "extra_forbidden":
        near = difflib.get_close_matches(key, _known_keys(type_, location[:-1]), n=1)
        return f'{where}: unknown key "{key}"' + (f'; did you mean "{near[0]}"?' if near else "")
    dotted = ".".join(str(part) for part in location)
    if error["type"] == "missing":
        return f'{where}: key "{dotted}" is missing'
    if error["type"] == "literal_error":
        return f"{where}: {dotted}: {_no_such(error)}"
    message = error["msg"].removeprefix("Value error, ")
    return f"{where}: {dotted}: {message}" if dotted else f"{where}: {message}"


def _no_such(error: ErrorDetails) -> str:
    """A value that is none of those that may stand there: the nearest, or all where none is near."""
    known = re.findall(r"'([^']*)'", error.get("ctx", {}).get("expected", ""))
    near = difflib.get_close_matches(str(error["input"]), known, n=1)
    hint = f'did you mean "{near[0]}"?' if near else f"there are {', '.join(known)}"
    return f'no "{error["input"]}"; {hint}'


def _known_keys(type_: type[BaseModel], location: Location) -> list[str]:
    """The keys of the noun that `location` leads to."""
    for part in location:
        if isinstance(part, int):
            continue
        for name, field in type_.model_fields.items():
            if part not in (name, field.alias):
                continue
            nested = _nested_noun(field.annotation)
            if nested is not None:
                type_ = nested
    return [field.alias or name for name, field in type_.model_fields.items()]


def _nested_noun(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for argument in getattr(annotation, "__args__", ()):
        found = _nested_noun(argument)
        if found is not None:
            return found
    return None


def _line_of(text: str, location: Location) -> int:
    """The line of the deepest part of `location` that the text has."""
    best, best_depth = 1, 0
    table: Location = ()
    seen: dict[Location, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if header := _TABLE.match(line):
            table = _parts(header[2])
            if header[1] == "[[":
                seen[table] = seen.get(table, -1) + 1
                table = (*table, seen[table])
            here = table
        elif key := _KEY.match(line):
            here = (*table, *_parts(key[1]))
        else:
            continue
        depth = len(here)
        if depth > best_depth and here == location[:depth]:
            best, best_depth = number, depth
    return best


def _parts(dotted: str) -> Location:
    return tuple(part.strip().strip("\"'") for part in dotted.split("."))


def _decode_line(error: tomllib.TOMLDecodeError) -> int:
    found = re.search(r"line (\d+)", str(error))
    return int(found[1]) if found else 1


def _decode_message(error: tomllib.TOMLDecodeError) -> str:
    return re.sub(r" \(at .*\)$", "", str(error))
