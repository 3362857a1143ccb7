"""Builds and conformance without a race: what `deadheat build` and `deadheat check` do."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from deadheat.build import times as build_times
from deadheat.build.builder import Build, Builder
from deadheat.hosts import Host
from deadheat.hosts.held import this_machine
from deadheat.kinds import alone
from deadheat.kinds.registry import KINDS
from deadheat.model.artifact import BuildTimes
from deadheat.model.contender import Contender
from deadheat.run.kind import RaceUnavailableError
from deadheat.suite.suite import Suite
from deadheat.util.interrupt import Stop

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


def check(suite: Suite, ids: Sequence[str], say: Say) -> Iterator[CheckedContender]:
    """Build these contenders (or all) and ask them everything that conformance asks."""
    selected = _selected(suite, ids)
    with (
        this_machine("deadheat check") as (host, stop),
        tempfile.TemporaryDirectory(prefix="deadheat-check-") as logs,
    ):
        builder = Builder(host, stop)
        for contender in selected:
            stop.check()
            built = builder.build(contender, _saying(say, contender))
            record = built.record
            if record.status != "ready":
                said = "\n".join(record.tail) or None
                yield CheckedContender(
                    contender.workload, contender.id, record.status, record.reason or "", said
                )
                continue
            say(f"checking {contender.workload}/{contender.id}")
            yield _checked(suite, contender, built, host, stop, Path(logs))


def _checked(
    suite: Suite, contender: Contender, built: Build, host: Host, stop: Stop, logs: Path
) -> CheckedContender:
    workload = suite.workloads[contender.workload]
    if workload.kind not in KINDS:
        return CheckedContender(
            contender.workload, contender.id, "unavailable", f"kind {workload.kind} is not known here"
        )
    stage = alone.stage(suite, contender.workload, [built], host=host, stop=stop, logs=logs)
    try:
        answers = KINDS[workload.kind].check(stage, contender.id)
    except RaceUnavailableError as error:
        return CheckedContender(contender.workload, contender.id, "unavailable", str(error))
    if answers.ok:
        detail = "; ".join((f"{answers.cases} cases", *answers.remarks))
        return CheckedContender(contender.workload, contender.id, "right", detail)
    return CheckedContender(contender.workload, contender.id, "wrong", answers.reason or "", answers.exchange)


def _selected(suite: Suite, ids: Sequence[str]) -> list[Contender]:
    if not ids:
        return [contender for contenders in suite.contenders.values() for contender in contenders]
    return [contender for id_ in ids for contender in suite.find(id_, suite.workloads)]


def _saying(say: Say, contender: Contender) -> Say:
    return lambda what: say(f"{what} {contender.workload}/{contender.id}")
