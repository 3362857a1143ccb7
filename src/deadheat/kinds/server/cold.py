"""Servers from their start on: each turn is a fresh start, loaded from its first answer to its 10,000th."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack

from deadheat.generators.load_generator import LoadError
from deadheat.hosts import ExitedError, StartError
from deadheat.kinds.server.block import ServerBlock
from deadheat.kinds.server.protocol import ServerProtocol
from deadheat.kinds.server.started import NotServingError, Serving, last_words, started_server, until_right
from deadheat.model.measured import ColdPlan
from deadheat.model.observation import ColdStart, Failed, Observation
from deadheat.plan.schedule import Block, Turn
from deadheat.run.kind import Stage
from deadheat.stats import steady

# Up to which reply time is taken, beyond the first; and for how long all in all.
REPLIES = (100, 10_000)
LONGEST_MS = round(steady.LONGEST_S * 1000)


class LoadedWrongError(Exception):
    """A server that answered wrong, or not all, from its start on: why, in a clause."""


class ColdBlock:
    """One block of one race. One server runs at a time."""

    def __init__(self, stage: Stage, block: Block, protocol: ServerProtocol, stack: ExitStack) -> None:
        self._stage = stage
        self._block = block
        self._protocol = protocol
        self._generator = stack.enter_context(stage.load_generator())

    def observe(self) -> Generator[Observation]:
        """Turn after turn; who fails takes no more."""
        lost = set()
        for turn in self._block.turns:
            if turn.entry in lost:
                continue
            self._stage.view.state(turn.entry, "racing")
            seen = self._start(turn)
            if isinstance(seen, Failed):
                lost.add(turn.entry)
            self._stage.view.state(turn.entry, "failed" if turn.entry in lost else "waiting")
            yield seen

    def _start(self, turn: Turn) -> ColdStart | Failed:
        stage = self._stage
        port = stage.host.free_port()
        at = stage.address(turn.entry, port)
        token = self._block.token("ready", turn.round, turn.turn, turn.entry)
        try:
            with started_server(
                stage.host,
                stage.spec(turn.entry, {"port": port}),
                port,
                until_right(lambda: self._protocol.ask(stage, at, token)),
                stage.stop,
            ) as server:
                try:
                    return self._loaded(turn, server)
                except ExitedError as error:
                    return self._failed(turn.entry, f"{error}{last_words(stage.host, server.handle)}")
        except (StartError, NotServingError, LoadError) as error:
            return self._failed(turn.entry, str(error))
        except LoadedWrongError as error:
            return self._failed(turn.entry, str(error), wrong=True)

    def _loaded(self, turn: Turn, server: Serving) -> ColdStart:
        stage, first_s = self._stage, server.ready_ns / 1e9
        target = self._protocol.target(stage, stage.address(turn.entry, server.port))
        self._generator.open(turn.entry, **target)
        after_s, answered, at_ns = [first_s], 1, 0
        for number in REPLIES:
            seconds, at_ns = self._answered(turn, number - answered, after_s[-1])
            after_s.append(after_s[-1] + seconds)
            answered = number
        memory = stage.host.usage(server.handle, memory=True).memory
        self._generator.close_target(turn.entry)
        return ColdStart(
            race=stage.race.key,
            block=self._block.index,
            round=turn.round,
            turn=turn.turn,
            entry=turn.entry,
            at_ns=at_ns,
            first_reply_s=after_s[0],
            reply_100_s=after_s[1],
            reply_10000_s=after_s[2],
            peak_memory_bytes=memory.peak_bytes if memory else None,
        )

    def _answered(self, turn: Turn, requests: int, so_far_s: float) -> tuple[float, int]:
        """Seconds until just so many more requests were answered, and when that began. Raises
        LoadedWrongError."""
        token = self._block.token("cold", turn.round, turn.turn, turn.entry, requests)
        seen = self._generator.turn(turn.entry, token, 0, LONGEST_MS, requests=requests)
        if wrong := sum(seen["errors"].values()):
            raise LoadedWrongError(f"{wrong} answers from its start on were wrong: {seen['first_error']}")
        if seen["replies_all"] < requests:
            seconds = so_far_s + LONGEST_MS / 1000
            raise LoadedWrongError(f"{seconds:.0f} s after its start {requests:,} requests were not answered")
        return (seen["drained_ns"] - seen["started_ns"]) / 1e9, seen["started_ns"]

    def _failed(self, entry: str, reason: str, *, wrong: bool = False) -> Failed:
        return Failed(
            race=self._stage.race.key,
            block=self._block.index,
            entry=entry,
            reason=reason,
            wrong_answer=wrong,
        )


def driven(stage: Stage, block: Block, protocol: ServerProtocol, stack: ExitStack) -> Generator[Observation]:
    """A block of a race of servers, warm and in slices or cold, as it is planned."""
    if isinstance(stage.race.measured, ColdPlan):
        return ColdBlock(stage, block, protocol, stack).observe()
    return ServerBlock(stage, block, protocol, stack).observe()
