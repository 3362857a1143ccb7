"""Which entries of a race answer right: asked of each build once, before any timing."""

from __future__ import annotations

from deadheat.model.observation import Checked, Failed
from deadheat.run import answers
from deadheat.run.kind import Kind, Stage
from deadheat.run.record import Record


def lost(stage: Stage, kind: Kind, record: Record) -> set[str]:
    """Entries that cannot race: not built, wrong, or failed before a resume. A null entry is the contender
    that was asked already, and a build may have been in an earlier run."""
    race, observed = stage.race, record.observations
    unbuilt = {e.id for e in race.entries if stage.build(e.id).folder is None}
    failed = {o.entry for o in observed if isinstance(o, Failed) and o.race == race.key}
    right = {o.contender: o.ok for o in observed if isinstance(o, Checked) and o.workload == race.workload}
    earlier = 0
    for entry in race.entries:
        if entry.id in unbuilt or entry.null:
            continue
        stage.stop.check()
        if entry.contender not in right:
            if (before := answers.known(stage, entry.id)) is not None:
                record.add(before)
                earlier += 1
            right[entry.contender] = (before or _asked(stage, kind, entry.id, record)).ok
        stage.view.state(entry.id, "waiting" if right[entry.contender] else "failed")
    if earlier:
        stage.view.note(
            f"✓ {race.key}: {earlier} known to answer right, by an earlier run of the same builds "
            "(deadheat check asks again)"
        )
    wrong = {e.id for e in race.entries if right.get(e.contender) is False}
    return unbuilt | failed | wrong


def _asked(stage: Stage, kind: Kind, entry: str, record: Record) -> Checked:
    stage.view.state(entry, "checking")
    checked = answers.observed(stage, entry, kind.check(stage, entry), run=stage.plan.run)
    record.add(checked)
    if not checked.ok:
        stage.view.warn(
            f"{checked.contender} failed its check before any timing, so it is not in the race: "
            f"{checked.reason} (deadheat check {checked.contender} shows the whole exchange)"
        )
    return checked
