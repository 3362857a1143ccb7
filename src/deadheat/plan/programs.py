"""Races of programs: one for each choice of their parameters, and of these one for each size n that
contenders take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from deadheat import stats
from deadheat.model.contender import Contender
from deadheat.model.measured import InvocationPlan
from deadheat.model.parameter import Setting
from deadheat.model.pipeline import depth_of, rounds_of
from deadheat.model.plan import RacePlan
from deadheat.model.workload import Preset, Workload
from deadheat.plan import parameters

# As many as a verdict needs.
LEAST_BLOCKS = 5
# Every invocation is a start of its own, and caches stay full from one block to the next: what is not timed
# only has to tell of memory in as many blocks as any verdict needs. A service is another in each block.
WARMED_BLOCKS = stats.METHOD.fewest_if_skewed


def of_program(
    race: RacePlan,
    workload: Workload,
    contenders: Sequence[Contender],
    wanted: parameters.Wanted,
    preset: Preset,
) -> tuple[RacePlan, ...]:
    """The races of a program workload, the default one first."""
    return tuple(
        sized
        for values in parameters.combinations(workload, wanted, preset)
        for sized in _of_sizes(_at(race, workload, values, preset), workload, contenders, preset)
    )


def measured(workload: Workload, n: int, values: Mapping[str, Setting]) -> InvocationPlan:
    """What an invocation is asked at this size: less, where few commands are handed over at a time."""
    pipeline = workload.pipeline
    if pipeline is None:
        return InvocationPlan(n=n, warmed_blocks=None if workload.services else WARMED_BLOCKS)
    rounds, depth = rounds_of(values), depth_of(values)
    size = pipeline.size(n, depth)
    commands = pipeline.commands(size, rounds)
    about_s = None if pipeline.takes is None else pipeline.takes.invocation_s(commands, depth)
    return InvocationPlan(n=size, commands=commands, about_s=about_s)


def _at(race: RacePlan, workload: Workload, values: parameters.Values, preset: Preset) -> RacePlan:
    """The race at these values; beside the workload's own a shorter one."""
    assert workload.program is not None
    race = parameters.at(race, workload, values)
    race = race.replaced(measured=measured(workload, workload.program.n.at(preset), race.values))
    if race.setting is None:
        return race
    return race.replaced(blocks=max(LEAST_BLOCKS, race.blocks // 2), rounds=1)


def _of_sizes(
    race: RacePlan, workload: Workload, contenders: Sequence[Contender], preset: Preset
) -> Iterator[RacePlan]:
    """A race for each n: a contender that does not take the race's n meets the reference at its largest.

    A pair is never compared at different n, so each has the reference, and its null pair, at its own.
    """
    usual = race.invocations.n
    limits = {c.id: c.largest_n(preset) for c in contenders}
    own = limits.get(workload.reference)
    n = usual if own is None else min(usual, own)
    at = {id_: n if limit is None else min(n, limit) for id_, limit in limits.items()}
    sizes = sorted({size for id_, size in at.items() if id_ != workload.reference} or {n}, reverse=True)
    for size in sizes:
        smaller = None if size == n else f"n={size}"
        yield race.replaced(
            measured=measured(workload, size, race.values),
            setting=parameters.joined(race.setting, smaller),
            entries=tuple(
                e for e in race.entries if e.contender == workload.reference or at[e.contender] == size
            ),
        )
