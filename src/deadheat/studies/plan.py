"""Races the way a study's author ran them: the study's contenders, tool, arguments and request."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence

from deadheat.errors import UserError
from deadheat.model.choices import Method, Preset
from deadheat.model.claim import Study
from deadheat.model.measured import OutsidePlan
from deadheat.model.plan import Entry, RacePlan
from deadheat.model.published import AsPublished, PublishedRow
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
        return races(suite, names, wanted, asked.preset)

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


def races(suite: Suite, names: Sequence[str], wanted: Collection[str], preset: Preset) -> list[RacePlan]:
    """The races of every study that has one of these workloads.

    `wanted` are ids of contenders, all of a study's where it is empty; the study's first contender, which
    the others are held against, is always raced. A study of which nothing else is wanted is left out.
    Raises UserError where nothing is left.
    """
    found: list[RacePlan] = []
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


def estimated_s(race: RacePlan) -> float:
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
) -> list[RacePlan]:
    """The study's race; another where its tool can be run leaner; and one for each other tool."""
    races = [_race(suite, study, recipe, rows, preset)]
    if recipe.leanest is not None:
        lean = recipe.replaced(arguments=f"{recipe.arguments} {recipe.leanest}")
        note = f"unlike the study, {recipe.tool} runs with {recipe.leanest}, its leanest configuration"
        races.append(_beside(_race(suite, study, lean, rows, preset), LEANEST, note))
    for other in recipe.also:
        theirs = recipe.replaced(tool=other.tool, arguments=other.arguments)
        plain = [row.replaced(arguments=None) for row in rows]
        race = _race(suite, study, theirs, plain, preset)
        races.append(_beside(race, f", {other.tool}", f"unlike the study, {other.note}"))
    return races


def _beside(race: RacePlan, setting: str, note: str) -> RacePlan:
    """A race beside the study's own: named after it, and saying what is unlike it."""
    assert race.outside is not None
    outside = race.outside.replaced(notes=(note, *race.outside.notes))
    return race.replaced(setting=f"{race.setting}{setting}", measured=outside)


def _race(
    suite: Suite, study: Study, recipe: AsPublished, rows: Sequence[PublishedRow], preset: Preset
) -> RacePlan:
    workload = suite.workloads[recipe.workload]
    seconds, total = _scaled(recipe, preset)
    outside = OutsidePlan(
        connections=recipe.connections,
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
        notes=tuple(_notes(recipe, study, seconds, total)),
    )
    return RacePlan(
        workload=workload.name,
        setting=study.study,
        values=parameters.defaults(workload),
        method=METHOD,
        kind=workload.kind,
        metric=workload.metric,
        reference=recipe.reference,
        entries=tuple(Entry(id=row.contender, contender=row.contender) for row in rows),
        blocks=1,
        rounds=1,
        measured=outside,
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
    elif recipe.tool in TOTAL:
        words += [TOTAL[recipe.tool], str(total)]
    return tuple(words)


def _notes(recipe: AsPublished, study: Study, seconds: int | None, total: int | None) -> list[str]:
    """What a reader must know of the figures."""
    best = f", the best of {recipe.runs} runs" if recipe.runs > 1 else ", one run each"
    its_own = study.as_published is not None and recipe.tool == study.as_published.tool
    ran = "as the study ran it" if its_own else "the way the study ran its own tool"
    notes = [f"{recipe.tool} {ran}: nothing pinned, one contender after the other{best}"]
    if recipe.tool == "time":
        notes.append("user and system time in steps of 10 ms, as time prints them")
    if seconds != recipe.seconds:
        notes.append(f"runs of {seconds} s, the study's were {recipe.seconds} s (--preset thorough)")
    if total != recipe.total:
        notes.append(f"{total:,} requests a run, the study's were {recipe.total:,} (--preset thorough)")
    return notes
