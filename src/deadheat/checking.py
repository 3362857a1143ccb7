"""Builds and conformance without a race: what `deadheat build` and `deadheat check` do."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from deadheat import build_times, lock, machine, planning
from deadheat.build import Build, Builder
from deadheat.hosts.local import LocalHost
from deadheat.interrupt import Stop
from deadheat.kinds.base import RaceUnavailableError, Stage
from deadheat.kinds.registry import KINDS
from deadheat.model.artifact import BuildTimes
from deadheat.model.contender import Contender
from deadheat.planning import Asked
from deadheat.report.live import NoView
from deadheat.suite import Suite

Say = Callable[[str], None]


@dataclass(frozen=True)
class Found:
    """What became of one contender."""

    workload: str
    id: str
    state: Literal["right", "wrong", "unavailable", "failed"]
    detail: str
    exchange: str | None = None


def build(suite: Suite, ids: Sequence[str], say: Say) -> Iterator[Build]:
    """Build these contenders, or all."""
    with lock.machine("deadheat build"), Stop() as stop, LocalHost() as host:
        builder = Builder(host, stop)
        for contender in _selected(suite, ids):
            stop.check()
            yield builder.build(contender, _saying(say, contender))


def time_builds(suite: Suite, ids: Sequence[str], times: int, say: Say) -> dict[str, BuildTimes]:
    """Build these contenders, or all, so many times by turns. Raises UserError."""
    with lock.machine("deadheat build"), Stop() as stop, LocalHost() as host:
        return build_times.measure(_selected(suite, ids), times, host, stop, say)


def check(suite: Suite, ids: Sequence[str], say: Say) -> Iterator[Found]:
    """Build these contenders (or all) and ask them everything that conformance asks."""
    selected = _selected(suite, ids)
    with (
        lock.machine("deadheat check"),
        Stop() as stop,
        LocalHost() as host,
        tempfile.TemporaryDirectory(prefix="deadheat-check-") as logs,
    ):
        builder = Builder(host, stop)
        for contender in selected:
            stop.check()
            built = builder.build(contender, _saying(say, contender))
            record = built.record
            if record.status != "ready":
                said = "\n".join(record.tail) or None
                yield Found(contender.workload, contender.id, record.status, record.reason or "", said)
                continue
            say(f"checking {contender.workload}/{contender.id}")
            yield _checked(suite, contender, built, host, stop, Path(logs))


def _checked(
    suite: Suite, contender: Contender, built: Build, host: LocalHost, stop: Stop, logs: Path
) -> Found:
    workload = suite.workloads[contender.workload]
    if workload.kind not in KINDS:
        return Found(
            contender.workload, contender.id, "unavailable", f"kind {workload.kind} is not known here"
        )
    cpus = machine.default_cpus()
    asked = Asked(
        workloads=(contender.workload,),
        contenders=(contender.id,),
        server_cpus=cpus.servers,
        generator_cpus=cpus.generators,
        seed=None,
    )
    plan = planning.plan(asked, suite, tuple(KINDS))
    stage = Stage(
        plan=plan,
        race=plan.workloads[0],
        workload=workload,
        workload_folder=suite.folder / contender.workload,
        builds={contender.id: built},
        host=host,
        view=NoView(),
        stop=stop,
        logs=logs,
    )
    try:
        found = KINDS[workload.kind].check(stage, contender.id)
    except RaceUnavailableError as error:
        return Found(contender.workload, contender.id, "unavailable", str(error))
    if found.ok:
        detail = "; ".join((f"{found.cases} cases", *found.remarks))
        return Found(contender.workload, contender.id, "right", detail)
    return Found(contender.workload, contender.id, "wrong", found.reason or "", found.exchange)


def _selected(suite: Suite, ids: Sequence[str]) -> list[Contender]:
    if not ids:
        return [contender for contenders in suite.contenders.values() for contender in contenders]
    return [contender for id_ in ids for contender in suite.find(id_, suite.workloads)]


def _saying(say: Say, contender: Contender) -> Say:
    return lambda what: say(f"{what} {contender.workload}/{contender.id}")
