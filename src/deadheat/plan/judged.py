"""What races are judged by (`--metric`), where that is not their own figure."""

from __future__ import annotations

from collections.abc import Sequence

from deadheat.errors import UserError
from deadheat.model.choices import JudgedBy
from deadheat.model.judged import OF_PROGRAMS, PERCENTILES
from deadheat.model.measured import SlicePlan
from deadheat.model.plan import RacePlan
from deadheat.model.workload import Workload
from deadheat.plan.parameters import joined


def why_not(workload: Workload, by: JudgedBy) -> str | None:
    """Why the races of a workload cannot be judged by that; None where they can."""
    if by == "throughput" or (workload.measure == "cold" and by == "startup"):
        return None
    if by == "size":
        return "a size does not vary, so there is nothing to race"
    if workload.measure == "cold":
        return f"{workload.name} starts a server for each turn, and knows its startup alone, not its {by}"
    if not workload.traits.serves and by not in OF_PROGRAMS:
        return f"{workload.name}: a program that runs to its end has no {by}"
    return None


def can_be(workloads: Sequence[Workload], by: JudgedBy) -> list[Workload]:
    """Those that can be judged by it. Raises UserError where none can."""
    whys = [why_not(workload, by) for workload in workloads]
    able = [workload for workload, why in zip(workloads, whys, strict=True) if why is None]
    if not able and workloads:
        raise _refused(whys[0] or "", by)
    return able


def refuse(workload: Workload, by: JudgedBy) -> None:
    """Raises UserError where its races cannot be judged by it."""
    if (why := why_not(workload, by)) is not None:
        raise _refused(why, by)


def judged(race: RacePlan, workload: Workload, by: JudgedBy) -> RacePlan:
    """The race judged by it, which its setting says, so that nothing is taken for a race by its own figure.

    Of a percentile each block has the one rate of the open loop that is judged.
    """
    if by == "throughput" or workload.measure == "cold":
        return race
    measured = race.measured
    if isinstance(measured, SlicePlan) and by in PERCENTILES:
        measured = measured.replaced(loads=measured.loads[:1])
    return race.replaced(judged_by=by, setting=joined(race.setting, f"by={by}"), measured=measured)


def _refused(why: str, by: JudgedBy) -> UserError:
    if by == "size":
        return UserError(
            why, hint="deadheat build prints sizes; deadheat ab --metric size compares two revisions"
        )
    able = ", ".join(one for one in OF_PROGRAMS if one != "size")
    return UserError(why, hint=f"of programs: --metric {able}; startup and percentiles are of servers")
