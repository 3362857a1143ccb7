"""Programs that run to completion, whatever they do: one invocation, and a block of them by turns."""

from __future__ import annotations

from collections.abc import Callable, Generator

from deadheat import hosts
from deadheat.hosts import Collected, StartError
from deadheat.hosts.program import Exit, Spec
from deadheat.kinds.conformance import Wrong
from deadheat.model.observation import Failed, Invocation, Observation
from deadheat.plan.schedule import Block, Turn
from deadheat.run.kind import Stage

#: Runs one turn; told whether it is a warm-up. Raises Wrong.
Invoke = Callable[[Turn, bool], Invocation]


def interleaved(
    stage: Stage, block: Block, invoke: Invoke, lost: set[str] | None = None
) -> Generator[Observation]:
    """A warm-up of each entry in the block's order of starts, then the block's turns.

    The first of each is not timed: it fills caches, and is traced to know its memory. An entry that is
    wrong is observed as `Failed` and has no further turn; those in `lost` have none at all.
    """
    lost = set() if lost is None else lost
    first = [Turn(0, place, entry) for place, entry in enumerate(block.start)]
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
