"""Services that refuse to be root: where the referee is, an ordinary user runs them, in its own folder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from deadheat.build import toolchain
from deadheat.hosts import Host
from deadheat.kinds.services import folders, tools

# Who runs them: the user that Debian's package of a database brings, else nobody.
USERS = ("postgres", "nobody")
SETPRIV = "setpriv"
LIMIT_S = 10.0


def needed(host: Host, refuses_root: bool) -> bool:
    """Whether a service has to be run by somebody else than whoever starts programs there."""
    return refuses_root and _printed(host, "id", "-u").strip() == "0"


def missing(host: Host) -> str | None:
    """Why a service cannot be run by somebody else there, or None."""
    lacking = toolchain.missing(host, (f"{SETPRIV} (util-linux)",))
    if lacking is None and _user(host) is None:
        return f"none of the users {', '.join(USERS)} is there"
    return lacking


def argv(host: Host, words: Sequence[str]) -> tuple[str, ...]:
    """The command as the ordinary user's."""
    uid, gid = _known(host)
    return (SETPRIV, f"--reuid={uid}", f"--regid={gid}", "--init-groups", "--", *words)


def folder(host: Host, name: str) -> Path:
    """An empty folder of the ordinary user's, which it can reach whoever we are. Raises OSError."""
    made = folders.temporary(host, name)
    give(host, made)
    return made


def give(host: Host, place: Path) -> None:
    """It and all in it is the ordinary user's. Raises OSError."""
    folders.give(host, place, ":".join(_known(host)))


def _known(host: Host) -> tuple[str, str]:
    user = _user(host)
    assert user is not None, "missing() says that there is none"
    return user


def _user(host: Host) -> tuple[str, str] | None:
    """User and group of the first that is there."""
    entries = (line.split(":") for line in _printed(host, "getent", "passwd", *USERS).splitlines())
    known = {entry[0]: (entry[2], entry[3]) for entry in entries if len(entry) > 3}
    return next((known[name] for name in USERS if name in known), None)


@cache
def _printed(host: Host, *argv: str) -> str:
    """What a short command prints, whatever it thinks of it; nothing where it cannot be run."""
    try:
        return tools.run(host, *argv, limit_s=LIMIT_S).stdout
    except OSError:
        return ""
