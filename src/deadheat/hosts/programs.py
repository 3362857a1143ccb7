"""Where programs are found on this machine."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

DEBIANS_POSTGRESQL = Path("/usr/lib/postgresql")


@dataclass(frozen=True, slots=True)
class Programs:
    """`path`: the folders that are searched, in order; `python`: the interpreter that ours run on."""

    path: str
    python: str


def here() -> Programs:
    """With the folder of this interpreter (and so of deadheat-load) first."""
    # Debian keeps servers such as nginx where only root's path leads, and PostgreSQL where none does.
    own, users = Path(sys.executable).parent, os.environ.get("PATH", os.defpath)
    return Programs(":".join([str(own), users, "/usr/sbin", "/sbin", *_postgresql()]), sys.executable)


@cache
def _postgresql() -> tuple[str, ...]:
    """The programs of the newest PostgreSQL that Debian's packages installed."""
    found = [bin_ for bin_ in DEBIANS_POSTGRESQL.glob("*/bin") if bin_.parent.name.isdecimal()]
    return (str(max(found, key=lambda bin_: int(bin_.parent.name))),) if found else ()
