"""Starts, freezes, meters and stops process trees, through `deadheat-launch`.

Nothing started here survives the referee, however that ends: the launcher kills the tree at the end
of its stdin. The protocol is docs/launcher-protocol.md.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from deadheat.errors import UserError
from deadheat.hosts.meter import Usage
from deadheat.hosts.program import Exit, Spec, Why, signal_name

__all__ = [
    "Exit",
    "ExitedError",
    "Launcher",
    "LauncherError",
    "Process",
    "Spec",
    "StartError",
    "Why",
]

BINARY = "deadheat-launch"

#: How long the launcher may take to answer: it gives up on a freeze after 5 s, on a kill after 10 s.
ANSWER_TIMEOUT_S = 20.0

_TAIL_BYTES = 64 * 1024


class StartError(Exception):
    """The program could not be started; the message says which and why."""


class LauncherError(Exception):
    """The launcher itself failed or could not do what it was asked. Its tree is gone or being killed."""


class ExitedError(Exception):
    """The program has exited where it should have been alive. `exit` says how."""

    def __init__(self, exit: Exit) -> None:
        super().__init__(exit)  # the exit itself, so that it can be pickled
        self.exit = exit

    def __str__(self) -> str:
        # As daemons do, whose first process ends well once another works on.
        away = self.exit.code == 0 and self.exit.stray
        hint = " (it went into the background: let it stay in the foreground)" if away else ""
        return f"the program {self.exit.describe()}{hint}"


class Launcher:
    """Starts programs. `Launcher.find()` gives the one that was installed with us."""

    def __init__(self, binary: Path) -> None:
        self.binary = binary

    @classmethod
    def find(cls) -> Launcher:
        """Beside this Python first, then on PATH. Raises UserError where there is none."""
        beside = Path(sys.executable).parent / BINARY
        found = beside if os.access(beside, os.X_OK) else shutil.which(BINARY)
        if found is None:
            raise UserError(
                f"{BINARY} is neither beside {sys.executable} nor on PATH",
                hint="make setup builds and installs it",
            )
        return cls(Path(found))

    def start(self, spec: Spec) -> Process:
        """Returns when the program runs. Raises StartError where it cannot, LauncherError where we cannot."""
        return Process(self.binary, spec)


class Process:
    """A running program and all its kin. Used as a context manager it kills them at the end.

    For one thread at a time.
    """

    def __init__(self, binary: Path, spec: Spec) -> None:
        self.spec = spec
        self._buffer = b""
        self._exit: Exit | None = None
        self.started_ns = time.monotonic_ns()  # until the launcher knows better
        try:
            # A session of its own from the first instant: a Ctrl-C at the terminal is for the referee.
            self._launcher = subprocess.Popen(
                [binary],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                bufsize=0,
            )
        except OSError as error:
            raise LauncherError(f"cannot run {binary}: {error.strerror}") from error
        try:
            self._send(spec.to_json())
            event = self._receive(ANSWER_TIMEOUT_S)
            if event["event"] == "failed":
                raise StartError(event["message"])
            self.pid: int = event["pid"]
            self.started_ns = event["at_ns"]
        except BaseException:
            self._let_go()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def exit(self) -> Exit | None:
        """How it ended, as far as is known without asking."""
        return self._exit

    def freeze(self) -> int:
        """Stops every process of the tree; returns when none runs any more: the moment of that.

        Raises ExitedError if the program has ended, LauncherError if it cannot be frozen.
        """
        return int(self._ask({"cmd": "freeze"}, "frozen")["at_ns"])

    def thaw(self) -> int:
        """Lets the tree go on; the moment of that. Raises as `freeze`."""
        return int(self._ask({"cmd": "thaw"}, "thawed")["at_ns"])

    def usage(self, *, memory: bool = True) -> Usage:
        """CPU time, and memory if asked: that costs a walk over page tables. Raises as `freeze`."""
        return Usage.from_event(self._ask({"cmd": "usage", "memory": memory}, "usage"), memory=memory)

    def stop(self, grace_s: float = 5.0) -> Exit:
        """SIGTERM, and SIGKILL to the whole tree after the grace. If it has ended before: how that was."""
        if self.poll() is None:
            self._send(json.dumps({"cmd": "stop", "grace_ms": round(grace_s * 1000)}))
            self._await_exit(grace_s + ANSWER_TIMEOUT_S)
        return self._ended()

    def wait(self, timeout_s: float | None = None) -> Exit:
        """Raises TimeoutError if the program still runs after that time."""
        if not self._await_exit(timeout_s):
            raise TimeoutError(f"{self.spec.argv[0]} still runs after {timeout_s} s")
        return self._ended()

    def poll(self) -> Exit | None:
        """How it ended, or None while it runs."""
        self._await_exit(0)
        return self._exit

    def close(self) -> None:
        """Kills whatever is left. For the end of everything; `stop` is the polite way."""
        self._let_go()

    def output_tail(self, lines: int = 20) -> str:
        """The last lines of stderr, else of stdout, as far as they were kept."""
        for path in (self.spec.stderr, self.spec.stdout):
            if path is not None and (text := last_lines(path, lines)):
                return text
        return ""

    def _ask(self, command: Mapping[str, object], answer: str) -> dict[str, Any]:
        if self.poll() is None:
            self._send(json.dumps(command))
        while self._exit is None:
            event = self._receive(ANSWER_TIMEOUT_S)
            if event["event"] == answer:
                return event
            # Anything else is an exit, a refusal, or the answer to a question whose asker was interrupted.
            self._note(event)
        raise ExitedError(self._exit)

    def _ended(self) -> Exit:
        if self._exit is None:
            raise LauncherError(f"the launcher of {self.spec.argv[0]} does not answer")
        return self._exit

    def _await_exit(self, timeout_s: float | None) -> bool:
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while self._exit is None:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            try:
                self._note(self._receive(left))
            except TimeoutError:
                return False
        return True

    def _note(self, event: dict[str, Any]) -> None:
        if event["event"] == "exited":
            self._exit = Exit.from_event(event)
            self._let_go()
        elif event["event"] == "error":
            raise LauncherError(event["message"])

    def _send(self, line: str) -> None:
        assert self._launcher.stdin is not None
        rest = line.encode() + b"\n"
        # If it has ended, the pipe is broken or closed: its last event says why.
        with contextlib.suppress(BrokenPipeError, ValueError):
            while rest:  # a signal may cut a write short
                rest = rest[self._launcher.stdin.write(rest) :]

    def _receive(self, timeout_s: float | None) -> dict[str, Any]:
        """The next event. Raises TimeoutError, or LauncherError where there is none to come."""
        assert self._launcher.stdout is not None
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while b"\n" not in self._buffer:
            if self._launcher.stdout.closed:
                raise LauncherError("the launcher is closed")
            poller = select.poll()
            poller.register(self._launcher.stdout, select.POLLIN)
            left = None if deadline is None else max(0.0, deadline - time.monotonic()) * 1000
            if not poller.poll(left):
                raise TimeoutError
            piece = os.read(self._launcher.stdout.fileno(), 65536)
            if not piece:
                raise LauncherError(self._obituary())
            self._buffer += piece
        line, self._buffer = self._buffer.split(b"\n", 1)
        event: dict[str, Any] = json.loads(line)
        return event

    def _obituary(self) -> str:
        assert self._launcher.stderr is not None
        status = self._launcher.wait()
        said = self._launcher.stderr.read().decode(errors="replace").strip()
        self._let_go()
        # A program ends with its launcher, by the parent-death signal.
        self._exit = Exit.unseen(self.started_ns, Why.KILLED, signal.SIGKILL)
        how = f"died of {signal_name(-status)}" if status < 0 else f"ended with status {status}"
        return f"the launcher of {self.spec.argv[0]} {how}{': ' + said if said else ''}"

    def _let_go(self) -> None:
        """The end of its stdin is the launcher's sign to kill all; it ends when all are gone."""
        for pipe in (self._launcher.stdin, self._launcher.stdout, self._launcher.stderr):
            if pipe is not None and not pipe.closed:
                pipe.close()
        self._launcher.wait()


def last_lines(path: Path, lines: int) -> str:
    """Of a file's end, as far as there is one."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - _TAIL_BYTES))
            return "\n".join(file.read().decode(errors="replace").splitlines()[-lines:])
    except OSError:
        return ""
