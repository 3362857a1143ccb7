"""`deadheat-load drive`, our own generator, as the referee drives it (docs/engine-protocol.md)."""

import contextlib
import json
import os
import selectors
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from deadheat.errors import ExitCode, UserError

BINARY = "deadheat-load"
# A request that takes longer is an error.
REQUEST_TIMEOUT_MS = 5000
# A turn ends by its own deadline; this is how long beyond it the engine may be silent.
SILENCE_S = 15.0


class EngineError(Exception):
    """The engine says that a command failed: `kind` is one of its own words (refused, gone, ...)."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def find_binary() -> str:
    """The engine beside this interpreter, else on the path."""
    beside = Path(sys.executable).parent / BINARY
    found = str(beside) if beside.exists() else shutil.which(BINARY)
    if found is None:
        raise UserError(f"{BINARY} is not installed", hint="make setup builds it")
    return found


class Engine:
    """A running engine: one command, one answer. It ends with its standard input, whatever ends us."""

    def __init__(self, cpus: Sequence[int], log: Path) -> None:
        with log.open("ab") as stderr:
            # Its own session: a Ctrl-C at the terminal is for the referee, which ends the slice first.
            self._process = subprocess.Popen(
                [find_binary(), "drive"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                start_new_session=True,
            )
        os.sched_setaffinity(self._process.pid, cpus)
        self._log = log
        self._selector = selectors.DefaultSelector()
        assert self._process.stdout is not None
        os.set_blocking(self._process.stdout.fileno(), False)
        self._selector.register(self._process.stdout, selectors.EVENT_READ)
        self._received = b""

    @property
    def pid(self) -> int:
        return self._process.pid

    def open(self, target: str, url: str, connections: int, **what: Any) -> None:
        """Connect to a target. `what`: the protocol's own fields (`request`, `expect`, ...)."""
        command = {
            "target": target,
            "url": url,
            "connections": connections,
            "timeout_ms": REQUEST_TIMEOUT_MS,
            **what,
        }
        self._ask("open", command, REQUEST_TIMEOUT_MS / 1000 + SILENCE_S)

    def turn(self, target: str, token: str, lead_in_ms: int, counted_ms: int, **more: Any) -> dict[str, Any]:
        """Load one target for one slice: what the engine counted."""
        command = {
            "target": target,
            "token": token,
            "lead_in_ms": lead_in_ms,
            "counted_ms": counted_ms,
            **more,
        }
        answer = self._ask("turn", command, (lead_in_ms + counted_ms) / 1000 + SILENCE_S)
        del answer["event"], answer["target"]
        return answer

    def histogram(self, target: str) -> str:
        """Latencies since the last call, HdrHistogram V2 in base64 (ns)."""
        return self.histograms(target)[0]

    def histograms(self, target: str) -> tuple[str, str | None]:
        """The same, and after an open loop the latencies from the actual sending too."""
        answer = self._ask("histogram", {"target": target, "reset": True}, SILENCE_S)
        return str(answer["hdr"]), answer.get("service_hdr")

    def close_target(self, target: str) -> None:
        self._ask("close", {"target": target}, SILENCE_S)

    def close(self) -> None:
        """End the engine: politely, then at once."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._selector.close()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def _ask(self, command: str, fields: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({"cmd": command, **fields}).encode() + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise self._died() from error
        answer: dict[str, Any] = json.loads(self._line(command, timeout_s))
        if answer["event"] == "error":
            raise EngineError(answer["kind"], answer["message"])
        return answer

    def _line(self, command: str, timeout_s: float) -> bytes:
        assert self._process.stdout is not None
        while b"\n" not in self._received:
            if not self._selector.select(timeout_s):
                raise UserError(
                    f"{BINARY} gave no answer to {command} within {timeout_s:.0f} s; its log is {self._log}",
                    code=ExitCode.NOTHING_MEASURED,
                )
            data = os.read(self._process.stdout.fileno(), 1 << 16)
            if not data:
                raise self._died()
            self._received += data
        line, self._received = self._received.split(b"\n", 1)
        return line

    def _died(self) -> UserError:
        code = self._process.wait()
        return UserError(
            f"{BINARY} ended with {code}; its log is {self._log}", code=ExitCode.NOTHING_MEASURED
        )
