"""Requests as browsers hand them out: lines of curl ("Copy as cURL"), and HTTP Archives.

As `deadheat-load --requests` reads them, but for the host: whoever is raced is asked on this machine.
"""

from __future__ import annotations

import argparse
import base64
import json
import re
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit

from pydantic import ValidationError

from deadheat.errors import UserError
from deadheat.model.bench import BenchRequest

# Of the connection, which is made anew.
_OF_CONNECTION = frozenset(
    [
        "connection",
        "content-length",
        "expect",
        "http2-settings",
        "keep-alive",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    ]
)
# What changes nothing of a request, without a value and with one.
_IGNORED = [
    "-s",
    "--silent",
    "-S",
    "--show-error",
    "-v",
    "--verbose",
    "-i",
    "--include",
    "-k",
    "--insecure",
    "-f",
    "--fail",
    "-g",
    "--globoff",
    "-N",
    "--no-buffer",
    "--http1.1",
    "--http2",
    "--path-as-is",
    "--no-progress-meter",
]
_IGNORED_WITH_A_VALUE = [
    "-o",
    "--output",
    "-w",
    "--write-out",
    "-m",
    "--max-time",
    "--connect-timeout",
    "--retry",
]
_COMMAND = re.compile(r"^\s*curl\s", re.MULTILINE)
# As bash has it, and Chrome writes it: $'it\'s\n'.
_ANSI = re.compile(r"\$'((?:[^'\\]|\\.)*)'", re.DOTALL)


class _WrongError(Exception):
    """What cannot be taken over, in a clause."""


def read(file: Path) -> tuple[BenchRequest, ...]:
    """The requests of a file, in order. Raises UserError with the place of one that cannot be asked here."""
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"{file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{file}: no text") from error
    found = _of_archive(file, text) if text.lstrip().startswith("{") else _of_lines(file, text)
    if not found:
        raise UserError(f"{file}: no request in it", hint="a line of curl, or an HTTP Archive (.har)")
    return found


def _of_lines(file: Path, text: str) -> tuple[BenchRequest, ...]:
    if not text.strip():
        return ()
    starts = [match.start() for match in _COMMAND.finditer(text)]
    if not starts or text[: starts[0]].strip():
        raise UserError(f"{file}: not a line of curl", hint="a line of curl, or an HTTP Archive (.har)")
    commands = [text[at:end] for at, end in zip(starts, [*starts[1:], None], strict=True)]
    found = []
    for number, command in enumerate(commands, 1):
        try:
            found.append(_of_curl(command, file.parent))
        except (_WrongError, ValidationError) as error:
            raise UserError(f"{file}: request {number}: {_clause(error)}") from error
    return tuple(found)


def _of_curl(command: str, folder: Path) -> BenchRequest:
    try:
        words = shlex.split(_ANSI.sub(_unescaped, command).replace("\\\n", " "))[1:]
    except ValueError as error:
        raise _WrongError(str(error).lower()) from error
    given = _parser().parse_args(words)
    headers = [_header(text) for text in given.header]
    headers += [("Cookie", text) for text in given.cookie]
    headers += [
        (name, text) for name, text in (("User-Agent", given.user_agent), ("Referer", given.referer)) if text
    ]
    if given.user is not None:
        headers.append(("Authorization", f"Basic {base64.b64encode(given.user.encode()).decode()}"))
    if given.oauth2_bearer is not None:
        headers.append(("Authorization", f"Bearer {given.oauth2_bearer}"))
    parts = [_data(text, how, folder) for how, text in given.data]
    body = "&".join(parts) if given.json is None else _data(given.json, "--json", folder)
    path = _path(given.url)
    if given.get and parts:
        path += f"{'&' if '?' in path else '?'}{body}"
    sends = given.json is not None or (bool(parts) and not given.get)
    usual: list[tuple[str, str]] = []
    if given.json is not None:
        usual += [("Content-Type", "application/json"), ("Accept", "application/json")]
    elif sends:
        usual.append(("Content-Type", "application/x-www-form-urlencoded"))
    if given.compressed:
        usual.append(("Accept-Encoding", "deflate, gzip"))
    own = {name.lower() for name, _ in headers}
    return BenchRequest(
        method=given.request or ("HEAD" if given.head else "POST" if sends else "GET"),
        path=path,
        headers=_taken_over([*headers, *(pair for pair in usual if pair[0].lower() not in own)]),
        body=body if sends else None,
    )


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _WrongError(message.replace("unrecognized arguments:", "not understood:"))


class _Data(argparse.Action):
    def __call__(self, _parser: object, namespace: Any, values: Any, option: str | None = None) -> None:
        namespace.data = [*namespace.data, (option, values)]


def _parser() -> _Parser:
    parser = _Parser(prog="curl", add_help=False, allow_abbrev=False)
    parser.add_argument("url")
    parser.add_argument("-X", "--request")
    parser.add_argument("-H", "--header", action="append", default=[])
    parser.add_argument(
        "-d", "--data", "--data-ascii", "--data-raw", "--data-binary", dest="data", action=_Data, default=[]
    )
    parser.add_argument("--json")
    parser.add_argument("-u", "--user")
    parser.add_argument("--oauth2-bearer")
    parser.add_argument("-A", "--user-agent")
    parser.add_argument("-e", "--referer")
    parser.add_argument("-b", "--cookie", action="append", default=[])
    for flags in (("-I", "--head"), ("-G", "--get"), ("--compressed",)):
        parser.add_argument(*flags, action="store_true")
    for flag in _IGNORED:
        parser.add_argument(flag, action="store_true", dest="ignored")
    for flag in _IGNORED_WITH_A_VALUE:
        parser.add_argument(flag, dest="ignored")
    return parser


def _of_archive(file: Path, text: str) -> tuple[BenchRequest, ...]:
    try:
        entries = json.loads(text)["log"]["entries"]
        return tuple(_of_entry(file, number, entry) for number, entry in enumerate(entries, 1))
    except (ValueError, TypeError, KeyError) as error:
        raise UserError(f"{file}: no HTTP Archive: {error}") from error


def _of_entry(file: Path, number: int, entry: dict[str, Any]) -> BenchRequest:
    asked, status = entry["request"], (entry.get("response") or {}).get("status") or 0
    data = asked.get("postData")
    try:
        if data is not None and data.get("text") is None:
            raise _WrongError("its body is not there as text")
        return BenchRequest(
            method=asked["method"],
            path=_path(asked["url"]),
            headers=_taken_over((one["name"], one["value"]) for one in asked.get("headers", ())),
            body=None if data is None else data["text"],
            # 0: it had no answer.
            status=status if status >= 100 else None,
        )
    except (_WrongError, ValidationError) as error:
        raise UserError(f"{file}: entry {number}: {_clause(error)}") from error


def _clause(error: _WrongError | ValidationError) -> str:
    return str(error) if isinstance(error, _WrongError) else error.errors()[0]["msg"]


def _path(url: str) -> str:
    """With its query, of whichever host."""
    parts = urlsplit(url if "://" in url else f"http://{url}")
    if parts.scheme not in ("http", "https"):
        raise _WrongError(f"{url}: neither http nor https")
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _header(text: str) -> tuple[str, str]:
    """As curl has it: `Name: value`, and `Name;` for an empty one."""
    name, colon, value = text.partition(":")
    if not colon and text.endswith(";"):
        return text[:-1].strip(), ""
    if not colon:
        raise _WrongError(f'-H "{text}" is no header')
    return name.strip(), value.strip()


def is_of_connection(name: str) -> bool:
    """Whether a header is made anew for each connection or request."""
    return name.startswith(":") or name.lower() in _OF_CONNECTION


def _taken_over(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Without those of the connection and of the host."""
    return joined(
        (name, value) for name, value in headers if not is_of_connection(name) and name.lower() != "host"
    )


def joined(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Headers by their names; those of one name joined, as HTTP allows."""
    found: dict[str, str] = {}
    for name, value in headers:
        key = next((known for known in found if known.lower() == name.lower()), name)
        between = "; " if key.lower() == "cookie" else ", "
        found[key] = f"{found[key]}{between}{value}" if key in found else value
    return found


def _data(text: str, option: str | None, folder: Path) -> str:
    """The text, or what stands in @FILE, of which curl leaves line ends out unless it is told not to."""
    if option == "--data-raw" or not text.startswith("@"):
        return text
    try:
        content = (folder / text[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise _WrongError(f"{text[1:]}: {error}") from error
    return content if option in ("--data-binary", "--json") else re.sub("[\r\n]", "", content)


def _unescaped(match: re.Match[str]) -> str:
    text = match[1].replace("\\'", "'").replace("\n", "\\n")
    return shlex.quote(text.encode("latin-1", "backslashreplace").decode("unicode_escape"))


def only(requests: Sequence[BenchRequest], file: Path) -> BenchRequest:
    """The one of a race. Raises UserError for several."""
    if len(requests) > 1:
        raise UserError(
            f"{file}: {len(requests)} requests, and a race has one",
            hint="--requests has all of them in one load; deadheat ab --request races each",
        )
    return requests[0]
