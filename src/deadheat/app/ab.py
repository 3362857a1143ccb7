"""Two revisions of the user's own repository: found, built, raced, decided. What `deadheat ab` does."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from deadheat import plan as planning
from deadheat import stats
from deadheat.app import ad_hoc as recording
from deadheat.app import race as races
from deadheat.app import sides as two
from deadheat.app.sides import Given, Side
from deadheat.errors import ExitCode, UserError
from deadheat.hosts.held import this_machine
from deadheat.kinds.registry import KINDS
from deadheat.model.ab import Comparison, WorkloadChange
from deadheat.model.condition import Condition, FigureName, judged_by
from deadheat.model.plan import Plan
from deadheat.plan import Asked
from deadheat.plan.duration import least_s
from deadheat.report import revisions as words
from deadheat.results import deciding, derive
from deadheat.revisions.building import BuiltRevision, Workshop
from deadheat.revisions.repository import Repository, repository
from deadheat.run.progress import View
from deadheat.storage.journal import whole_blocks
from deadheat.storage.run_folder import RunFolder
from deadheat.suite import ad_hoc_suite
from deadheat.suite.ad_hoc import AdHoc
from deadheat.suite.suite import Suite, load
from deadheat.util.paths import cache_folder

# The results of a comparison, beside those of its races.
FILE = "ab.json"


@dataclass(frozen=True)
class Wanted:
    """What a command line asks: two revisions, how they are built and run, and what must not be worse."""

    base: str | None
    head: str
    given: Given
    asked: Asked
    conditions: Sequence[Condition] = ()
    by: FigureName = "slower"
    answers_may_differ: bool = False
    race_the_same: bool = False


@dataclass(frozen=True)
class Compared:
    """What came of it; without a race `raced` is None."""

    comparison: Comparison
    raced: races.Raced | None = None


def compare(wanted: Wanted, folder: Path, out: Path, view: View, db: str | None = None) -> Compared:
    """The whole way, of the repository that `folder` is in. Raises UserError."""
    repo = repository(folder)
    sides = two.both(repo, wanted.base, wanted.head, wanted.given)
    _refuse_unknown_figures((*(one.figure for one in wanted.conditions), wanted.by), sides[1])
    asked = _asked(wanted, sides[1])
    by_size = wanted.by == "size" and all(one.figure == "size" for one in wanted.conditions)
    if sides[1].bench.serves and not by_size:  # how long a program takes is not known before it ran
        _refuse_too_short(asked, sides)
    view.note(words.heading(sides[0].record(), sides[1].record(), sides[1].bench, asked.budget_s or 0.0))
    built = _build(repo, sides, view)
    records = [side.record(made) for side, made in zip(sides, built, strict=True)]
    same = two.same(sides, built)
    view.note(words.built(records[0], records[1], same))
    if same is not None and not wanted.race_the_same:
        return Compared(Comparison(base=records[0], head=records[1], same=same))
    if by_size:
        decided = deciding.decide_size(*_bytes(built), _by_size(sides[1], asked.margin), wanted.conditions)
        return Compared(
            Comparison(
                base=records[0], head=records[1], workloads=decided.workloads, conditions=decided.conditions
            )
        )
    workloads = two.to_race(sides, built)
    recorded = recording.recorded(workloads, view, answers_may_differ=wanted.answers_may_differ)
    asked = recorded.timed(asked)
    _refuse_too_short(asked, sides)
    raced = races.start(asked, recorded.suite, out, view, None, db)
    found = _decided(raced.folder, workloads, wanted.conditions, asked.margin, wanted.by)
    comparison = Comparison(
        run=raced.results.run,
        base=records[0],
        head=records[1],
        workloads=tuple(
            each.replaced(answers=recorded.answers.get(each.workload)) for each in found.workloads
        ),
        conditions=found.conditions,
    )
    raced.folder.write(FILE, comparison.model_dump_json(by_alias=True, indent=2) + "\n")
    return Compared(comparison, raced)


def _asked(wanted: Wanted, head: Side) -> Asked:
    """How the races are planned: they end early only where every condition is decided by then.

    An early crossing overestimates, so none does before its interval lies wholly beyond the threshold of the
    only condition, or wholly short of it.
    """
    slower = [one.threshold for one in wanted.conditions if one.figure == "slower"]
    alone = wanted.by == "slower" and len(wanted.conditions) == len(slower) and len(set(slower)) <= 1
    own = [one.threshold for one in wanted.conditions if one.figure == wanted.by]
    return replace(
        wanted.asked,
        all_=True,
        judged_by="throughput" if wanted.by == "size" else judged_by(wanted.by),
        margin=own[0] if len(set(own)) == 1 else wanted.asked.margin,
        until="settled" if alone else "the end",
        alike=True,
    )


def _refuse_unknown_figures(asked: Iterable[FigureName], head: Side) -> None:
    known = deciding.FIGURES_OF["throughput_rps" if head.bench.serves else "wall_s"]
    for figure in asked:
        if figure not in known:
            raise UserError(f"a program that runs to its end has no {figure}", hint=", ".join(known))


def _refuse_too_short(asked: Asked, sides: tuple[Side, Side]) -> None:
    """Before anything is built. Raises UserError with the least that would do."""
    if asked.budget_s is None:
        return
    with tempfile.TemporaryDirectory(prefix="deadheat-plan-") as folder:
        sketched = (sides[0].sketched(), sides[1].sketched())
        suite = _sketch(two.to_race(sketched, (sketched[0].unbuilt(), sketched[1].unbuilt())), Path(folder))
        plan = _planned(replace(asked, budget_s=None), suite)
    least = least_s(plan.workloads, stats.METHOD.fewest_blocks, asked)
    if least > asked.budget_s:
        raise UserError(
            f"{asked.budget_s:g} s are too short for {stats.METHOD.fewest_blocks} blocks of warmed-up starts",
            hint=f"--budget {math.ceil(least)}s is the least that would do",
        )


def _sketch(workloads: Sequence[AdHoc], folder: Path) -> Suite:
    """A suite that can be planned, and not run."""
    for each in workloads:
        ad_hoc_suite.write_contenders(each, folder)
        ad_hoc_suite.write_workload(each, folder)
    return load(folder)


def _planned(asked: Asked, suite: Suite) -> Plan:
    return planning.plan(asked, suite, tuple(KINDS))


def _build(repo: Repository, sides: tuple[Side, Side], view: View) -> tuple[BuiltRevision, BuiltRevision]:
    with this_machine("deadheat ab: builds") as (host, stop):
        workshop = Workshop(repo, cache_folder(), host, stop, view.warn)

        def build(side: Side) -> BuiltRevision:
            stop.check()
            return workshop.build(
                side.revision, side.recipe(repo), lambda what: view.note(f"  {side.label}: {what}")
            )

        return build(sides[0]), build(sides[1])


def _bytes(built: tuple[BuiltRevision, BuiltRevision]) -> tuple[int, int]:
    """Of both artifacts. Raises UserError where it is not known what a build makes."""
    base, head = (one.size_bytes() for one in built)
    if not base or not head:
        raise UserError("what the build makes is not known, and so no size", hint="--artifact FILE names it")
    return base, head


def _by_size(head: Side, margin: float) -> WorkloadChange:
    serves = head.bench.serves
    return WorkloadChange(
        workload="artifact",
        title="artifact",
        kind="http" if serves else "program",
        metric="throughput_rps" if serves else "wall_s",
        by="size",
        answer="not compared",
        margin=margin,
        blocks=0,
        seconds=0.0,
    )


def _decided(
    folder: RunFolder,
    workloads: Sequence[AdHoc],
    conditions: Sequence[Condition],
    margin: float,
    by: FigureName,
) -> deciding.Decisions:
    """From the journal, as all results are."""
    plan = folder.plan()
    counting = list(whole_blocks(folder.observations()[0]))
    titles = {each.workload: each.title or each.workload for each in workloads}
    found = [derive.race_of(race, plan.facts, margin, counting) for race in plan.workloads]
    return deciding.decide(found, [titles[race.result.name] for race in found], conditions, margin, by)


def code_of(compared: Compared, *, fail_if_inconclusive: bool) -> ExitCode:
    """0; 1 where a condition fails, 4 where none does and one is open, if that is asked for."""
    raced, found = compared.raced, compared.comparison
    if raced is not None and raced.code in (ExitCode.INTERRUPTED, ExitCode.NOTHING_MEASURED):
        return raced.code
    if found.failed:
        return ExitCode.GATE_FAILED
    if fail_if_inconclusive and found.open:
        return ExitCode.NOTHING_JUDGED
    return ExitCode.DONE
