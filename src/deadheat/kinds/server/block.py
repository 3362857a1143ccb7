"""Servers under load: what kinds http and grpc share. A block starts every entry afresh, then turns the
engine from one to the next while the others are frozen."""

import random
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from deadheat.generators.load_generator import LoadError
from deadheat.hosts import ExitedError, Handle, StartError
from deadheat.kinds import conformance
from deadheat.kinds.server import openings
from deadheat.kinds.server.protocol import ServerProtocol
from deadheat.kinds.server.started import (
    STOP_GRACE_S,
    NotServingError,
    last_words,
    started_server,
    until_right,
)
from deadheat.kinds.server.turns import Running, Turns
from deadheat.kinds.server.warm_up import calmed, kept_awake, warmed_again, warmed_up
from deadheat.model.address import Address
from deadheat.model.contender import Contender
from deadheat.model.http_protocol import OVER_TLS
from deadheat.model.observation import Ended, Failed, LongTurn, Observation, OfRequest, Slice, Started
from deadheat.model.plan import RacePlan
from deadheat.plan import equal_load, long_turns
from deadheat.plan.schedule import Block, Turn
from deadheat.run.kind import Stage
from deadheat.run.long_turns import due

FEWEST_ROUNDS = 2


class ServerBlock:
    """One block of one race. Everything it starts ends with the stack it is given."""

    def __init__(self, stage: Stage, block: Block, protocol: ServerProtocol, stack: ExitStack) -> None:
        self._stage = stage
        self._block = block
        self._protocol = protocol
        self._stack = stack
        self._generator = stack.enter_context(stage.load_generator())
        self._turns = Turns(stage, block, self._generator)

    def observe(self) -> Generator[Observation]:
        """Start and warm up one after the other, take turns, end.

        A connection is asked on as soon as it is open: a server that was frozen for a minute with one on
        which nothing had come would answer 408 (Node, by its `headersTimeout`).
        """
        for entry in self._block.start:
            yield self._started(entry)
            if entry in self._turns.running:
                for observed in warmed_up(self._turns, entry):
                    yield observed
                    yield from kept_awake(self._turns, entry)
        for entry in list(self._turns.running):
            yield from warmed_again(self._turns, entry)
        rounds = self._affordable_rounds()
        for turn in self._block.turns:
            if turn.entry in self._turns.running and turn.round < rounds:
                yield from self._slice(turn)
        yield from self._equal_load()
        yield from self._long_turns()
        yield from self._all_ended()

    def _started(self, entry: str) -> Observation:
        """Start a server, wait until it answers right, open the generator's connections, freeze it."""
        stage, contender = self._stage, self._stage.build(entry).contender
        stage.view.state(entry, "starting")
        port = stage.port(entry)
        at = stage.address(entry, port)
        token = self._block.token("ready", entry)
        try:
            server = self._stack.enter_context(
                started_server(
                    stage.host,
                    stage.spec(entry, {"port": port}),
                    port,
                    until_right(lambda: self._protocol.ask(stage, at, token)),
                    stage.stop,
                )
            )
            race = stage.race
            running = Running(entry, server.handle, port, race.lead_in_of(entry), race.slices.counted_ms)
            running.attached = contender.runs_already
            opening_cpu_ns = self._opened(entry, contender, server.handle, at)
            self._turns.add(running)
        except (StartError, NotServingError, LoadError) as error:
            return self._turns.failed(entry, str(error))
        except ExitedError as error:
            return self._turns.failed(entry, f"{error}{last_words(stage.host, server.handle)}")
        return Started(
            race=stage.race.key,
            block=self._block.index,
            entry=entry,
            first_response_ms=None if running.attached else server.ready_ns / 1e6,
            metered=not contender.elsewhere,
            opening_cpu_ns=opening_cpu_ns,
            container=stage.host.collect(server.handle).container if contender.contained else None,
        )

    def _opened(self, entry: str, contender: Contender, handle: Handle, at: Address) -> int | None:
        """Open the generator's connections; over TLS what that cost the server, ns of CPU time. Raises
        LoadError, ExitedError, NotServingError."""
        target = self._protocol.target(self._stage, at)

        def open_all() -> None:
            self._generator.open(entry, **target)

        if self._stage.race.protocol in OVER_TLS and not contender.elsewhere:
            return openings.cpu_ns(self._stage.host, handle, open_all)
        open_all()
        return None

    def _affordable_rounds(self) -> int:
        """As many rounds as take about the planned time, where slow servers need longer slices."""
        race = self._stage.race
        planned = (race.slices.lead_in_ms + race.slices.counted_ms) * len(self._turns.running)
        actual = sum(running.lead_in_ms + running.counted_ms for running in self._turns.running.values())
        return max(min(FEWEST_ROUNDS, race.rounds), race.rounds * planned // max(1, actual))

    def _slice(self, turn: Turn) -> Generator[Observation]:
        yield from calmed(self._turns, turn.entry)
        if (running := self._turns.running.get(turn.entry)) is None:
            return
        self._stage.view.state(turn.entry, "racing")
        observed = self._turns.take(running, turn, running.lead_in_ms, running.counted_ms)
        self._stage.view.state(turn.entry, "frozen")
        yield observed

    def _equal_load(self) -> Generator[Observation]:
        """The same fixed rates for every server, in an open loop, apart from the slices."""
        race = self._stage.race
        for entry, running in list(self._turns.running.items()):
            try:
                running.closed = self._generator.histogram(entry)
            except LoadError as error:
                yield self._turns.failed(entry, str(error))
        loads = equal_load.loads_of(race, self._block.index)
        rates = equal_load.rates(race, self._stage.observed, loads)
        rng = random.Random(self._block.token("open-loop"))
        for turn in equal_load.turns(rates, list(self._turns.running), rng):
            if turn.entry in self._turns.running:
                self._stage.view.state(turn.entry, "racing")
                yield self._turns.take_at_rate(self._turns.running[turn.entry], turn)
                self._stage.view.state(turn.entry, "frozen")

    def _long_turns(self) -> Generator[Observation]:
        """After all else, turns without a break, of those whose slices are still to be held against them.

        What a server holds in memory is looked at before: not all have such turns.
        """
        race = self._stage.race
        entries = [entry for entry in due(self._stage) if entry in self._turns.running]
        if race.slices.long_turns is None or race.reference_entry not in entries or len(entries) < 2:
            return
        try:
            for running in self._turns.running.values():
                running.usage = self._stage.host.usage(running.handle, memory=True)
        except ExitedError as error:
            yield self._turns.failed(running.entry, self._turns.why(running, error))
        rng = random.Random(self._block.token("long-turns"))
        for turn in long_turns.turns(race, entries, rng):
            if turn.entry not in self._turns.running:
                continue
            self._stage.view.state(turn.entry, "racing")
            running = self._turns.running[turn.entry]
            seen = self._turns.take(running, turn, running.lead_in_ms, race.slices.long_turns.turn_ms)
            self._stage.view.state(turn.entry, "frozen")
            yield seen if not isinstance(seen, Slice) else _long(seen)

    def _all_ended(self) -> Generator[Observation]:
        """What each has used, and what is wrong with it now; then all are stopped side by side, since some
        take their time to go."""
        handles = []
        for entry in self._block.start:
            if entry in self._turns.running:
                handles.append(self._turns.running[entry].handle)
                yield self._ended(entry)
        with ThreadPoolExecutor(max_workers=max(1, len(handles))) as pool:
            for stopped in [pool.submit(self._stage.host.stop, each, STOP_GRACE_S) for each in handles]:
                stopped.result()

    def _ended(self, entry: str) -> Observation:
        running = self._turns.running.pop(entry)
        try:
            usage = running.usage or self._stage.host.usage(running.handle, memory=True)
            self._generator.close_target(entry)
        except (ExitedError, LoadError) as error:
            return self._turns.failed(entry, str(error))
        if (wrong := self._wrong_at_last(running)) is not None:
            return wrong
        self._stage.view.state(entry, "stopping")
        memory, closed = usage.memory, running.closed
        return Ended(
            race=self._stage.race.key,
            block=self._block.index,
            entry=entry,
            memory_bytes=memory.proportional_bytes if memory else None,
            private_bytes=memory.private_bytes if memory else None,
            peak_memory_bytes=memory.peak_bytes if memory else None,
            threads=usage.threads or None,
            # The reference's second entry is the same process, which is used on its own turns too.
            frozen_cpu_ns=None if running.attached else running.frozen_cpu_ns,
            hdr=closed.hdr if closed is not None else None,
            hdr_by_host=dict(closed.by_host) if closed is not None else {},
            by_request=tuple(OfRequest(**each) for each in closed.by_request) if closed is not None else (),
        )

    def _wrong_at_last(self, running: Running) -> Failed | None:
        """What is wrong with a server that has been loaded, when it is asked once more by itself."""
        if self._protocol.at_last is None:
            return None
        stage, entry = self._stage, running.entry
        at = stage.address(entry, running.port)
        try:
            stage.host.thaw(running.handle)
            found = conformance.run(self._protocol.at_last(stage, entry, at))
        except (ExitedError, OSError) as error:
            return self._turns.failed(entry, f"asked after its load: {error}")
        if found.ok:
            return None
        return self._turns.failed(entry, f"asked after its load: {found.reason}", wrong_answer=True)


def threads(race: RacePlan) -> dict[str, int]:
    """The engine's threads, where the plan asks for more than its own one."""
    asked = race.load.generator_threads
    return {} if asked == 1 else {"threads": asked}


def within(at: Address) -> dict[str, str]:
    """The network that the engine connects in, where it is another than its own."""
    return {} if at.network is None else {"network": str(at.network)}


def _long(turn: Slice) -> LongTurn:
    """Of a turn without a break, what slices are held against."""
    own = {"counted_s": turn.counted_s, "took_s": turn.took_ns / 1e9}
    same = {name: getattr(turn, name) for name in LongTurn.model_fields.keys() - {"type", *own}}
    return LongTurn.model_validate(same | own)
