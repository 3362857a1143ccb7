"""The contenders of `redis-pipeline` as programs, run by hand against servers of the tests."""

import subprocess
from pathlib import Path

from deadheat.build.command import argv, environment
from deadheat.kinds.services.running import placeholders_of
from deadheat.model.contender import Contender
from deadheat.suite.suite import load

WORKLOAD = "redis-pipeline"
SUITE = Path(__file__).parents[3] / "suite"
# The clients of this repository.
OURS = {"crystal-redis-client", "rust-lean", "ceiling"}


def contenders() -> tuple[Contender, ...]:
    """All contenders, each followed by its variants, in the order of their folders."""
    return load(SUITE).contenders[WORKLOAD]


def run(
    contender: Contender, folder: Path, port: int, *arguments: str, limit_s: float = 300
) -> subprocess.CompletedProcess[str]:
    """Runs the program to its end. `limit_s` only keeps a hanging one from hanging the tests."""
    values = placeholders_of("redis", "127.0.0.1", port)
    return subprocess.run(
        argv(contender, values, " ".join(arguments).split()),
        cwd=folder,
        capture_output=True,
        text=True,
        # What it says may quote the server.
        errors="replace",
        check=False,
        timeout=limit_s,
        env=environment(contender, values),
    )
