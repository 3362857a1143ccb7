"""What to start, and how it ended."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from signal import Signals
from typing import Any

from deadheat.hosts.meter import CpuTime


class Why(StrEnum):
    """What ended a program."""

    EXIT = "exit"  #: it ended of itself, or by a signal that was not ours
    STOPPED = "stopped"  #: asked to stop, it did within the grace
    KILLED = "killed"  #: it did not, or its referee went away
    TIME_LIMIT = "time-limit"


@dataclass(frozen=True, slots=True)
class InContainer:
    """That a program is an image's: `argv` are then the arguments that it gets, behind a first word by which
    messages call it, and `env` is what it has beside the image's own.

    `run`: the id of whose it is. `port`: where it is reached; `inside`: where it listens, if that is a port
    of its own, which is then published. Without it, it has the host's network where the host may give it
    that.
    """

    image: str
    run: str
    port: int
    inside: int | None = None


@dataclass(frozen=True, slots=True)
class Spec:
    """What to start, and with what. `env` is the whole environment; nothing is inherited.

    A name without a slash in `argv[0]` is looked up in the PATH of `env`. Output beyond
    `output_limit_bytes` (each of stdout and stderr) is counted and thrown away, as is all of it
    without a path. `peak_memory` traces the program to read its own peak exactly at its exit: its
    signals, forks and thread starts each cost it some tens of microseconds, so not where it is timed.
    `attached`: the port of a server that runs already, in the place of anything to start; `freezes`: whether
    it may be stopped meanwhile; `elsewhere`: it runs already where it can be neither metered nor stopped.
    `container`: it is started by podman or docker. `network`: a network of its own (`Host.network`).
    `piped`: it is talked to by `Host.send` and `Host.receive` and ends with its stdin; `stderr` is appended
    to then, and what else there is of files and limits does not hold.
    """

    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str] = field(default_factory=dict)
    cpus: frozenset[int] | None = None
    stdin: Path | None = None
    stdout: Path | None = None
    stderr: Path | None = None
    output_limit_bytes: int = 1 << 20
    time_limit_s: float | None = None
    peak_memory: bool = False
    attached: int | None = None
    freezes: bool = True
    elsewhere: bool = False
    piped: bool = False
    container: InContainer | None = None
    network: Path | None = None

    def to_json(self) -> str:
        """One line, as the launcher reads it."""
        return json.dumps(
            {
                "argv": list(self.argv),
                "cwd": str(self.cwd.absolute()),
                "env": dict(self.env),
                "cpus": None if self.cpus is None else sorted(self.cpus),
                "network": None if self.network is None else str(self.network),
                "stdin": _absolute(self.stdin),
                "stdout": _absolute(self.stdout),
                "stderr": _absolute(self.stderr),
                "output_limit": self.output_limit_bytes,
                "time_limit_ms": None if self.time_limit_s is None else round(self.time_limit_s * 1000),
                "peak_memory": self.peak_memory,
            }
        )


def _absolute(path: Path | None) -> str | None:
    return None if path is None else str(path.absolute())


@dataclass(frozen=True, slots=True)
class Exit:
    """How a program ended and what its tree has used.

    `peak_memory_bytes` is, with `Spec.peak_memory`, the program's own; else the largest of the program
    and the descendants that were waited for, and None for what is hardly larger than the launcher (1 MB).
    `tree_peak_memory_bytes` (traced only) is what all processes that lived at one time held at most.
    `stray` counts processes that the program left behind; they are gone now.
    """

    code: int | None
    signal: int | None
    why: Why
    at_ns: int
    wall_ns: int
    cpu: CpuTime
    peak_memory_bytes: int | None
    tree_peak_memory_bytes: int | None
    stray: int
    stdout_bytes: int
    stderr_bytes: int
    output_error: str | None

    @classmethod
    def from_event(cls, event: Mapping[str, Any]) -> Exit:
        """From the launcher's `exited` event."""
        values = {key: value for key, value in event.items() if key not in {"event", "user_ns", "system_ns"}}
        values["why"] = Why(values["why"])
        return cls(cpu=CpuTime(event["user_ns"], event["system_ns"]), **values)

    @classmethod
    def unseen(
        cls,
        began_ns: int,
        why: Why,
        signal: int | None = None,
        *,
        code: int | None = None,
        cpu: CpuTime | None = None,
    ) -> Exit:
        """Of one whose end no launcher reported: what it used beside `cpu`, nobody knows. `began_ns`: when
        it, or our part in it, began."""
        now_ns = time.monotonic_ns()
        return cls(
            code=code,
            signal=signal,
            why=why,
            at_ns=now_ns,
            wall_ns=now_ns - began_ns,
            cpu=cpu or CpuTime(0, 0),
            peak_memory_bytes=None,
            tree_peak_memory_bytes=None,
            stray=0,
            stdout_bytes=0,
            stderr_bytes=0,
            output_error=None,
        )

    @property
    def ok(self) -> bool:
        """Ended of itself, with status 0, leaving nobody behind."""
        return self.why is Why.EXIT and self.code == 0 and not self.stray

    def describe(self) -> str:
        """A verb phrase: `exited with status 3 after 0.12 s`."""
        after = f"after {self.wall_ns / 1e9:.3g} s"
        match self.why:
            case Why.TIME_LIMIT:
                return f"ran into its time limit {after}"
            case Why.KILLED:
                return f"had to be killed {after}"
            case Why.STOPPED:
                return f"was stopped {after}"
        if self.signal is not None:
            ending = f"died of {signal_name(self.signal)}"
        else:  # of one that was not our child its status is not known
            ending = "ended" if self.code is None else f"exited with status {self.code}"
        left = f", leaving {self.stray} process{'es' * (self.stray > 1)} behind" if self.stray else ""
        return f"{ending} {after}{left}"


def signal_name(signal: int) -> str:
    try:
        return Signals(signal).name
    except ValueError:
        return f"signal {signal}"
