"""URLs of servers that run already (`race --url`) become commands that start nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from deadheat.errors import UserError
from deadheat.suite.ad_hoc import Command, named

# Where servers of this machine are asked.
HERE = ("127.0.0.1", "localhost")


def commands(urls: Sequence[str], names: tuple[str, ...], *, freezes: bool) -> tuple[Command, ...]:
    """One for each URL. Raises UserError for what is no server of this machine, and for one that is named
    twice."""
    ports = [port_of(url) for url in urls]
    for url, port in zip(urls, ports, strict=True):
        if ports.count(port) > 1:
            raise UserError(
                f"{url}: two --url are one server", hint="the null pair holds the first against itself anyway"
            )
    called = named(tuple(urls), names)
    return tuple(
        Command(url, name, Path.cwd(), listens=port, freezes=freezes)
        for url, name, port in zip(urls, called, ports, strict=True)
    )


def port_of(url: str) -> int:
    """Of `http://127.0.0.1:3000`. Raises UserError."""
    try:
        parts = urlsplit(url)
        port, host = parts.port, parts.hostname
    except ValueError:
        port = host = None
        parts = urlsplit("")
    if parts.scheme != "http" or not host:
        raise UserError(f"{url}: no URL of a server", hint="--url http://127.0.0.1:3000")
    if host not in HERE:
        raise UserError(
            f"{url}: no server of this machine, so nobody here could meter it",
            hint=f"race it where it runs, as http://{HERE[0]}:{port or 80}",
        )
    if parts.path not in ("", "/") or parts.query:
        raise UserError(f"{url}: --url names a server alone", hint="--path says what it is asked for")
    return 80 if port is None else port
