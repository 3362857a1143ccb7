"""What races are judged by: `--metric`, or what suits a workload on these CPUs."""

from __future__ import annotations

from collections.abc import Sequence

from deadheat.errors import UserError
from deadheat.model.choices import JudgedBy
from deadheat.model.judged import OF_PROGRAMS, PERCENTILES, setting_of
from deadheat.model.measured import InvocationPlan, SlicePlan
from deadheat.model.plan import RacePlan
from deadheat.model.workload import Workload
from deadheat.plan.asked import Asked
from deadheat.plan.parameters import joined

# Said of a race that nobody asked to be judged by CPU time.
BESIDE_THE_LOAD = (
    "judged by CPU time a request: database and load generator share one CPU, and throughput is soon theirs "
    "and not a stack's; it stands beside, and --metric throughput judges by it"
)


def judged_by(workload: Workload, asked: Asked) -> JudgedBy:
    """What was asked for; without it throughput, or CPU time where that is cut off by what serves the stack.

    A database that is asked for each reply, on the only CPU of the load, is at its limit with most stacks:
    then throughput says how that CPU is divided, and CPU time a request what a stack costs. Claims have
    figures of their own, and a race over numbers of cores is about throughput.
    """
    if asked.judged_by is not None:
        return asked.judged_by
    own = asked.claims is not None or asked.scale or asked.own_database is not None
    return "cpu" if not own and _cut_off(workload, asked) else "throughput"


def _cut_off(workload: Workload, asked: Asked) -> bool:
    database = workload.database
    beside = len(asked.generator_cpus) == 1 and not asked.services_cpus
    return beside and database is not None and not database.kept and workload.measure != "cold"


def why_not(workload: Workload, by: JudgedBy | None) -> str | None:
    """Why the races of a workload cannot be judged by that; None where they can."""
    if by in (None, "throughput") or (workload.measure == "cold" and by == "startup"):
        return None
    if by == "size":
        return "a size does not vary, so there is nothing to race"
    if workload.measure == "cold":
        return f"{workload.name} starts a server for each turn, and knows its startup alone, not its {by}"
    if not workload.traits.serves and by not in OF_PROGRAMS:
        return f"{workload.name}: a program that runs to its end has no {by}"
    return None


def can_be(workloads: Sequence[Workload], by: JudgedBy | None) -> list[Workload]:
    """Those that can be judged by it. Raises UserError where none can."""
    whys = [why_not(workload, by) for workload in workloads]
    able = [workload for workload, why in zip(workloads, whys, strict=True) if why is None]
    if not able and workloads:
        raise _refused(whys[0] or "", by)
    return able


def refuse(workload: Workload, by: JudgedBy | None) -> None:
    """Raises UserError where its races cannot be judged by it."""
    if (why := why_not(workload, by)) is not None:
        raise _refused(why, by)


def judged(race: RacePlan, workload: Workload, asked: Asked) -> RacePlan:
    """The race judged by what was asked for or suits it, which its setting says, so that nothing is taken for
    a race by its own figure.

    Of a percentile each block has the one rate of the open loop that is judged, of the memory of programs
    each the invocation that tells it.
    """
    by = judged_by(workload, asked)
    if by == "throughput" or workload.measure == "cold":
        return race
    measured = race.measured
    if isinstance(measured, SlicePlan) and by in PERCENTILES:
        measured = measured.replaced(loads=measured.loads[:1])
    if isinstance(measured, InvocationPlan) and by == "memory":
        measured = measured.replaced(warmed_blocks=None)
    notes = race.notes if asked.judged_by == by else (*race.notes, BESIDE_THE_LOAD)
    return race.replaced(
        judged_by=by, setting=joined(race.setting, setting_of(by)), measured=measured, notes=notes
    )


def _refused(why: str, by: JudgedBy | None) -> UserError:
    if by == "size":
        return UserError(
            why, hint="deadheat build prints sizes; deadheat ab --metric size compares two revisions"
        )
    able = ", ".join(one for one in OF_PROGRAMS if one != "size")
    return UserError(why, hint=f"of programs: --metric {able}; startup and percentiles are of servers")
