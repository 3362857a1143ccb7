"""An explanation from beginning to end: two contenders named, built, checked, looked at; a folder written."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from deadheat.build.builder import Builder
from deadheat.build.built import Build
from deadheat.errors import ExitCode, UserError
from deadheat.explain import drawing, folder, inferno, markdown, page, running
from deadheat.explain.instruments import registry
from deadheat.explain.instruments.base import Bench, Instrument
from deadheat.explain.page import Page, Picture
from deadheat.explain.reading import InstrumentError, Missing, Observed
from deadheat.explain.wanted import Wanted, pair
from deadheat.hosts.affinity import on_cpus
from deadheat.hosts.held import this_machine
from deadheat.kinds import alone
from deadheat.kinds.registry import KINDS
from deadheat.model.contender import Contender
from deadheat.run.kind import Stage
from deadheat.suite.suite import Suite
from deadheat.util import clock
from deadheat.util.files import explained

Say = Callable[[str], None]


@dataclass(frozen=True)
class Explained:
    """The page and the folder that holds it."""

    page: Page
    folder: Path


def explain(wanted: Wanted, suite: Suite, say: Say) -> Explained:
    """Raises UserError, and InterruptedRunError once somebody asked to stop; then no folder is left."""
    contenders = pair(suite, wanted)
    began = time.monotonic()
    with this_machine("deadheat explain") as (host, stop), folder.making(wanted.out) as made:
        builds = [_built(contender, Builder(host, stop), say) for contender in contenders]
        logs = made.work / "logs"
        logs.mkdir()
        stage = alone.stage(suite, contenders[0].workload, builds, host=host, stop=stop, logs=logs)
        if (why := KINDS[stage.workload.kind].unavailable(stage)) is not None:
            raise UserError(f"{stage.workload.name} cannot run here: {why}", code=ExitCode.NOTHING_MEASURED)
        for contender in contenders:
            say(f"checking the answers of {contender.id}")
            _check(stage, contender)
        observed, titles = _observe(stage, Bench(stage, wanted.seconds, made.work), contenders, say)
        pictures, failed = _drawn(stage, made.work, contenders)
        found = _page(wanted, stage, contenders, [*observed, *failed], titles, pictures, began)
        _write(found, made.work)
        made.keep()
    return Explained(found, made.path)


def _built(contender: Contender, builder: Builder, say: Say) -> Build:
    built = builder.build(contender, lambda what: say(f"{what} {contender.id}"))
    if built.record.status != "ready":
        raise UserError(
            f"{contender.id} is {built.record.status}: {built.record.reason}",
            hint=f"deadheat check {contender.id} shows more",
            code=ExitCode.NOTHING_MEASURED,
        )
    return built


def _check(stage: Stage, contender: Contender) -> None:
    found = KINDS[stage.workload.kind].check(stage, contender.id)
    if not found.ok:
        raise UserError(
            f"{contender.id} gave a wrong answer: {found.reason}",
            hint=f"deadheat check {contender.id} shows the whole exchange",
            code=ExitCode.NOTHING_MEASURED,
        )


def _observe(
    stage: Stage, bench: Bench, contenders: Sequence[Contender], say: Say
) -> tuple[list[Observed], list[tuple[str, str]]]:
    """Instrument by instrument, both contenders with each; and the names and titles of the instruments."""
    instruments = registry.of(stage.workload)
    observed = []
    with contextlib.suppress(InstrumentError):  # then nothing is drawn, and the page says why
        inferno.missing() or inferno.install(stage, say)
    with on_cpus(stage.plan.generator_cpus):
        for place, instrument in enumerate(instruments, 1):
            for contender in contenders:
                stage.stop.check()
                say(f"[{place}/{len(instruments)}] {instrument.name}: {contender.id}")
                observed.append(_look(instrument, bench, contender.id))
    return observed, [(instrument.name, instrument.title) for instrument in instruments]


def _look(instrument: Instrument, bench: Bench, entry: str) -> Observed:
    missing = instrument.missing(bench, entry)
    if missing is not None:
        return Observed(instrument.name, entry, None, missing)
    try:
        return Observed(instrument.name, entry, instrument.observe(bench, entry))
    except InstrumentError as error:
        return Observed(instrument.name, entry, None, Missing(str(error)))


def _drawn(
    stage: Stage, work: Path, contenders: Sequence[Contender]
) -> tuple[tuple[Picture, ...], list[Observed]]:
    """The flame graphs, or why there are none."""
    a, b = (contender.id for contender in contenders)
    try:
        return drawing.draw(stage, work, a, b, running.per(stage)), []
    except InstrumentError as error:
        return (), [Observed("flame graphs", id_, None, Missing(str(error))) for id_ in (a, b)]


def _page(
    wanted: Wanted,
    stage: Stage,
    contenders: Sequence[Contender],
    observed: Sequence[Observed],
    titles: Sequence[tuple[str, str]],
    pictures: tuple[Picture, ...],
    began: float,
) -> Page:
    a, b = (contender.id for contender in contenders)
    of_a, of_b = page.merged(observed, a), page.merged(observed, b)
    kind = stage.workload.kind
    per = running.per(stage)
    known, sentences = page.findings(a, b, of_a, of_b, per)
    return Page(
        workload=stage.workload.name,
        kind=kind,
        a=a,
        b=b,
        per=per,
        when=clock.stamp(),
        command=wanted.command,
        conditions=_conditions(stage),
        seconds=wanted.seconds,
        took_s=time.monotonic() - began,
        rows=page.rows(of_a, of_b, per),
        calls=page.by_name(of_a.calls, of_b.calls),
        frames=page.by_name(of_a.frames, of_b.frames),
        functions=page.functions(of_a, of_b),
        costs=page.costs(observed, titles, a, b),
        patterns=known,
        gaps=page.gaps(observed),
        pictures=pictures,
        notes=page.notes(of_a, of_b),
        sentences=sentences,
    )


def _conditions(stage: Stage) -> str:
    if not stage.workload.traits.serves:
        size = f"n = {stage.race.invocations.n}"
        commands = stage.race.commands
        return size if commands is None else f"{size}, {commands:,} commands a run"
    race = stage.race.load
    streams = f" of {race.streams} calls in flight each" if race.streams > 1 else ""
    servers, generators = (
        ", ".join(map(str, cpus)) for cpus in (stage.plan.server_cpus, stage.plan.generator_cpus)
    )
    return f"{race.connections} connections{streams}, server on CPU {servers}, generator on CPU {generators}"


def _write(found: Page, work: Path) -> None:
    with explained(work):
        (work / "explain.json").write_text(json.dumps(found.to_dict(), indent=2, ensure_ascii=False) + "\n")
        (work / "explain.md").write_text(markdown.render(found), encoding="utf-8")


__all__ = ["Explained", "Picture", "Wanted", "explain", "pair"]
