"""Builds and conformance without a race: what `deadheat build` and `deadheat check` do."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from deadheat.app import own_database
from deadheat.build import times as build_times
from deadheat.build.builder import Builder
from deadheat.build.built import Build
from deadheat.hosts import Host
from deadheat.hosts.held import this_machine
from deadheat.kinds import alone
from deadheat.kinds.registry import KINDS
from deadheat.model.artifact import BuildTimes
from deadheat.model.contender import Contender
from deadheat.model.http_protocol import HttpProtocol, why_not
from deadheat.plan import protocol as of_protocol
from deadheat.run import answers
from deadheat.run.kind import RaceUnavailableError
from deadheat.suite.suite import Suite
from deadheat.util.interrupt import Stop

# What a race is told of where its answers were asked.
CHECK = "deadheat check"
Say = Callable[[str], None]


@dataclass(frozen=True)
class CheckedContender:
    """What became of one contender."""

    workload: str
    id: str
    state: Literal["right", "wrong", "unavailable", "failed"]
    detail: str
    exchange: str | None = None


def build(suite: Suite, ids: Sequence[str], say: Say) -> Iterator[Build]:
    """Build these contenders, or all."""
    with this_machine("deadheat build") as (host, stop):
        builder = Builder(host, stop)
        for contender in _selected(suite, ids):
            stop.check()
            yield builder.build(contender, _saying(say, contender))


def time_builds(suite: Suite, ids: Sequence[str], times: int, say: Say) -> dict[str, BuildTimes]:
    """Build these contenders, or all, so many times by turns. Raises UserError."""
    with this_machine("deadheat build") as (host, stop):
        return build_times.measure(_selected(suite, ids), times, host, stop, say)


def check(
    suite: Suite,
    ids: Sequence[str],
    say: Say,
    protocol: HttpProtocol | None = None,
    *,
    db_url: str | None = None,
    remote: bool = False,
) -> Iterator[CheckedContender]:
    """Build these contenders (or all) and ask them everything that conformance asks; with a protocol over
    that, and those of HTTP workloads alone; with the URL of a PostgreSQL against that, which may be another
    machine's if `remote`, and those of workloads with a database alone. Raises UserError where none is of
    one."""
    selected = _selected(suite, ids)
    if db_url is not None:
        own_database.looked([suite.workloads[one.workload] for one in selected], db_url, remote=remote)
        selected = [one for one in selected if suite.workloads[one.workload].database is not None]
    if protocol is not None:
        of_http = {one.name for one in of_protocol.can_be([*suite.workloads.values()], protocol)}
        for contender in selected:
            if ids and contender.workload not in of_http:
                of_protocol.refuse(suite.workloads[contender.workload], protocol)
        selected = [contender for contender in selected if contender.workload in of_http]
    with (
        this_machine(CHECK) as (host, stop),
        tempfile.TemporaryDirectory(prefix="deadheat-check-") as logs,
    ):
        builder = Builder(host, stop)
        for contender in selected:
            stop.check()
            way = contender if protocol is None else contender.speaking(protocol)
            if way is None:
                assert protocol is not None
                yield CheckedContender(contender.workload, contender.id, "unavailable", why_not(protocol))
                continue
            built = builder.build(way, _saying(say, contender))
            record = built.record
            if record.status != "ready":
                said = "\n".join(record.tail) or None
                yield CheckedContender(
                    contender.workload, contender.id, record.status, record.reason or "", said
                )
                continue
            say(f"checking {contender.workload}/{contender.id}")
            yield _checked(suite, contender, built, host, stop, Path(logs), protocol, db_url)


def _checked(
    suite: Suite,
    contender: Contender,
    built: Build,
    host: Host,
    stop: Stop,
    logs: Path,
    protocol: HttpProtocol | None,
    db_url: str | None,
) -> CheckedContender:
    workload = suite.workloads[contender.workload]
    if workload.kind not in KINDS:
        return CheckedContender(
            contender.workload, contender.id, "unavailable", f"kind {workload.kind} is not known here"
        )
    stage = alone.stage(
        suite,
        contender.workload,
        [built],
        host=host,
        stop=stop,
        logs=logs,
        protocol=protocol,
        db_url=db_url,
    )
    try:
        check = KINDS[workload.kind].check(stage, contender.id)
    except RaceUnavailableError as error:
        return CheckedContender(contender.workload, contender.id, "unavailable", str(error))
    checked = answers.observed(stage, contender.id, check, run=CHECK)
    if checked.ok:
        agreed = () if checked.agreed is None else (checked.agreed,)
        detail = "; ".join((f"{checked.cases} cases", *agreed, *checked.remarks))
        return CheckedContender(contender.workload, contender.id, "right", detail)
    return CheckedContender(contender.workload, contender.id, "wrong", checked.reason or "", checked.exchange)


def _selected(suite: Suite, ids: Sequence[str]) -> list[Contender]:
    if not ids:
        return [contender for contenders in suite.contenders.values() for contender in contenders]
    return [contender for id_ in ids for contender in suite.find(id_, suite.workloads)]


def _saying(say: Say, contender: Contender) -> Say:
    return lambda what: say(f"{what} {contender.workload}/{contender.id}")
