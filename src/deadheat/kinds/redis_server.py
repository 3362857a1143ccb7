"""The Redis that client programs are raced against: a real one of our own, or the engine's sink."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from deadheat import command, hosts, toolchain
from deadheat.conformance import Wrong
from deadheat.generators.engine import find_binary
from deadheat.hosts import ExitedError, Handle, NotReadyError, StartError
from deadheat.kinds.base import RaceUnavailableError, Stage
from deadheat.program import Exit, Spec

REDIS, SINK = "redis", "sink"
READY_TIMEOUT_S = 10.0
STOP_GRACE_S = 2.0
ANSWER_TIMEOUT_S = 5.0
# A connection is lost a moment before its server's end is known.
ENDED_WITHIN_S = 0.5


@dataclass(frozen=True)
class RedisServer:
    """A running server. It is ours: its data may be dropped, and it goes with the stack it was given."""

    stage: Stage
    handle: Handle
    port: int

    def flush(self) -> None:
        """Drop all data, so that each invocation finds the server as the first one did."""
        self.ask("FLUSHALL", "+OK")

    def cpu_ns(self) -> int:
        """CPU time it has used so far."""
        return self.stage.host.usage(self.handle, memory=False).cpu.total_ns

    @contextmanager
    def beside(self, entry: str) -> Iterator[None]:
        """A client runs meanwhile. What goes wrong because the server has ended is not its fault.

        Raises RaceUnavailableError then, and where the server does not answer the referee as a Redis does;
        a Wrong while the server goes on is the client's, and passes.
        """
        try:
            yield
        except (OSError, Wrong, ExitedError) as error:
            ended = self._ended()
            if ended is None and isinstance(error, Wrong):
                raise
            what = f": {error}" if ended is None else f" {ended.describe()}"
            name = Path(self.handle.name).name
            raise RaceUnavailableError(f"{name}{what}, while {entry} ran{self.last_line()}") from error

    def last_line(self) -> str:
        """What it said last, as the end of a sentence."""
        tail = self.stage.host.collect(self.handle).output_tail.strip().splitlines()
        return f"; its last line: {tail[-1]}" if tail else ""

    def _ended(self) -> Exit | None:
        for event in self.stage.host.events(self.handle, ENDED_WITHIN_S):
            return event.exit
        return self.stage.host.collect(self.handle).exit

    def complaint(self) -> str | None:
        """None once it answers, and not another in its place: that one's data would be dropped."""
        self.ask("PING", "+PONG")
        ours = self.stage.host.collect(self.handle).ports
        return None if self.port in ours else f"another program answers on port {self.port}"

    def ask(self, inline: str, expected: str) -> None:
        """An inline command and its one-line answer. Raises OSError where it is another."""
        with socket.create_connection((self.stage.host.address, self.port), ANSWER_TIMEOUT_S) as connection:
            connection.sendall(inline.encode() + b"\r\n")
            with connection.makefile("rb") as reader:
                answer = reader.readline(256).decode(errors="replace").strip()
        if answer != expected:
            raise OSError(f"{inline} was answered by {answer!r}")


def start(stage: Stage, program: str, stack: ExitStack) -> RedisServer:
    """Start a server (`redis`, `valkey`, `sink`), fresh, on the CPUs that the contenders do not use.

    Raises RaceUnavailableError where it cannot run: without a server there is nothing to measure.
    """
    port = stage.host.free_port()
    name = f"{program}-server-{port}"
    spec = Spec(
        argv=_argv(program, port),
        cwd=stage.logs,
        env={"PATH": command.path()},
        cpus=frozenset(stage.plan.generator_cpus),
        stdout=stage.logs / f"{name}.out",
        stderr=stage.logs / f"{name}.err",
    )
    try:
        handle = stage.host.start(spec)
    except StartError as error:
        raise RaceUnavailableError(str(error)) from error
    stack.callback(stage.host.stop, handle, STOP_GRACE_S)
    server = RedisServer(stage, handle, port)
    try:
        hosts.ready(stage.host, handle, server.complaint, READY_TIMEOUT_S, stage.stop)
    except (ExitedError, NotReadyError) as error:
        raise RaceUnavailableError(f"{spec.argv[0]}: {error}{server.last_line()}") from error
    return server


def missing(program: str) -> str | None:
    """Why a server cannot be had here, or None."""
    return None if program == SINK else toolchain.missing((f"{program}-server",))


def _argv(program: str, port: int) -> tuple[str, ...]:
    if program == SINK:
        return (find_binary(), "serve", "redis", "--port", str(port))
    options = {"port": port, "bind": "127.0.0.1", "save": "", "appendonly": "no", "daemonize": "no"}
    words = (word for key, value in options.items() for word in (f"--{key}", str(value)))
    return (f"{program}-server", *words)
