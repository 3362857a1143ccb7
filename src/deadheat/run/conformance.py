"""Which entries of a race answer right: asked of each contender once, before any timing."""

from __future__ import annotations

from deadheat.model.observation import Checked, Failed
from deadheat.run.kind import Kind, Stage
from deadheat.run.record import Record


def lost(stage: Stage, kind: Kind, record: Record) -> set[str]:
    """Entries that cannot race: not built, wrong, or failed before a resume. A null entry is the contender
    that was asked already."""
    race, observed = stage.race, record.observations
    unbuilt = {e.id for e in race.entries if stage.build(e.id).folder is None}
    failed = {o.entry for o in observed if isinstance(o, Failed) and o.race == race.key}
    right = {o.contender: o.ok for o in observed if isinstance(o, Checked) and o.workload == race.workload}
    for entry in race.entries:
        if entry.id in unbuilt or entry.null:
            continue
        stage.stop.check()
        if entry.contender not in right:
            right[entry.contender] = _asked(stage, kind, entry.id, entry.contender, record)
        stage.view.state(entry.id, "waiting" if right[entry.contender] else "failed")
    wrong = {e.id for e in race.entries if right.get(e.contender) is False}
    return unbuilt | failed | wrong


def _asked(stage: Stage, kind: Kind, entry: str, contender: str, record: Record) -> bool:
    stage.view.state(entry, "checking")
    check = kind.check(stage, entry)
    record.add(
        Checked(
            workload=stage.race.workload,
            contender=contender,
            ok=check.ok,
            cases=check.cases,
            reason=check.reason,
            exchange=check.exchange,
            headers=check.headers,
            remarks=check.remarks,
            agreed=check.agreed,
        )
    )
    if not check.ok:
        stage.view.warn(
            f"{contender} failed its check before any timing, so it is not in the race: "
            f"{check.reason} (deadheat check {contender} shows the whole exchange)"
        )
    return check.ok
