"""A workload apart from any race: to be checked, explained, or for what its services are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from deadheat import plan as planning
from deadheat.build.built import Build
from deadheat.hosts import Host
from deadheat.hosts.cpus import default_cpus
from deadheat.kinds.registry import KINDS
from deadheat.model.http_protocol import HttpProtocol
from deadheat.plan import Asked
from deadheat.run.kind import Stage
from deadheat.run.progress import NoView
from deadheat.suite.suite import Suite
from deadheat.util.interrupt import Stop


def stage(
    suite: Suite,
    workload: str,
    builds: Sequence[Build] = (),
    *,
    host: Host,
    stop: Stop,
    logs: Path,
    protocol: HttpProtocol | None = None,
    db_url: str | None = None,
) -> Stage:
    """The stage of its first race, of these builds' contenders or those that race by default, on the CPUs
    that are usual."""
    cpus = default_cpus(host.cores())
    asked = Asked(
        workloads=(workload,),
        contenders=tuple(build.contender.id for build in builds),
        protocol=protocol,
        server_cpus=cpus.servers,
        generator_cpus=cpus.generators,
        services_cpus=cpus.services,
    )
    plan = planning.plan(asked, suite, tuple(KINDS))
    by_id = {build.contender.id: build for build in builds}
    return Stage.of(
        plan,
        plan.workloads[0],
        suite,
        by_id,
        host=host,
        view=NoView(),
        stop=stop,
        logs=logs,
        db_url=db_url if suite.workloads[workload].database is not None else None,
    )
