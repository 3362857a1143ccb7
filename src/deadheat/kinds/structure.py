"""Answers compared by structure: where two differ, and by which class a field that varies is masked.

The order of an object's keys and white space do not count; the order of a list does, and numbers are compared
as they are written, since a parser that makes doubles of them takes some for equal that are not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from itertools import combinations
from typing import Any

from deadheat.model.mask import MaskClass, Masks

TOP = "$"
LONGEST_SHOWN = 80
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_RFC_3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)?")
_DECIMAL = re.compile(r"(\d+)(\.\d+)?")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
# Seconds since 1970 that are times of this century, from 9 September 2001 on, when they got their ten digits.
_CENTURY = (10**9, 4_102_444_800)
_UNITS = (1, 10**3, 10**6, 10**9)


class Number(str):
    """A number of JSON, as it is written."""


class _Absent:
    """A key that is not there: not the same as null."""


ABSENT = _Absent()


@dataclass(frozen=True)
class Body:
    """What an answer says: a value of JSON, else its text."""

    json: bool
    value: Any


@dataclass(frozen=True)
class Difference:
    """Two values of one field; `mask` is its path as masks have it."""

    path: str
    mask: str
    expected: Any
    got: Any

    def __str__(self) -> str:
        return f"{self.path}: expected {shown(self.expected)}  got {shown(self.got)}"


@dataclass(frozen=True)
class Compared:
    """How many fields were compared by value, and those that differ or are not of their mask's class."""

    fields: int
    differences: tuple[Difference, ...]


def read(data: bytes) -> Body | None:
    """None where it is no text."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    try:
        value = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_int=Number,
            parse_float=Number,
            parse_constant=_no_number,
        )
    except (ValueError, RecursionError):
        return Body(False, text)
    return Body(True, value)


def compare(expected: Body, got: Body, masks: Mapping[str, MaskClass]) -> Compared:
    """Field by field; a masked one must be of its class."""
    if expected.json != got.json and TOP not in masks:
        return Compared(0, (Difference(TOP, TOP, _said(expected), _said(got)),))
    fields, found = 0, []
    for path, mask, one, other in _fields(expected.value, got.value, masks):
        if (class_ := masks.get(mask)) is not None:
            if not fits(other, class_):
                found.append(Difference(path, mask, _A[class_], other))
        else:
            fields += 1
            # Lists and objects come here where the other one is no such, or where both are empty.
            if type(one) is not type(other) or one != other:
                found.append(Difference(path, mask, one, other))
    return Compared(fields, tuple(found))


def learn(bodies: Sequence[Body], given: Mapping[str, MaskClass]) -> Masks:
    """Masks of all in which answers of one and the same program differ, beside those given; so wide that
    each answer agrees with the first."""
    masks: Masks = dict(given)
    found: Masks = {}
    for one, other in combinations(bodies, 2):
        for each in compare(one, other, masks).differences:
            if each.mask not in given:
                class_ = _common(class_of(each.expected), class_of(each.got))
                found[each.mask] = _common(found.get(each.mask, class_), class_)
    masks |= found
    while wrong := [
        each.mask
        for body in bodies
        for each in compare(bodies[0], body, masks).differences
        if each.mask not in given and masks.get(each.mask) != "any"
    ]:
        masks |= dict.fromkeys(wrong, "any")
    return masks


def class_of(value: Any) -> MaskClass:
    """The narrowest that a value is of."""
    if isinstance(value, Number):
        return "epoch" if _is_epoch(value) else "number"
    if isinstance(value, str):
        if _UUID.fullmatch(value):
            return "uuid"
        if _is_time(value):
            return "time"
        return "epoch" if _is_epoch(value) else "text"
    return "any"


def fits(value: Any, class_: MaskClass) -> bool:
    """Whether a value is of a class."""
    if class_ == "any":
        return True
    if class_ == "number":
        return isinstance(value, Number)
    if class_ == "text":
        return isinstance(value, str) and not isinstance(value, Number)
    return class_of(value) == class_


class _Class(str):
    """What a masked field was expected to be: shown without quotes."""


_A: dict[MaskClass, _Class] = {
    "uuid": _Class("a UUID"),
    "time": _Class("a time"),
    "epoch": _Class("a time in numbers"),
    "number": _Class("a number"),
    "text": _Class("a text"),
    "any": _Class("anything"),
}


def shown(value: Any) -> str:
    """A value in a few words."""
    if value is ABSENT:
        return "nothing"
    if isinstance(value, _Class | Number):
        return str(value)
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return f"an object of {len(value)}"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}... ({len(text)} characters)"


def _said(body: Body) -> _Class:
    return _Class("JSON") if body.json else _Class("text that is no JSON")


def _fields(expected: Any, got: Any, masks: Mapping[str, MaskClass]) -> Iterator[tuple[str, str, Any, Any]]:
    """Path, path as masks have it, and both values, of whatever is compared as a whole: an answer may be
    nested as deep as its sender likes."""
    open_: list[tuple[str, str, Any, Any]] = [(TOP, TOP, expected, got)]
    while open_:
        path, mask, one, other = open_.pop()
        inside: list[tuple[str, str, Any, Any]] = []
        if mask not in masks and isinstance(one, dict) and isinstance(other, dict):
            keys = dict.fromkeys((*one, *other))
            steps = [(_step(key), key) for key in keys]
            inside = [
                (path + step, mask + step, one.get(key, ABSENT), other.get(key, ABSENT))
                for step, key in steps
            ]
        elif (
            mask not in masks and isinstance(one, list) and isinstance(other, list) and len(one) == len(other)
        ):
            pairs = enumerate(zip(one, other, strict=True))
            inside = [(f"{path}[{at}]", f"{mask}[*]", each, its) for at, (each, its) in pairs]
        if inside:
            open_ += reversed(inside)
        else:
            yield path, mask, one, other


def _step(key: str) -> str:
    return f".{key}" if _NAME.fullmatch(key) else f"[{json.dumps(key, ensure_ascii=False)}]"


def _common(one: MaskClass, other: MaskClass) -> MaskClass:
    """The narrowest that takes both in."""
    both = {one, other}
    if len(both) == 1:
        return one
    if both == {"number", "epoch"}:
        return "number"
    return "text" if both <= {"text", "uuid", "time"} else "any"


def _is_epoch(text: str) -> bool:
    if (decimal := _DECIMAL.fullmatch(text)) is None:
        return False
    # More digits than that no unit has; and Python takes its time over them.
    if len(decimal[1]) > len(str(_CENTURY[1] * _UNITS[-1])):
        return False
    return any(_CENTURY[0] * unit <= int(decimal[1]) < _CENTURY[1] * unit for unit in _UNITS)


def _is_time(text: str) -> bool:
    if _RFC_3339.fullmatch(text):
        try:
            datetime.fromisoformat(text[:19])
        except ValueError:
            return False
        return True
    if not text.endswith("GMT"):
        return False
    try:
        parsedate_to_datetime(text)
    except ValueError:
        return False
    return True


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of two values by one key nobody can say which is meant."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object with a key twice")
    return found


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")
