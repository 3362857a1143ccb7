"""Races of programs: one for each size n that contenders take."""

from __future__ import annotations

from collections.abc import Sequence

from deadheat.model.contender import Contender
from deadheat.model.measured import InvocationPlan
from deadheat.model.plan import RacePlan
from deadheat.model.workload import Preset, Workload


def of_program(
    race: RacePlan, workload: Workload, contenders: Sequence[Contender], preset: Preset
) -> tuple[RacePlan, ...]:
    """A race for each n: a contender that does not take the race's n meets the reference at its largest.

    A pair is never compared at different n, so each has the reference, and its null pair, at its own.
    """
    usual = race.invocations.n
    limits = {c.id: c.largest_n(preset) for c in contenders}
    own = limits.get(workload.reference)
    n = usual if own is None else min(usual, own)
    at = {id_: n if limit is None else min(n, limit) for id_, limit in limits.items()}
    sizes = sorted({size for id_, size in at.items() if id_ != workload.reference} or {n}, reverse=True)
    return tuple(
        race.replaced(
            measured=InvocationPlan(n=size),
            setting=None if size == n else f"n={size}",
            entries=tuple(
                e for e in race.entries if e.contender == workload.reference or at[e.contender] == size
            ),
        )
        for size in sizes
    )
