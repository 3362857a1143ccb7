"""Another machine as a host: every verb is a call of its agent, and what comes back is as it was there."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from deadheat.cluster.pulse import why
from deadheat.errors import ExitCode, UserError
from deadheat.hosts.compilers import Compilers
from deadheat.hosts.container_engine import ContainerEngine
from deadheat.hosts.counters import Counters
from deadheat.hosts.cpus import Cores
from deadheat.hosts.images import Image
from deadheat.hosts.interference import Reading
from deadheat.hosts.machine import Machine
from deadheat.hosts.meter import Usage
from deadheat.hosts.output import Output
from deadheat.hosts.program import Exit, Spec
from deadheat.hosts.programs import Programs
from deadheat.hosts.protocol import Collected, Event, Handle


class RemoteHost:
    """The machine of an agent. `address`: where servers started there are reached from here."""

    def __init__(self, ray: Any, agent: Any, address: str) -> None:
        self._ray = ray
        self._agent = agent
        self.address = address

    def programs(self) -> Programs:
        found: Programs = self._ask("programs")
        return found

    def cores(self) -> Cores:
        found: Cores = self._ask("cores")
        return found

    def machine(self, window_s: float) -> Machine:
        found: Machine = self._ask("machine", window_s)
        return found

    def hold(self, what: str) -> None:
        self._ask("hold", what)

    def now_ns(self) -> int:
        return int(self._ask("now_ns"))

    def free_port(self) -> int:
        return int(self._ask("free_port"))

    def network(self, name: str) -> Path:
        raise UserError(
            f"{name} listens at a port of its own in a network of its own, which load from other machines "
            "does not reach",
            hint="let it take its port: {port} in its line, or PORT",
        )

    def start(self, spec: Spec) -> Handle:
        found: Handle = self._ask("start", spec)
        return found

    def events(self, handle: Handle, timeout_s: float) -> tuple[Event, ...]:
        found: tuple[Event, ...] = self._ask("events", handle, timeout_s)
        return found

    def stop(self, handle: Handle, grace_s: float) -> Exit:
        found: Exit = self._ask("stop", handle, grace_s)
        return found

    def collect(self, handle: Handle) -> Collected:
        found: Collected = self._ask("collect", handle)
        return found

    def send(self, handle: Handle, line: bytes) -> None:
        self._ask("send", handle, line)

    def receive(self, handle: Handle, timeout_s: float) -> bytes:
        found: bytes = self._ask("receive", handle, timeout_s)
        return found

    def freeze(self, handle: Handle) -> None:
        self._ask("freeze", handle)

    def thaw(self, handle: Handle) -> None:
        self._ask("thaw", handle)

    def compilers_on(self, handle: Handle, cpus: Collection[int] | None) -> Compilers:
        found: Compilers = self._ask("compilers_on", handle, cpus)
        return found

    def usage(self, handle: Handle, *, memory: bool) -> Usage:
        found: Usage = self._ask("usage", handle, memory=memory)
        return found

    def counters(self, handle: Handle) -> Counters:
        found: Counters = self._ask("counters", handle)
        return found

    def images(self, handle: Handle) -> tuple[Image, ...]:
        found: tuple[Image, ...] = self._ask("images", handle)
        return found

    def run(
        self, argv: Sequence[str], *, env: Mapping[str, str], timeout_s: float, stdin: str = ""
    ) -> Output:
        found: Output = self._ask("run", tuple(argv), env=dict(env), timeout_s=timeout_s, stdin=stdin)
        return found

    def container_engine(self) -> ContainerEngine:
        found: ContainerEngine = self._ask("container_engine")
        return found

    def interference(self, cpus: Collection[int]) -> Reading:
        found: Reading = self._ask("interference", tuple(cpus))
        return found

    def close(self) -> None:
        self._ask("close")

    def _ask(self, verb: str, *given: Any, **named: Any) -> Any:
        """What the verb returns there; raises what it raises there, and UserError once the agent is gone."""
        try:
            return self._ray.get(self._agent.on_host.remote(verb, *given, **named))
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause from None
        except self._ray.exceptions.RayError as error:
            raise UserError(
                f"{self.address} is lost: {why(error)}", code=ExitCode.NOTHING_MEASURED
            ) from error
