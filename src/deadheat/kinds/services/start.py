"""Services are started: fresh, on CPUs that the contenders do not use, and stopped with a stack."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from deadheat.build import command, toolchain
from deadheat.hosts import Handle, StartError
from deadheat.hosts.program import Spec
from deadheat.kinds.server.started import NotServingError, started_server
from deadheat.kinds.services import ordinary_user, probe
from deadheat.kinds.services.running import AllRunning, Running, placeholders_of
from deadheat.model.parameter import Setting
from deadheat.model.service import Service
from deadheat.run.kind import TEMPLATE, RaceUnavailableError, Stage

PREPARED_WITHIN_S = 120.0


def lacking(stage: Stage) -> str | None:
    """Why the services of a race cannot be had here, or None."""
    return missing(stage.workload.services_at(stage.race.values))


def missing(services: Sequence[Service]) -> str | None:
    """Why one of these services cannot be had here, or None."""
    return next(filter(None, map(_missing, services)), None)


def _missing(service: Service) -> str | None:
    other = ordinary_user.needed(service.refuses_root)
    return toolchain.missing(service.needs) or (ordinary_user.missing() if other else None)


def beside(
    stage: Stage, stack: ExitStack, values: Mapping[str, Setting | None] | None = None
) -> tuple[Stage, AllRunning]:
    """All services of a race, or those at other `values` of its parameters, and the stage that has their
    addresses.

    Raises RaceUnavailableError where one cannot run.
    """
    services = stage.workload.services_at(stage.race.values if values is None else values)
    shares = shared_out(stage.plan.generator_cpus, len(services))
    running = tuple(start(stage, one, stack, cpus) for one, cpus in zip(services, shares, strict=True))
    every = AllRunning(running)
    return replace(stage, addresses=addresses(running), services_cpu_ns=every.cpu_ns), every


def shared_out(cpus: Sequence[int], services: int) -> tuple[frozenset[int], ...]:
    """The CPUs of each service: its own where there are enough, else all of them for each."""
    if len(cpus) < services:
        return (frozenset(cpus),) * services
    return tuple(frozenset(cpus[place::services]) for place in range(services))


def addresses(running: Sequence[Running]) -> dict[str, object]:
    """What run lines and environments of contenders may say of them."""
    found: dict[str, object] = {}
    for one in running:
        found |= placeholders_of(one.service.name, one.stage.host.address, one.port)
    return found


def start(stage: Stage, service: Service, stack: ExitStack, cpus: frozenset[int] | None = None) -> Running:
    """One service, with data of its own, on CPUs that the contenders do not use.

    Raises RaceUnavailableError where it cannot run: without it there is nothing to measure.
    """
    if (why := missing([service])) is not None:
        raise RaceUnavailableError(why)
    port = stage.host.free_port()
    cpus = frozenset(stage.plan.generator_cpus) if cpus is None else cpus
    name = f"{service.name}-server-{port}"
    other = ordinary_user.needed(service.refuses_root)
    home = ordinary_user.folder(service.name) if other else stage.logs
    data = home / f"{name}.data"
    values: dict[str, object] = {"host": stage.host.address, "port": port, "data": data.absolute()}
    values |= {"cpus": len(cpus), "python": sys.executable}
    words = probe.argv(service.run, values)
    spec = Spec(
        argv=ordinary_user.argv(words) if other else words,
        cwd=home,
        env={"PATH": command.path()}
        | {name: probe.fill(value, values) for name, value in service.env.items()},
        cpus=cpus,
        stdout=stage.logs / f"{name}.out",
        stderr=stage.logs / f"{name}.err",
    )

    def complaint(handle: Handle) -> str | None:
        """None once it answers, and not another in its place: that one's data would be dropped."""
        probe.ask(stage, service.ready, port, values)
        ours = stage.host.collect(handle).ports
        return None if port in ours else f"another program answers on port {port}"

    stack.callback(shutil.rmtree, home if other else data, ignore_errors=True)
    try:
        _fresh_data(stage, service, data, values)
        if other:
            ordinary_user.give(data)
        serving = stack.enter_context(
            started_server(
                stage.host,
                spec,
                port,
                complaint,
                stage.stop,
                timeout_s=service.ready_within_s,
                grace_s=service.stops_within_s,
            )
        )
    except StartError as error:
        raise RaceUnavailableError(str(error)) from error
    except (NotServingError, OSError) as error:
        raise RaceUnavailableError(f"{words[0]}: {error}") from error
    version = toolchain.version_of(service.needs[0].split()[0]) if service.needs else None
    return Running(stage, service, serving.handle, port, values, cpus, version, serving.ready_ns)


def _fresh_data(stage: Stage, service: Service, data: Path, values: Mapping[str, object]) -> None:
    """An empty folder, or a copy of what `prepare` left in one. Raises OSError."""
    if service.prepare is None:
        data.mkdir()
        return
    template = stage.logs / f"{service.name}{TEMPLATE}"
    if not template.exists():
        _prepare(stage, service, service.prepare, template, values)
    shutil.copytree(template, data, symlinks=True)


def _prepare(stage: Stage, service: Service, line: str, template: Path, values: Mapping[str, object]) -> None:
    """The folder that each start has a copy of, whole or not there at all. Raises OSError."""
    other = ordinary_user.needed(service.refuses_root)
    home = ordinary_user.folder(service.name) if other else stage.logs
    made = home / f"{service.name}.making"
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(mode=0o700)
    if other:
        ordinary_user.give(made)
    probe.run(
        stage, line, {**values, "data": made.absolute()}, PREPARED_WITHIN_S, as_user=home if other else None
    )
    if other:  # maybe on another file system, from where a folder does not move at once
        made = Path(shutil.move(made, template.with_suffix(".making")))
        shutil.rmtree(home, ignore_errors=True)
    made.rename(template)
