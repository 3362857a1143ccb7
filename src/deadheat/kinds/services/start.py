"""Services are started: fresh, on CPUs that the contenders do not use, and stopped with a stack."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from deadheat.build import container_image, toolchain
from deadheat.build.container_image import Image
from deadheat.errors import UserError
from deadheat.hosts import Handle, Host, StartError
from deadheat.hosts.program import InContainer, Spec
from deadheat.kinds.server.started import NotServingError, Serving, started_server
from deadheat.kinds.services import folders, ordinary_user, probe
from deadheat.kinds.services.running import AllRunning, Running, placeholders_of
from deadheat.model.parameter import Setting
from deadheat.model.service import Service
from deadheat.run.kind import TEMPLATE, RaceUnavailableError, Stage

PREPARED_WITHIN_S = 120.0
FILLED_WITHIN_S = 600.0
LISTENS_WITHIN_S = 1.0


def lacking(stage: Stage) -> str | None:
    """Why the services of a race cannot be had here, or None."""
    why = missing(stage.services_host, stage.services)
    if why is None and stage.services_on is not None:
        return next(filter(None, map(_let_in_by, stage.services)), None)
    return why


def missing(host: Host, services: Sequence[Service]) -> str | None:
    """Why one of these services cannot be had here, or None."""
    return next(filter(None, (_missing(host, service) for service in services)), None)


def _let_in_by(service: Service) -> str | None:
    """Why a service cannot run on a machine of its own, as anybody would be let in there, or None."""
    lines = (service.prepare, service.run, service.args, *service.env.values())
    if any("{client}" in line for line in lines if line):
        return None
    return (
        f"{service.name} cannot run on another machine than the servers: no line of it says {{client}}, the "
        "network that it lets in"
    )


def _missing(host: Host, service: Service) -> str | None:
    other = ordinary_user.needed(host, service.refuses_root)
    lacking = toolchain.missing(host, service.needs) or (ordinary_user.missing(host) if other else None)
    if lacking is None and service.image is not None:
        try:
            _image(host, service.image)
        except OSError as error:
            return str(error)
    return lacking


def _image(host: Host, name: str) -> Image:
    """The image of that name. Raises OSError where there is none, or no engine."""
    try:
        return container_image.there(host, name)
    except UserError as error:
        raise OSError(f"{error.message}{f'; {error.hint}' if error.hint else ''}") from error


def beside(
    stage: Stage,
    stack: ExitStack,
    entries: Sequence[str],
    values: Mapping[str, Setting | None] | None = None,
) -> tuple[Stage, AllRunning]:
    """All services of a race, or those at other `values` of its parameters, and the stage that has their
    addresses; of those that each entry has for itself, one for each of `entries`.

    Raises RaceUnavailableError where one cannot run.
    """
    services = stage.services if values is None else stage.workload.services_at(values)
    shares = shared_out(stage.services_cpus, len(services))
    running = tuple(
        start(stage, one, stack, cpus, entry)
        for one, cpus in zip(services, shares, strict=True)
        for entry in (entries if one.of_each else (None,))
    )
    every = AllRunning(running)
    own = {entry: addresses([one for one in running if one.entry == entry]) for entry in entries}
    shared = addresses([one for one in running if one.entry is None])
    return replace(stage, addresses=shared, of_entries=own, services_cpu_ns=every.cpu_ns), every


def _network(address: str) -> str:
    """Of one address alone: `127.0.0.1/32`; a name stays one."""
    try:
        return str(ipaddress.ip_network(address))
    except ValueError:
        return address


def shared_out(cpus: Sequence[int], services: int) -> tuple[frozenset[int], ...]:
    """The CPUs of each service: its own where there are enough, else all of them for each."""
    if len(cpus) < services:
        return (frozenset(cpus),) * services
    return tuple(frozenset(cpus[place::services]) for place in range(services))


def addresses(running: Sequence[Running]) -> dict[str, object]:
    """What run lines and environments of contenders may say of them."""
    found: dict[str, object] = {}
    for one in running:
        found |= placeholders_of(one.service.name, one.stage.services_address, one.port)
    return found


def start(
    stage: Stage,
    service: Service,
    stack: ExitStack,
    cpus: frozenset[int] | None = None,
    entry: str | None = None,
) -> Running:
    """One service, with data of its own, on CPUs that the contenders do not use.

    Raises RaceUnavailableError where it cannot run: without it there is nothing to measure.
    """
    if (why := missing(stage.services_host, [service])) is not None:
        raise RaceUnavailableError(why)
    cpus = frozenset(stage.services_cpus) if cpus is None else cpus
    starting = _Starting(stage, service, stage.services_host.free_port(), cpus)
    try:
        serving, values = starting.start(stack)
    except StartError as error:
        raise RaceUnavailableError(str(error)) from error
    except (NotServingError, OSError) as error:
        raise RaceUnavailableError(f"{starting.program}: {error}") from error
    version = (
        toolchain.version_of(stage.services_host, service.needs[0].split()[0]) if service.needs else None
    )
    return Running(
        stage,
        service,
        serving.handle,
        starting.port,
        values,
        cpus,
        version,
        serving.ready_ns,
        starting.log(starting.name),
        entry,
    )


@dataclass(frozen=True)
class _Starting:
    """A service that is about to run, at a port."""

    stage: Stage
    service: Service
    port: int
    cpus: frozenset[int]

    @property
    def host(self) -> Host:
        """Where it runs, and its data is."""
        return self.stage.services_host

    @property
    def name(self) -> str:
        """Of its files in this run."""
        return f"{self.service.name}-server-{self.port}"

    def log(self, name: str) -> Path:
        """What it says of itself."""
        return self.stage.logs / f"{name}.err"

    @property
    def program(self) -> str:
        """What it is called in messages."""
        return self.service.program

    @property
    def as_other(self) -> bool:
        """Whether an ordinary user has to run it."""
        return ordinary_user.needed(self.host, self.service.refuses_root)

    def start(self, stack: ExitStack) -> tuple[Serving, dict[str, object]]:
        """With fresh data, until the stack ends; and what its lines may say of it.

        Raises OSError, StartError, NotServingError.
        """
        home = ordinary_user.folder(self.host, self.service.name) if self.as_other else self.stage.logs
        data = home / f"{self.name}.data"
        stack.callback(folders.remove, self.host, home if self.as_other else data)
        self._fresh(data)
        serving = stack.enter_context(self._serving(home, data, self.name))
        if self.service.prepare is None:
            self._fill()
        return serving, self._values(data)

    def _values(self, data: Path) -> dict[str, object]:
        host = self.stage.services_address
        values: dict[str, object] = {"host": host, "port": self.port, "data": data.absolute()}
        values["client"] = _network(self.stage.host.address)
        return values | {"cpus": len(self.cpus), "python": self.host.programs().python}

    def _serving(self, home: Path, data: Path, log: str) -> AbstractContextManager[Serving]:
        """It, on this data, until it answers; it is stopped at the end."""
        stage, service, values = self.stage, self.service, self._values(data)
        container = self._container()
        if container is None:
            words, env = probe.argv(service.run, values), {"PATH": self.host.programs().path}
        else:
            values |= {"port": service.port or self.port}
            words, env = (service.program, *probe.argv(service.args or "", values)), {"PORT": "{port}"}
        spec = Spec(
            argv=ordinary_user.argv(self.host, words) if self.as_other else words,
            cwd=home,
            env={name: probe.fill(value, values) for name, value in (env | service.env).items()},
            cpus=self.cpus,
            stdout=stage.logs / f"{log}.out",
            stderr=self.log(log),
            container=container,
        )
        values = self._values(data)  # of whoever asks it, from without

        def complaint(handle: Handle) -> str | None:
            """None once it answers, and not another in its place: that one's data would be dropped."""
            if service.ready is None:
                socket.create_connection((stage.services_address, self.port), LISTENS_WITHIN_S).close()
            else:
                probe.ask(stage, service.ready, self.port, values)
            ours = self.host.collect(handle).ports
            return None if self.port in ours else f"another program answers on port {self.port}"

        return started_server(
            self.host,
            spec,
            self.port,
            complaint,
            stage.stop,
            timeout_s=service.ready_within_s,
            grace_s=service.stops_within_s,
        )

    def _container(self) -> InContainer | None:
        """How its image is run, where it has one. Raises OSError."""
        if self.service.image is None:
            return None
        image = _image(self.host, self.service.image)
        return InContainer(image.id, self.stage.plan.run, self.port, self.service.port)

    def _fill(self) -> None:
        """What its fixture says, while it serves. Raises OSError."""
        if self.service.fixture is None:
            return
        stage = self.stage
        values = {
            "port": self.port,
            "python": stage.host.programs().python,
            **placeholders_of(self.service.name, stage.services_address, self.port),
        }
        try:
            probe.run(
                stage, stage.host, self.service.fixture, values, FILLED_WITHIN_S, folder=stage.workload_folder
            )
        except OSError as error:
            raise OSError(f"its fixture: {error}") from error

    def _fresh(self, data: Path) -> None:
        """An empty folder, or a copy of what `prepare` and the fixture left in one. Raises OSError."""
        if self.service.prepare is None:
            folders.make(self.host, data)
        else:
            template = self.stage.logs / f"{self.service.name}{TEMPLATE}"
            if not folders.is_there(self.host, template):
                self._prepare(self.service.prepare, template)
            folders.copy(self.host, template, data)
        if self.as_other:
            ordinary_user.give(self.host, data)

    def _prepare(self, line: str, template: Path) -> None:
        """The folder that each start has a copy of, whole or not there at all. Raises OSError."""
        host, moving = self.host, template.with_suffix(".making")
        home = ordinary_user.folder(host, self.service.name) if self.as_other else self.stage.logs
        made = home / moving.name
        try:
            folders.remove(host, moving)
            folders.make(host, made)
            if self.as_other:
                ordinary_user.give(host, made)
            as_user = home if self.as_other else None
            probe.run(self.stage, host, line, self._values(made), PREPARED_WITHIN_S, as_user=as_user)
            if self.service.fixture is not None:
                # At a port of its own, which the kernel may keep for a while.
                apart = replace(self, port=host.free_port())
                with apart._serving(home, made, f"{self.service.name}-fixture"):
                    apart._fill()
            if self.as_other:  # maybe on another file system, from where a folder does not move at once
                folders.move(host, made, moving)
        finally:
            if self.as_other:
                folders.remove(host, home)
        folders.move(host, moving, template)
