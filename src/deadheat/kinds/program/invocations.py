"""Programs that run to completion, whatever they do: one invocation, and a block of them by turns."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Sequence

from deadheat import hosts
from deadheat.hosts import Collected, StartError
from deadheat.hosts.program import Exit, Spec
from deadheat.kinds.conformance import Wrong
from deadheat.model.observation import Failed, Invocation, Observation, Resumed
from deadheat.model.plan import RacePlan
from deadheat.plan.schedule import Block, Turn
from deadheat.results.tally import tallied
from deadheat.run.kind import Stage
from deadheat.storage.journal import whole_blocks

#: Runs one turn; told whether it is a warm-up. Raises Wrong.
Invoke = Callable[[Turn, bool], Invocation]


def interleaved(
    stage: Stage, block: Block, invoke: Invoke, lost: set[str] | None = None
) -> Generator[Observation]:
    """Warm-ups in the block's order of starts, then the block's turns.

    What a warm-up runs is not timed: it fills caches, and is traced to know its memory. An entry that is
    wrong is observed as `Failed` and has no further turn; those in `lost` have none at all.
    """
    lost = set() if lost is None else lost
    warmed = cold(stage.race, stage.observed)
    first = [Turn(0, place, entry) for place, entry in enumerate(block.start) if entry in warmed]
    for warm_up, turn in [*((True, t) for t in first), *((False, t) for t in block.turns)]:
        if turn.entry in lost:
            continue
        stage.view.state(turn.entry, "warming" if warm_up else "racing")
        try:
            observed: Observation = invoke(turn, warm_up)
        except Wrong as wrong:
            lost.add(turn.entry)
            observed = failed(stage, block, turn.entry, wrong)
        stage.view.state(turn.entry, "failed" if turn.entry in lost else "waiting")
        yield observed


def cold(race: RacePlan, observed: Sequence[Observation]) -> set[str]:
    """The entries to be warmed up in a race's next block: all, until as many blocks that count as the plan
    says were begun so; later who has not run since the run was taken up again."""
    entries, planned = {entry.id for entry in race.entries}, race.invocations.warmed_blocks
    if planned is None:
        return entries
    told = tallied(race, whole_blocks(list(observed))).warm_ups
    latest = itertools.takewhile(lambda o: not isinstance(o, Resumed), reversed(observed))
    ran = {o.entry for o in latest if isinstance(o, Invocation) and o.race == race.key}
    return {entry for entry in entries if entry not in ran or len(told.get(entry, ())) < planned}


def failed(stage: Stage, block: Block, entry: str, wrong: Wrong, *, not_run: bool = False) -> Failed:
    """The observation of an entry that gave a wrong answer or none; `not_run`: it said that it cannot."""
    return Failed(
        race=stage.race.key,
        block=block.index,
        entry=entry,
        reason=wrong.reason,
        wrong_answer=not not_run,
        not_run=not_run,
    )


def complete(stage: Stage, spec: Spec) -> tuple[Exit, Collected]:
    """Run a program to its end, however that is. Raises Wrong where it cannot be started."""
    try:
        handle = stage.host.start(spec)
    except StartError as error:
        raise Wrong(str(error), f"{' '.join(spec.argv)}\n{error}") from error
    exit_ = hosts.wait(stage.host, handle, stage.stop)
    return exit_, stage.host.collect(handle)


def invocation(
    stage: Stage,
    block: Block,
    turn: Turn,
    exit_: Exit,
    *,
    warm_up: bool,
    n: int,
    own_wall_s: float | None = None,
    server_cpu_s: float | None = None,
) -> Invocation:
    """What is seen of any program from outside, its size `n`, and what a kind knows beside that."""
    return Invocation(
        race=stage.race.key,
        block=block.index,
        round=turn.round,
        turn=turn.turn,
        entry=turn.entry,
        warm_up=warm_up,
        n=n,
        at_ns=exit_.at_ns,
        wall_s=exit_.wall_ns / 1e9,
        user_s=exit_.cpu.user_ns / 1e9,
        system_s=exit_.cpu.system_ns / 1e9,
        peak_memory_bytes=exit_.peak_memory_bytes if warm_up else None,
        own_wall_s=own_wall_s,
        server_cpu_s=server_cpu_s,
    )
