"""`deadheat-load drive`, our own generator, as the referee drives it (docs/engine-protocol.md)."""

import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from deadheat.errors import ExitCode, UserError
from deadheat.generators.load_generator import Counted, LoadError
from deadheat.hosts import ExitedError, Host, Spec, StartError

BINARY = "deadheat-load"
# A request that takes longer is an error.
REQUEST_TIMEOUT_MS = 5000
# A turn ends by its own deadline; this is how long beyond it the engine may be silent.
SILENCE_S = 15.0
# For its end, once its input has ended.
STOP_GRACE_S = 2.0


def find_binary() -> str:
    """The engine beside this interpreter, else on the path."""
    beside = Path(sys.executable).parent / BINARY
    found = str(beside) if beside.exists() else shutil.which(BINARY)
    if found is None:
        raise UserError(f"{BINARY} is not installed", hint="make setup builds it")
    return found


class Engine:
    """A running engine on a host: one command, one answer. It ends with its input, whatever ends us."""

    def __init__(self, host: Host, cpus: Sequence[int], log: Path) -> None:
        """Raises UserError where it cannot be started."""
        spec = Spec(
            argv=(find_binary(), "drive"),
            cwd=Path.cwd(),
            env={"PATH": host.programs().path, "LC_ALL": "C"},
            cpus=frozenset(cpus),
            stderr=log,
            piped=True,
        )
        self._host = host
        self._log = log
        try:
            self._handle = host.start(spec)
        except StartError as error:
            raise UserError(str(error), code=ExitCode.NOTHING_MEASURED) from error

    def open(self, target: str, url: str, connections: int, **what: Any) -> None:
        """Connect to a target. `what`: the protocol's own fields (`request`, `expect`, ...)."""
        fields = {
            "target": target,
            "url": url,
            "connections": connections,
            "timeout_ms": REQUEST_TIMEOUT_MS,
            **what,
        }
        self._ask("open", fields, REQUEST_TIMEOUT_MS / 1000 + SILENCE_S)

    def turn(self, target: str, token: str, lead_in_ms: int, counted_ms: int, **more: Any) -> dict[str, Any]:
        """Load one target for one slice: what the engine counted."""
        fields = {
            "target": target,
            "token": token,
            "lead_in_ms": lead_in_ms,
            "counted_ms": counted_ms,
            **more,
        }
        answer = self._ask("turn", fields, (lead_in_ms + counted_ms) / 1000 + SILENCE_S)
        del answer["event"], answer["target"]
        return answer

    def histogram(self, target: str) -> Counted:
        """What was counted since the last call, over all slices."""
        answer = self._ask("histogram", {"target": target, "reset": True}, SILENCE_S)
        return Counted(str(answer["hdr"]), answer.get("service_hdr"), tuple(answer.get("by_request", ())))

    def runqueue_wait_ns(self) -> int | None:
        """How long it has waited for its CPU so far; None where the kernel does not tell."""
        try:
            return self._host.usage(self._handle, memory=False).runqueue_wait_ns
        except ExitedError as error:
            raise self._ended(error) from error

    def close_target(self, target: str) -> None:
        self._ask("close", {"target": target}, SILENCE_S)

    def close(self) -> None:
        """End the engine: politely, then at once."""
        self._host.stop(self._handle, STOP_GRACE_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def _ask(self, what: str, fields: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        try:
            self._host.send(self._handle, json.dumps({"cmd": what, **fields}).encode())
            answer: dict[str, Any] = json.loads(self._host.receive(self._handle, timeout_s))
        except TimeoutError as error:
            raise self._lost(f"gave no answer to {what} within {timeout_s:.0f} s") from error
        except ExitedError as error:
            raise self._ended(error) from error
        if answer["event"] == "error":
            raise LoadError(answer["kind"], answer["message"])
        return answer

    def _ended(self, error: ExitedError) -> UserError:
        status = error.exit.code if error.exit.signal is None else -error.exit.signal
        return self._lost(f"ended with {status}")

    def _lost(self, how: str) -> UserError:
        return UserError(f"{BINARY} {how}; its log is {self._log}", code=ExitCode.NOTHING_MEASURED)
