"""Somebody's own PostgreSQL (`--db-url`) for the races of a plan whose workloads have a database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from deadheat.errors import UserError
from deadheat.hosts import Host, Spec, StartError
from deadheat.kinds.services import own_postgres
from deadheat.model.address import is_loopback
from deadheat.model.own_database import OwnDatabase
from deadheat.model.plan import Plan
from deadheat.model.workload import Workload
from deadheat.run.resume import ANEW


def looked(workloads: Iterable[Workload], url: str, *, remote: bool) -> OwnDatabase:
    """What that server is. Raises UserError."""
    having = [workload for workload in workloads if workload.database is not None]
    if not having:
        raise UserError(
            "--db-url is of workloads that have a [database]", hint="app-db, app-queries, app-updates, ..."
        )
    return own_postgres.look(url, _needs(having), remote=remote).record


def _needs(workloads: Iterable[Workload]) -> Iterator[str]:
    for workload in workloads:
        for service in workload.services:
            if workload.database is not None and service.name == workload.database.service:
                yield from service.needs


def taken_up(plan: Plan, url: str | None) -> str | None:
    """The URL for a run that goes on, `url` where it has the password. Raises UserError where it is another
    server than the run's."""
    was = next((race.own_database for race in plan.workloads if race.own_database is not None), None)
    if was is None:
        if url is not None:
            raise UserError(
                "this run has a PostgreSQL of the referee's own", hint=f"leave out --db-url; or {ANEW}"
            )
        return None
    now = own_postgres.look(url or was.url, (), remote=True).record
    for name, then, today in (("at", was.address, now.address), ("PostgreSQL", was.version, now.version)):
        if then != today:
            raise UserError(f"the database of this run was {name} {then}, and is {name} {today}", hint=ANEW)
    return url or was.url


def known_to(host: Host, plan: Plan, logs: Path, warn: Callable[[str], None]) -> None:
    """What a server of this machine uses is no interference, where it can be seen which process it is."""
    own = next((race.own_database for race in plan.workloads if race.own_database is not None), None)
    if own is None:
        return
    name, _, port = own.address.rpartition(":")
    if not is_loopback(name):
        return
    try:
        host.start(Spec(argv=("postgres",), cwd=logs, attached=int(port), freezes=False))
    except StartError as error:
        warn(f"{error}; what the database uses counts as other programs', and blocks as disturbed")
