"""URLs of servers that run already (`race --url`) become commands that start nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from deadheat.errors import UserError
from deadheat.model.address import LOCAL_HOST, Address
from deadheat.suite.ad_hoc import Command, named

PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Terms:
    """What was allowed: stopping servers meanwhile, asking those of other machines, and whom to trust over
    TLS."""

    freezes: bool = False
    remote: bool = False
    insecure: bool = False
    cacert: Path | None = None


def commands(urls: Sequence[str], names: tuple[str, ...], terms: Terms) -> tuple[Command, ...]:
    """One for each URL. Raises UserError for what is no server, for one of another machine where that was not
    allowed, and for one that is named twice."""
    where = [address_of(url, terms) for url in urls]
    if (terms.insecure or terms.cacert) and not any(at.https for at in where):
        raise UserError("--insecure and --cacert are for https, and no --url is")
    ports = [(at.host if not at.loopback else LOCAL_HOST, at.port) for at in where]
    for url, at, port in zip(urls, where, ports, strict=True):
        if ports.count(port) > 1:
            raise UserError(
                f"{url}: two --url are one server", hint="the null pair holds the first against itself anyway"
            )
        if terms.freezes and not at.loopback:
            raise UserError(
                f"{url}: --freeze stops processes of this machine, and that server runs elsewhere",
                hint="leave --freeze out; it is idle while it is another's turn",
            )
    called = named(tuple(urls), names)
    return tuple(
        Command(url, name, Path.cwd(), at=at, metered=at.loopback, freezes=terms.freezes)
        for url, name, at in zip(urls, called, where, strict=True)
    )


def address_of(url: str, terms: Terms) -> Address:
    """Of `http://127.0.0.1:3000`, `https://[::1]:3000`. Raises UserError."""
    parts, port = _split(url)
    if port is None or not parts.hostname:
        raise UserError(f"{url}: no URL of a server", hint="--url http://127.0.0.1:3000")
    at = Address(
        host=LOCAL_HOST if parts.hostname == "localhost" and parts.scheme == "http" else parts.hostname,
        port=port,
        https=parts.scheme == "https",
        insecure=terms.insecure,
        cacert=terms.cacert.absolute() if terms.cacert is not None else None,
    )
    if not at.loopback and not terms.remote:
        raise UserError(
            f"{url}: no server of this machine, so nobody here could meter it",
            hint=f"race it where it runs, as {at.replaced(host=LOCAL_HOST).url}; --remote races it from "
            "here, by its answers alone: load on a server that is not yours is an attack",
        )
    if parts.path not in ("", "/") or parts.query:
        raise UserError(f"{url}: --url names a server alone", hint="--path says what it is asked for")
    return at


def _split(url: str) -> tuple[SplitResult, int | None]:
    """Its parts, and its port; None where it has none that could be."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return urlsplit(""), None
    return parts, PORTS.get(parts.scheme) if port is None else port if parts.scheme in PORTS else None
