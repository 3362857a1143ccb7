"""Races the way a study's author ran them: the study's contenders, tool, arguments and request."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Sequence

from deadheat.errors import UserError
from deadheat.model.choices import Method, Preset
from deadheat.model.claim import Study
from deadheat.model.measured import Length, OutsidePlan
from deadheat.model.plan import Entry, RacePlan
from deadheat.model.published import AsPublished, PublishedRow
from deadheat.model.workload import Workload
from deadheat.plan import Asked, parameters
from deadheat.suite.suite import Suite

METHOD: Method = "as-published"
LEANEST = ", leanest"
# How long a run is where the study's own length is not asked for (preset thorough): seconds, or requests.
SECONDS: dict[Preset, int] = {"quick": 3, "standard": 15}
TOTALS: dict[Preset, int] = {"quick": 30_000, "standard": 200_000}
# How a generator that is not told seconds is told how many requests.
TOTAL: dict[str, str] = {"ghz": "--total", "h2load": "-n", "deadheat-load": "-n"}
START_S = 2.0
# For estimates only: about what an outside generator reaches where it is told a total.
GUESSED_RPS = 5000.0


class StudyPlanner:
    """Load and length are the study's; a preset scales the length."""

    def races(self, asked: Asked, suite: Suite, names: Sequence[str]) -> Sequence[RacePlan]:
        _refuse_our_options(asked)
        wanted = {contender.id for id_ in asked.contenders for contender in suite.find(id_, names)}
        studies = [suite.study(asked.claims)] if asked.claims is not None else suite.studies.values()
        if asked.claims is not None and not suite.study(asked.claims).as_published:
            raise UserError(
                f"{asked.claims} has no [as_published] section: how its author ran it is not known here",
                hint=f"by our method: deadheat race --claims {asked.claims}",
            )
        return races(suite, names, wanted, asked.preset, studies)

    def estimated_s(self, race: RacePlan, asked: Asked) -> float:
        return estimated_s(race)


def _refuse_our_options(asked: Asked) -> None:
    for option, value in (
        ("--budget", asked.budget_s),
        ("--connections", asked.connections),
        ("--streams", asked.streams),
        ("--scale", asked.scale),
        ("--set and --sweep", asked.parameters),
    ):
        if value:
            raise UserError(
                f"{option} cannot be given with --method {METHOD}",
                hint="load and length are the study's; --preset scales the length",
            )


def races(
    suite: Suite,
    names: Sequence[str],
    wanted: Collection[str],
    preset: Preset,
    studies: Iterable[Study],
) -> list[RacePlan]:
    """The races of every one of these studies that has one of these workloads.

    `wanted` are ids of contenders, all of a study's where it is empty; the study's first contender, which
    the others are held against, is always raced. A study of which nothing else is wanted is left out.
    Raises UserError where nothing is left.
    """
    found: list[RacePlan] = []
    for study in studies:
        for number, recipe in enumerate(study.as_published):
            rows = [row for row in recipe.row if _is_wanted(row, recipe, wanted)]
            if recipe.workload in names and (len(rows) > 1 or len(recipe.row) == 1):
                found += _of_part(suite, study, number, rows, preset)
    if not found:
        raise UserError("no published study holds these workloads and contenders", hint=_known(suite))
    return found


def estimated_s(race: RacePlan) -> float:
    """About how long it takes, seconds."""
    outside = race.outside
    assert outside is not None
    one = outside.about_s or outside.seconds or (outside.total or GUESSED_RPS) / GUESSED_RPS
    return len(race.entries) * (START_S + (outside.runs + outside.memory) * one)


def _is_wanted(row: PublishedRow, recipe: AsPublished, wanted: Collection[str]) -> bool:
    return not wanted or row.contender in wanted or row.contender == recipe.reference


def _known(suite: Suite) -> str:
    recipes = [part for study in suite.studies.values() for part in study.as_published]
    held = [f"{r.workload} ({', '.join(row.contender for row in r.row)})" for r in recipes]
    return "there are " + "; ".join(held) if held else "no study of this suite has an [as_published] section"


def _of_part(
    suite: Suite, study: Study, number: int, rows: Sequence[PublishedRow], preset: Preset
) -> list[RacePlan]:
    """The study's race; a shorter one beside it, of programs that have a size; another where its tool can be
    run leaner; and one for each other tool."""
    recipe = study.as_published[number]
    races = [_race(suite, study, number, recipe, rows, preset)]
    if recipe.n is not None and (short := _race(suite, study, number, recipe, rows, "quick")).n < races[0].n:
        races.append(short.replaced(setting=f"{short.setting}, n={short.n}"))
    if recipe.leanest is not None:
        lean = recipe.replaced(arguments=f"{recipe.arguments} {recipe.leanest}")
        note = f"unlike the study, {recipe.tool} runs with {recipe.leanest}, its leanest configuration"
        races.append(_beside(_race(suite, study, number, lean, rows, preset), LEANEST, note))
    for other in recipe.also:
        theirs = recipe.replaced(tool=other.tool, arguments=other.arguments)
        plain = [row.replaced(arguments=None) for row in rows]
        race = _race(suite, study, number, theirs, plain, preset)
        races.append(_beside(race, f", {other.tool}", f"unlike the study, {other.note}"))
    return races


def _beside(race: RacePlan, setting: str, note: str) -> RacePlan:
    """A race beside the study's own: named after it, and saying what is unlike it."""
    assert race.outside is not None
    outside = race.outside.replaced(notes=(note, *race.outside.notes))
    return race.replaced(setting=f"{race.setting}{setting}", measured=outside)


def _race(
    suite: Suite,
    study: Study,
    number: int,
    recipe: AsPublished,
    rows: Sequence[PublishedRow],
    preset: Preset,
) -> RacePlan:
    workload = suite.workloads[recipe.workload]
    whole = Length(seconds=recipe.seconds, total=recipe.total, n=recipe.n)
    length = _scaled(whole, workload, preset)
    outside = OutsidePlan(
        connections=recipe.connections,
        study=study.study,
        part=number,
        tool=recipe.tool,
        arguments={row.contender: _arguments(recipe, row, length) for row in rows},
        in_flight={
            row.contender: asked for row in rows if (asked := row.in_flight or recipe.in_flight) is not None
        },
        seconds=length.seconds,
        total=length.total,
        n=length.n,
        published=whole,
        about_s=_about_s(rows) if length == whole else None,
        memory=not workload.traits.serves and any(row.memory is not None for row in rows),
        runs=recipe.runs,
        path=recipe.path,
        body=recipe.body,
        instead=recipe.instead,
        notes=tuple(_notes(study, number, recipe, rows, length)),
    )
    return RacePlan(
        workload=workload.name,
        setting=recipe.setting(study.study),
        values={**parameters.defaults(workload), **recipe.set_},
        method=METHOD,
        kind=workload.kind,
        metric=workload.metric,
        reference=recipe.reference,
        entries=tuple(Entry(id=row.contender, contender=row.contender) for row in rows),
        blocks=1,
        rounds=1,
        measured=outside,
    )


def _scaled(whole: Length, workload: Workload, preset: Preset) -> Length:
    """Seconds, requests or size of a run, whichever the study gives, at most the study's own."""
    seconds, total, n = whole.seconds, whole.total, whole.n
    if seconds is not None:
        seconds = min(seconds, SECONDS.get(preset, seconds))
    if total is not None:
        total = min(total, TOTALS.get(preset, total))
    if n is not None and workload.program is not None:
        n = min(n, workload.program.n.at(preset))
    return Length(seconds=seconds, total=total, n=n)


def _about_s(rows: Sequence[PublishedRow]) -> float | None:
    """What a run of a program took in the study, seconds, where it says so of any."""
    return max((row.wall_s for row in rows if row.wall_s is not None), default=None)


def _arguments(recipe: AsPublished, row: PublishedRow, length: Length) -> tuple[str, ...]:
    words = shlex.split(row.arguments or recipe.arguments)
    if recipe.tool == "wrk":
        words.append(f"-d{length.seconds}s")
    elif recipe.tool in TOTAL:
        words += [TOTAL[recipe.tool], str(length.total)]
    return tuple(words)


def _notes(
    study: Study, number: int, recipe: AsPublished, rows: Sequence[PublishedRow], length: Length
) -> list[str]:
    """What a reader must know of the figures."""
    best = f", the best of {recipe.runs} runs" if recipe.runs > 1 else ", one run each"
    its_own = recipe.tool == study.as_published[number].tool
    ran = "as the study ran it" if its_own else "the way the study ran its own tool"
    notes = [f"{recipe.tool} {ran}: nothing pinned, one contender after the other{best}"]
    if recipe.tool == "time":
        notes.append("user and system time in steps of 10 ms, as time prints them")
        if any(row.memory is not None for row in rows):
            notes.append("peak memory of a run apart, which is not timed")
    if length.seconds != recipe.seconds:
        notes.append(f"runs of {length.seconds} s, the study's were {recipe.seconds} s (--preset thorough)")
    if length.total is not None and length.total != recipe.total:
        here, theirs = f"{length.total:,} requests a run", f"{recipe.total:,}"
        notes.append(f"{here}, the study's were {theirs} (--preset thorough)")
    if length.n != recipe.n:
        notes.append(f"at n = {length.n}, the study's was {recipe.n} (--preset thorough)")
    return notes
