"""A system's own tools, on whatever host services run."""

from __future__ import annotations

import os

from deadheat.hosts import Host, StartError
from deadheat.hosts.output import Output

# For a copy of some hundred megabytes on a disk that is busy.
LIMIT_S = 120.0


def run(host: Host, *argv: str, limit_s: float = LIMIT_S) -> Output:
    """One of them, found in its usual folders wherever else is looked for others, whatever it thinks of what
    it is asked. Raises OSError where it cannot be run."""
    env = {"PATH": f"{host.programs().path}{os.pathsep}{os.defpath}", "LC_ALL": "C"}
    try:
        return host.run(argv, env=env, timeout_s=limit_s)
    except (StartError, TimeoutError) as error:
        raise OSError(str(error)) from error
