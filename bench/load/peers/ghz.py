"""ghz: gRPC calls. It counts statuses and looks at no message."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from deadheat.generators import ghz as referees

from ..generator import Broken, Counted, Generator
from ..grpc import CALL, NAME, PROTO
from ..measure import Unavailable


def binary() -> Path:
    """The copy that the referee uses, installed by Go where it is not there yet.

    Raises Unavailable.
    """
    path = Path(referees.Ghz().argv((), "", Path())[0])
    if path.exists():
        return path
    if shutil.which("go") is None:
        raise Unavailable("ghz: no go to install it with")
    beside = path.parent.with_name(f".{path.parent.name}-{os.getpid()}")
    beside.mkdir(parents=True, exist_ok=True)
    try:
        done = subprocess.run(
            ["go", "install", referees.PACKAGE],
            env={**os.environ, "GOBIN": str(beside)},
            capture_output=True,
            text=True,
            timeout=referees.INSTALL_LIMIT_S,
            check=False,
        )
        if done.returncode != 0:
            raise Unavailable(f"go install {referees.PACKAGE}: {done.stderr.strip()[-200:]}")
        shutil.rmtree(path.parent, ignore_errors=True)
        beside.rename(path.parent)
    except (OSError, subprocess.SubprocessError) as error:
        raise Unavailable(f"go install {referees.PACKAGE}: {error}") from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return path


def ghz(name: str, connections: int, in_flight: int, *options: str) -> Generator:
    """`in_flight` calls over all connections."""

    def argv(address: str, seconds: float) -> Sequence[str]:
        return [
            str(binary()), "--insecure", "--proto", str(PROTO), "--call", CALL.replace("/", "."),
            "-d", f'{{"name": "{NAME}"}}', "--connections", str(connections),
            "-c", str(in_flight), "-z", f"{seconds:.0f}s", "--duration-stop", "wait",
            "--format", "json", *options, address,
        ]  # fmt: skip

    def count(stdout: str) -> Counted:
        # Ended by its clock, ghz waits for what is in flight: every call is among the statuses.
        report = json.loads(stdout)
        statuses = {status: n for status, n in report["statusCodeDistribution"].items() if n}
        if set(statuses) != {"OK"}:
            raise Broken(f"{name}: statuses {statuses}")
        p50 = [row["latency"] for row in report["latencyDistribution"] if row["percentage"] == 50]
        return Counted(statuses["OK"], report["total"] / 1e9, p50[0] / 1e6 if p50 else None)

    return Generator(name, argv, count)
