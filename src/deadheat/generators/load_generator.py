"""What a race needs of the program that loads servers: targets opened, slices, their figures."""

from __future__ import annotations

from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol, Self


class LoadError(Exception):
    """The generator says that a command failed: `kind` is one of its own words (refused, gone, ...)."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(kind, message)  # both, so that it can be pickled
        self.kind = kind
        self.message = message

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True)
class Counted:
    """Since the last call: latencies, HdrHistogram V2 in base64 (ns), `service_hdr` after an open loop from
    the actual sending, and `by_request`, of a mix, by the names of docs/engine-protocol.md. `by_host`: `hdr`
    of each generator, where they are several."""

    hdr: str
    service_hdr: str | None = None
    by_request: tuple[dict[str, Any], ...] = ()
    by_host: tuple[tuple[str, str], ...] = ()


class LoadGenerator(Protocol):
    """A running load generator. Many targets may be open at once; one at a time has load.

    A command that it cannot do raises LoadError; one that does not answer, or is gone, UserError.
    """

    def open(self, target: str, url: str, connections: int, **what: Any) -> None:
        """Connect to a server, which is `target` from here on. `what`: the protocol's own fields, as
        docs/engine-protocol.md has them (`request`, `expect`, ...)."""

    def turn(self, target: str, token: str, lead_in_ms: int, counted_ms: int, **more: Any) -> dict[str, Any]:
        """Load one target for one slice. What was counted, by the names of docs/engine-protocol.md; moments
        are on the clock of its host. `more`: a `rate`, how many `requests`, and `pids`, processes of its own
        host whose CPU time it reads at the edges of the counted part."""

    def histogram(self, target: str) -> Counted:
        """What was counted since the last call, over all slices."""

    def runqueue_wait_ns(self) -> int | None:
        """How long it has waited for its CPU so far; None where that is not known, and of several."""

    def close_target(self, target: str) -> None:
        """Close its connections."""

    def close(self) -> None:
        """End it, whatever it does."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None: ...
