"""Races the way a study's author ran them: the study's contenders, tool, arguments and request."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence

from deadheat.errors import UserError
from deadheat.model.claim import AsPublished, PublishedRow, Study
from deadheat.model.plan import Entry, OutsidePlan, WorkloadPlan
from deadheat.model.workload import Preset
from deadheat.suite import Suite

METHOD = "as-published"
LEANEST = ", leanest"
# How long a run is where the study's own length is not asked for (preset thorough): seconds, or requests.
SECONDS: dict[Preset, int] = {"quick": 3, "standard": 15}
TOTALS: dict[Preset, int] = {"quick": 30_000, "standard": 200_000}
START_S = 2.0
# For estimates only: about what an outside generator reaches where it is told a total.
GUESSED_RPS = 5000.0


def races(suite: Suite, names: Sequence[str], wanted: Collection[str], preset: Preset) -> list[WorkloadPlan]:
    """The races of every study that has one of these workloads.

    `wanted` are ids of contenders, all of a study's where it is empty; the study's first contender, which
    the others are held against, is always raced. A study of which nothing else is wanted is left out.
    Raises UserError where nothing is left.
    """
    found: list[WorkloadPlan] = []
    for study in suite.studies.values():
        recipe = study.as_published
        if recipe is None or recipe.workload not in names:
            continue
        rows = [row for row in recipe.row if _is_wanted(row, recipe, wanted)]
        if len(rows) > 1 or len(recipe.row) == 1:
            found += _of_study(suite, study, recipe, rows, preset)
    if not found:
        raise UserError("no published study holds these workloads and contenders", hint=_known(suite))
    return found


def estimated_s(race: WorkloadPlan) -> float:
    """About how long it takes, seconds."""
    outside = race.outside
    assert outside is not None
    one = outside.seconds or (outside.total or GUESSED_RPS) / GUESSED_RPS
    return len(race.entries) * (START_S + outside.runs * one)


def _is_wanted(row: PublishedRow, recipe: AsPublished, wanted: Collection[str]) -> bool:
    return not wanted or row.contender in wanted or row.contender == recipe.reference


def _known(suite: Suite) -> str:
    recipes = [study.as_published for study in suite.studies.values() if study.as_published is not None]
    held = [f"{r.workload} ({', '.join(row.contender for row in r.row)})" for r in recipes]
    return "there are " + "; ".join(held) if held else "no study of this suite has an [as_published] section"


def _of_study(
    suite: Suite, study: Study, recipe: AsPublished, rows: Sequence[PublishedRow], preset: Preset
) -> list[WorkloadPlan]:
    """The study's race; and where its tool can be run leaner, another with that."""
    own = _race(suite, study, recipe, rows, preset)
    if recipe.leanest is None:
        return [own]
    lean = recipe.model_copy(update={"arguments": f"{recipe.arguments} {recipe.leanest}"})
    leaner = _race(suite, study, lean, rows, preset)
    assert leaner.outside is not None
    note = f"unlike the study, {recipe.tool} runs with {recipe.leanest}, its leanest configuration"
    outside = leaner.outside.model_copy(update={"notes": (note, *leaner.outside.notes)})
    return [own, leaner.model_copy(update={"setting": study.study + LEANEST, "outside": outside})]


def _race(
    suite: Suite, study: Study, recipe: AsPublished, rows: Sequence[PublishedRow], preset: Preset
) -> WorkloadPlan:
    workload = suite.workloads[recipe.workload]
    seconds, total = _scaled(recipe, preset)
    outside = OutsidePlan(
        study=study.study,
        tool=recipe.tool,
        arguments={row.contender: _arguments(recipe, row, seconds, total) for row in rows},
        in_flight={
            row.contender: asked for row in rows if (asked := row.in_flight or recipe.in_flight) is not None
        },
        seconds=seconds,
        total=total,
        runs=recipe.runs,
        path=recipe.path,
        body=recipe.body,
        instead=recipe.instead,
        notes=tuple(_notes(recipe, seconds, total)),
    )
    return WorkloadPlan(
        workload=workload.name,
        setting=study.study,
        method=METHOD,
        kind=workload.kind,
        metric=workload.metric,
        reference=recipe.reference,
        entries=tuple(Entry(id=row.contender, contender=row.contender) for row in rows),
        blocks=1,
        rounds=1,
        connections=recipe.connections,
        outside=outside,
    )


def _scaled(recipe: AsPublished, preset: Preset) -> tuple[int | None, int | None]:
    """Seconds or requests of a run, whichever the study gives, at most the study's own."""
    seconds, total = recipe.seconds, recipe.total
    if seconds is not None:
        seconds = min(seconds, SECONDS.get(preset, seconds))
    if total is not None:
        total = min(total, TOTALS.get(preset, total))
    return seconds, total


def _arguments(
    recipe: AsPublished, row: PublishedRow, seconds: int | None, total: int | None
) -> tuple[str, ...]:
    words = shlex.split(row.arguments or recipe.arguments)
    if recipe.tool == "wrk":
        words.append(f"-d{seconds}s")
    elif recipe.tool == "ghz":
        words += ["--total", str(total)]
    return tuple(words)


def _notes(recipe: AsPublished, seconds: int | None, total: int | None) -> list[str]:
    """What a reader must know of the figures."""
    best = f", the best of {recipe.runs} runs" if recipe.runs > 1 else ", one run each"
    notes = [f"{recipe.tool} as the study ran it: nothing pinned, one contender after the other{best}"]
    if recipe.tool == "time":
        notes.append("user and system time in steps of 10 ms, as time prints them")
    if seconds != recipe.seconds:
        notes.append(f"runs of {seconds} s, the study's were {recipe.seconds} s (--preset thorough)")
    if total != recipe.total:
        notes.append(f"{total:,} requests a run, the study's were {recipe.total:,} (--preset thorough)")
    return notes
