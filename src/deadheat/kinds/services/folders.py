"""Folders of services on whatever host they run: made, copied, moved and removed by commands of that host.

A host is asked for commands alone (GNU's or busybox's), so that services need no more of one than it can.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from deadheat.errors import UserError
from deadheat.hosts import Host
from deadheat.kinds.services import tools


def make(host: Host, folder: Path) -> None:
    """An empty one, for its owner's eyes alone, within folders that are made too. Raises OSError."""
    _run(host, "mkdir", "-p", str(folder.parent))
    _run(host, "mkdir", "-m", "700", str(folder))


def temporary(host: Host, name: str) -> Path:
    """An empty one of a name that nobody else's has. Raises OSError."""
    return Path(_run(host, "mktemp", "-d", "-t", f"deadheat-{name}-XXXXXX").strip())


def is_there(host: Host, folder: Path) -> bool:
    """Raises OSError where that cannot be asked."""
    return tools.run(host, "test", "-d", str(folder)).status == 0


def copy(host: Host, folder: Path, to: Path) -> None:
    """All in it, with links as links. Raises OSError."""
    _run(host, "cp", "-RPp", str(folder), str(to))


def move(host: Host, folder: Path, to: Path) -> None:
    """At once where both are on one file system. Raises OSError."""
    _run(host, "mv", "-T", str(folder), str(to))


def give(host: Host, folder: Path, user: str) -> None:
    """It and all in it is a user's (`UID:GID`). Raises OSError."""
    _run(host, "chown", "-R", "-h", user, str(folder))


def remove(host: Host, folder: Path) -> None:
    """With all in it, if it is there; what cannot be removed stays."""
    with suppress(OSError, UserError):
        _run(host, "rm", "-rf", str(folder))


def _run(host: Host, *argv: str) -> str:
    """What a command prints. Raises OSError where it is not well."""
    ran = tools.run(host, *argv)
    if ran.status:
        said = ran.stderr.strip().splitlines()
        raise OSError(said[-1] if said else f"{argv[0]} ended with status {ran.status}")
    return ran.stdout
