"""Services that refuse to be root: where the referee is, an ordinary user runs them, in its own folder."""

from __future__ import annotations

import os
import pwd
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from deadheat.build import command

# Who runs them: the user that Debian's package of a database brings, else nobody.
USERS = ("postgres", "nobody")
SETPRIV = "setpriv"


def needed(refuses_root: bool) -> bool:
    """Whether a service has to be run by somebody else than us."""
    return refuses_root and os.geteuid() == 0


def missing() -> str | None:
    """Why a service cannot be run by somebody else here, or None."""
    if shutil.which(SETPRIV, path=command.path()) is None:
        return f"{SETPRIV} not found (Debian: apt-get install util-linux)"
    return None if _user() else f"none of the users {', '.join(USERS)} is there"


def argv(words: Sequence[str]) -> tuple[str, ...]:
    """The command as the ordinary user's."""
    user = _user()
    assert user is not None
    return (SETPRIV, f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--init-groups", "--", *words)


def folder(name: str) -> Path:
    """An empty folder of the ordinary user's, which it can reach whoever we are."""
    made = Path(tempfile.mkdtemp(prefix=f"deadheat-{name}-"))
    give(made)
    return made


def give(place: Path) -> None:
    """It and all in it is the ordinary user's."""
    user = _user()
    assert user is not None
    for each in (place, *place.rglob("*")):
        os.chown(each, user.pw_uid, user.pw_gid, follow_symlinks=False)


def _user() -> pwd.struct_passwd | None:
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    return next((known[name] for name in USERS if name in known), None)
