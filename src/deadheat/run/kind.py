"""What every kind does, and what it has to do it with."""

from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, Self

from deadheat.build import command
from deadheat.build.built import Build
from deadheat.generators.engine import Engine
from deadheat.generators.load_generator import LoadGenerator
from deadheat.generators.several import Clock, Member, Several
from deadheat.hosts import Host
from deadheat.hosts.cpus import all_of
from deadheat.hosts.program import InContainer, Spec
from deadheat.model.address import Address
from deadheat.model.contender import Contender
from deadheat.model.http_protocol import HTTP2, OVER_TLS
from deadheat.model.observation import Observation
from deadheat.model.plan import Plan, RacePlan
from deadheat.model.service import Service
from deadheat.model.workload import Workload
from deadheat.plan.schedule import Block
from deadheat.run.check import Check
from deadheat.run.progress import View
from deadheat.suite.suite import Suite
from deadheat.util.interrupt import Stop

LOOPBACK = "127.0.0.1"
# How a folder among a run's logs ends that is of no use after it: what starts of a service have copies of.
TEMPLATE = ".template"
EVERY_ADDRESS = "0.0.0.0"


class RaceUnavailableError(Exception):
    """What a whole race needs (its server, its generator) cannot be had here; the message says why."""


@dataclass(frozen=True)
class Certificate:
    """What servers show over TLS, and its key: PEM files."""

    chain: Path
    key: Path


@dataclass(frozen=True)
class Stage:
    """A race about to be run: what is raced, where, and who is told; `observed` so far in this run.

    `addresses` of its services, by what run lines call them, `of_entries` what those of one entry may say
    beside that. `rows` of each database, and what requests are `drawn` from, by the names that stand for
    them in braces. `services_cpu_ns`: CPU time that its services have used so far, where it has any.
    `settle` is called with an entry before its server is frozen: it waits until what that began with a
    service has ended. `db_url`: somebody's own PostgreSQL, with its password, in the place of the one that a
    workload's databases are made on. `environment`: what servers have beside their own. `certificate`: what
    servers show where they are asked over TLS, and all that is trusted there. `host` is where the servers run
    (or the programs), `load_from` where their load comes from, each a share of it, if elsewhere;
    `services_on` where services run, if on a machine of their own.
    """

    plan: Plan
    race: RacePlan
    workload: Workload
    workload_folder: Path
    builds: Mapping[str, Build]
    host: Host
    view: View
    stop: Stop
    logs: Path
    observed: Sequence[Observation] = ()
    addresses: Mapping[str, object] = field(default_factory=dict)
    of_entries: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    rows: Sequence[Mapping[str, str]] = ()
    drawn: Sequence[Mapping[str, str]] = ()
    services_cpu_ns: Callable[[], int | None] = lambda: None
    settle: Callable[[str], None] = lambda entry: None
    certificate: Certificate | None = None
    load_from: tuple[Host, ...] = ()
    services_on: Host | None = None
    db_url: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        plan: Plan,
        race: RacePlan,
        suite: Suite,
        builds: Mapping[str, Build],
        *,
        host: Host,
        view: View,
        stop: Stop,
        logs: Path,
        observed: Sequence[Observation] = (),
        load_from: tuple[Host, ...] = (),
        services_on: Host | None = None,
        db_url: str | None = None,
    ) -> Self:
        """A race of a suite's workload."""
        return cls(
            plan=plan,
            race=race,
            workload=suite.workloads[race.workload],
            workload_folder=suite.folder / race.workload,
            builds=builds,
            host=host,
            view=view,
            stop=stop,
            logs=logs,
            observed=observed,
            drawn=suite.values_of(race.workload),
            load_from=load_from,
            services_on=services_on,
            db_url=db_url,
        )

    @property
    def services(self) -> tuple[Service, ...]:
        """Those that are started for it: of somebody's own database none."""
        own = self.workload.database.service if self.db_url and self.workload.database else None
        return tuple(one for one in self.workload.services_at(self.race.values) if one.name != own)

    @property
    def server_cpus(self) -> tuple[int, ...]:
        """Of the servers of this race."""
        return self.plan.server_cpus if self.race.server_cpus is None else self.race.server_cpus

    @property
    def services_host(self) -> Host:
        """Where its services run: beside the servers unless said otherwise."""
        return self.host if self.services_on is None else self.services_on

    @property
    def services_address(self) -> str:
        """Where its services listen: beside the servers nobody else is to reach them."""
        return LOOPBACK if self.services_on is None else self.services_on.address

    @property
    def services_cpus(self) -> tuple[int, ...]:
        """What its services have: beside the servers those of the plan that this race leaves, or the load's
        CPUs; on a machine of their own all."""
        if self.services_on is not None:
            return all_of(self.services_on.cores())
        left = tuple(cpu for cpu in self.plan.services_cpus if cpu not in self.server_cpus)
        return left or self.plan.generator_cpus

    def loads_beside(self, cpus: Collection[int]) -> bool:
        """Whether the load generator has any of these CPUs of its services."""
        elsewhere = self.services_on is not None or self.load_from
        return not elsewhere and not set(cpus).isdisjoint(self.plan.generator_cpus)

    @property
    def generator_host(self) -> Host:
        """Where the load generator runs, the first of several: beside the servers unless said otherwise."""
        return self.load_from[0] if self.load_from else self.host

    def load_generator(self) -> LoadGenerator:
        """Start one on each host that load comes from, on the generators' CPUs there. Raises UserError."""
        if not self.load_from:
            return Engine(self.host, self.plan.generator_cpus, self.logs / "engine.log")
        with ExitStack() as started:
            members = []
            for number, host in enumerate(self.load_from, 1):
                log = self.logs / f"engine-{number}.log"
                engine = started.enter_context(Engine(host, self.plan.generator_cpus, log))
                members.append(Member(host.address, engine, Clock.of(host, self.host)))
            started.pop_all()
            return Several(members, self.host.now_ns, self.view.warn)

    def build(self, entry: str) -> Build:
        """The build of an entry of the race."""
        contender = next(e.contender for e in self.race.entries if e.id == entry)
        return self.builds[contender]

    def spec(
        self,
        entry: str,
        values: Mapping[str, object],
        args: Sequence[str] = (),
        *,
        output: str | None = None,
        time_limit_s: float | None = None,
        peak_memory: bool = False,
    ) -> Spec:
        """How an entry is started: on the server's CPUs, in its build's folder, in a clean environment.

        `output` names its log; stdout and stderr are kept apart, as `<output>.out` and `<output>.err`.
        """
        build = self.build(entry)
        assert build.folder is not None
        name = (output or entry).replace(":", "+")
        known: dict[str, object] = {"cpus": len(self.server_cpus), "host": self.host.address}
        if self.certificate is not None:
            known |= {"tls_cert": self.certificate.chain, "tls_key": self.certificate.key}
        known |= {**self.race.values, **self.addresses, **self.of_entries.get(entry, {}), **values}
        container = None
        if build.contender.contained:
            assert build.record.image is not None
            container = in_container(build.contender, build.record.image, self.plan.run, known)
        words = command.argv(build.contender, known, args)
        return Spec(
            # Messages call a program by its first word; one that runs already has no others.
            argv=(build.contender.title, *words) if container else words or (build.contender.title,),
            cwd=build.folder,
            env={
                **self.environment,
                **(command.of_container if container else command.environment)(build.contender, known),
            },
            container=container,
            network=self.network(entry),
            cpus=frozenset(self.server_cpus),
            stdout=self.logs / f"{name}.out",
            stderr=self.logs / f"{name}.err",
            time_limit_s=time_limit_s,
            peak_memory=peak_memory,
            attached=build.contender.listens,
            freezes=build.contender.freezes,
            elsewhere=build.contender.elsewhere,
        )

    def port(self, entry: str) -> int:
        """Where a server listens: a free port, or its own, or that of one that runs already."""
        contender = self.build(entry).contender
        if contender.at is not None:
            return contender.at.port
        if contender.fixed_port is not None:
            return contender.fixed_port
        return self.host.free_port() if contender.listens is None else contender.listens

    def address(self, entry: str, port: int) -> Address:
        """Where a server that listens at a port is asked."""
        protocol = self.race.protocol
        return self.build(entry).contender.at or Address(
            host=self.host.address,
            port=port,
            https=protocol in OVER_TLS,
            http2=protocol in HTTP2,
            cacert=self.certificate.chain if self.certificate is not None else None,
            network=self.network(entry),
        )

    def network(self, entry: str) -> Path | None:
        """That of a server that listens at a port of its own, where others would too; None of all others. In
        a container the engine gives it one. Raises UserError where none can be had."""
        return None if self.build(entry).contender.fixed_port is None else self.host.network(entry)


def in_container(contender: Contender, image: str, run: str, known: dict[str, object]) -> InContainer:
    """How a contender's image, of this id, is run for a run. It is reached at the port that is `known`: which
    becomes the one at which it listens, and the host every address, where its network is its own."""
    reached = int(str(known["port"]))
    if contender.port is not None:
        known |= {"port": contender.port, "host": EVERY_ADDRESS}
    return InContainer(image, run, reached, contender.port)


class Kind(Protocol):
    """One way to drive a workload."""

    def unavailable(self, stage: Stage) -> str | None:
        """Why the whole race cannot be run here, or None."""

    def check(self, stage: Stage, entry: str) -> Check:
        """Full conformance of one entry, alone, before any timing."""

    def block(self, stage: Stage, block: Block) -> Generator[Observation]:
        """One block: fresh starts, turns in the block's order, stops. A contender that fails is
        observed as `Failed` and left out of the rest; closing the iterator stops all it started."""
