"""Words of a command line as values: times, shares, counts, CPUs. Each raises UserError with what to do."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, get_args

import click

from deadheat.errors import UserError

if TYPE_CHECKING:
    from deadheat.model.condition import FigureName

_UNITS = {"": 1.0, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
PORT = click.IntRange(1, 65535)
_BYTES = {"": 1, "B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9}


# What they are given signs in.
_SECRET = ("--login-body", "--login-header")


class OneOf(click.Choice[str]):
    """One of a closed set of words, as a `Literal` lists them."""

    def __init__(self, literal: Any, noun: str) -> None:
        super().__init__(get_args(literal))
        self.noun = noun

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in self.choices:
            *most, last = self.choices
            raise UserError(f'no {self.noun} is called "{value}"', hint=f"{', '.join(most)} or {last}")
        return str(value)


class Value(click.ParamType[Any]):
    """What `parse` makes of a word; a default that is no word stands as it is."""

    name = "value"

    def __init__(self, metavar: str, parse: Callable[[str], Any]) -> None:
        self.metavar = metavar
        self.parse = parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return self.parse(value) if isinstance(value, str) else value

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return self.metavar


def duration_s(text: str) -> float:
    """`90`, `90s`, `5m`, `1h`, `30d` as seconds."""
    matched = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m|h|d|)", text.strip())
    if not matched or float(matched[1]) == 0:
        raise UserError(f'"{text}" is no duration', hint="write 90s, 5m or 1h")
    return float(matched[1]) * _UNITS[matched[2]]


def share(text: str) -> float:
    """`2%` or `0.02` as 0.02."""
    matched = re.fullmatch(r"(\d+(?:\.\d+)?)(%?)", text.strip())
    value = float(matched[1]) / (100 if matched[2] else 1) if matched else -1
    if not 0 <= value < 1:
        raise UserError(f'"{text}" is no share below one', hint="write 2% or 0.02")
    return value


def size_bytes(text: str) -> int:
    """`2GB` or `500MB` as bytes."""
    matched = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(kB|MB|GB|B|)", text.strip())
    if not matched:
        raise UserError(f'"{text}" is no size', hint="write 500MB or 2GB")
    return round(float(matched[1]) * _BYTES[matched[2]])


def rate_rps(text: str) -> float:
    """`500`, `50k` or `1.5M` a second."""
    matched = re.fullmatch(r"(\d+(?:\.\d+)?)([kM]?)", text.strip().replace(",", ""))
    value = float(matched[1]) * {"": 1, "k": 1e3, "M": 1e6}[matched[2]] if matched else 0
    if value <= 0:
        raise UserError(f'"{text}" is no rate', hint="write 500, 50k or 1.5M, a second")
    return value


def price(text: str) -> float:
    """`0.04`, not below zero."""
    if not re.fullmatch(r"\d+(?:\.\d+)?", text.strip()):
        raise UserError(f'"{text}" is no price', hint="write 0.04, in whatever currency")
    return float(text)


def header(text: str) -> tuple[str, str]:
    """`Accept: text/html` as a name and a value."""
    name, colon, value = text.partition(":")
    if not colon or not name.strip() or any(c in text for c in "\r\n"):
        raise UserError(f'"{text}" is no header', hint="write 'Accept: text/html'")
    return name.strip(), value.strip()


def take(text: str) -> tuple[str, str]:
    """`session=cookie session_id` as a name and a place."""
    name, equals, where = (part.strip() for part in text.partition("="))
    if not name or not equals or not where:
        raise UserError(f'"{text}" takes nothing of a login', hint="write 'session=cookie session_id'")
    return name, where


def counts(text: str) -> tuple[int, ...]:
    """`64` or `10,64,400` as numbers from one on, each once."""
    parts = [part.strip() for part in text.split(",")]
    if not all(re.fullmatch(r"[1-9]\d{0,5}", part) for part in parts):
        raise UserError(f'"{text}" is no list of counts', hint="write 64, or 10,64,400")
    return tuple(dict.fromkeys(int(part) for part in parts))


def one_value(text: str) -> tuple[str, tuple[str, ...]]:
    """`rounds=10` as a name and its value."""
    name, equals, value = (part.strip() for part in text.partition("="))
    if not name or not equals or not value or "," in value:
        raise UserError(f'"{text}" sets no parameter', hint="write --set rounds=10; --sweep takes several")
    return name, (value,)


def some_values(text: str) -> tuple[str, tuple[str, ...]]:
    """`depth=1,10,100` as a name and its values, each once."""
    name, equals, listed = (part.strip() for part in text.partition("="))
    values = tuple(dict.fromkeys(value.strip() for value in listed.split(",")))
    if not name or not equals or not all(values):
        raise UserError(f'"{text}" is no sweep of a parameter', hint="write --sweep depth=1,10,100")
    return name, values


def condition(text: str) -> tuple[FigureName, float]:
    """`slower > 3%` as a figure and a share."""
    from deadheat.model.condition import FIGURES

    matched = re.fullmatch(r"\s*([a-z0-9]+)\s*>\s*(\S+)\s*", text)
    if not matched:
        raise UserError(f'"{text}" is no condition', hint="write 'slower > 3%' or 'p99 > 10%'")
    for figure in FIGURES:
        if figure == matched[1]:
            return figure, share(matched[2])
    raise UserError(f'no figure is called "{matched[1]}"', hint=", ".join(FIGURES))


def side_value(text: str) -> tuple[str, str, str]:
    """`A.env.GOGC=off` as a side, a key and its value."""
    matched = re.fullmatch(
        r"([AB])\.(env\.[A-Za-z_]\w*|build|artifact|run|program|image|containerfile|args)=(.*)",
        text,
        re.DOTALL,
    )
    if not matched:
        raise UserError(
            f'"{text}" sets nothing of a side', hint="write A.env.GOGC=off (of BASE) or B.build='make fast'"
        )
    return matched[1], matched[2], matched[3]


def cpus(text: str) -> tuple[int, ...]:
    """`0`, `0,2` or `0-3` as CPU numbers that this process may use."""
    from deadheat.hosts.cpus import all_of
    from deadheat.hosts.held import this_host

    numbers: list[int] = []
    for part in text.split(","):
        ends = re.fullmatch(r"\s*(\d+)(?:-(\d+))?\s*", part)
        if not ends:
            raise UserError(f'"{text}" is no list of CPUs', hint="write 0, 0,2 or 0-3")
        numbers += range(int(ends[1]), int(ends[2] or ends[1]) + 1)
    usable = all_of(this_host().cores())
    if missing := [cpu for cpu in numbers if cpu not in usable]:
        have = ", ".join(map(str, usable))
        raise UserError(f"CPU {missing[0]} is not there or not ours", hint=f"this process may use {have}")
    return tuple(dict.fromkeys(numbers))


def label(text: str) -> tuple[str, str]:
    """`role=load` as both."""
    key, equals, value = text.partition("=")
    if not (key and equals and value):
        raise UserError(f'"{text}" is no label', hint="write role=load")
    return key, value


DURATION_S = Value("TIME", duration_s)
SIZE = Value("SIZE", size_bytes)
RATE = Value("RATE", rate_rps)
PRICE = Value("PRICE", price)
SHARE = Value("SHARE", share)
COUNTS = Value("N,...", counts)
ONE_VALUE = Value("NAME=VALUE", one_value)
SOME_VALUES = Value("NAME=V,...", some_values)
CPUS = Value("CPUS", cpus)
LABEL = Value("KEY=VALUE", label)
HEADER = Value("HEADER", header)
TAKE = Value("NAME=WHERE", take)
CONDITION = Value("CONDITION", condition)
SIDE_VALUE = Value("SIDE.NAME=VALUE", side_value)


def without_passwords(arguments: Iterable[str]) -> list[str]:
    """A command line as it may be shown: a report is shared, what signs in is not: a database's password, a
    login's body and headers, the value of an environment variable."""
    found: list[str] = []
    for argument in arguments:
        option, equals, _ = argument.partition("=")
        if found and found[-1] in _SECRET:
            found.append("***")
        elif equals and option in _SECRET:
            found.append(f"{option}=***")
        else:
            found.append(_without_password(argument))
    return found


def _without_password(argument: str) -> str:
    if variable := re.match(r"(?:--set=)?[AB]\.env\.\w+=", argument):
        return f"{variable[0]}***"
    kept = re.sub(r"(://[^:/@\s]*):\S*@", r"\1@", argument)
    return re.sub(r"([?&]password=)[^&\s]*", r"\1***", kept)
