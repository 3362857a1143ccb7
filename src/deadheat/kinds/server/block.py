"""Servers under load: what kinds http and grpc share. A block starts every entry afresh, then turns the
engine from one to the next while the others are frozen."""

import itertools
import math
import random
import statistics
from collections.abc import Generator
from contextlib import ExitStack
from dataclasses import dataclass, field

import numpy as np

from deadheat.generators.engine import Engine, EngineError
from deadheat.hosts import ExitedError, Handle, StartError, Usage
from deadheat.kinds.server.protocol import ServerProtocol
from deadheat.kinds.server.started import (
    STOP_GRACE_S,
    NotServingError,
    last_words,
    started_server,
    until_right,
)
from deadheat.model.observation import (
    Ended,
    Failed,
    LongTurn,
    Observation,
    OpenLoop,
    Slice,
    Started,
    WarmedUp,
)
from deadheat.model.plan import RacePlan
from deadheat.plan import equal_load, long_turns
from deadheat.plan.schedule import Block, Turn
from deadheat.run.kind import Stage
from deadheat.run.long_turns import due
from deadheat.stats import steady

REQUEST_TIMEOUT_MS = 5000
# Slices grow with the latency: 10 times the mean to settle, 20 times to count.
LEAD_IN_LATENCIES, COUNTED_LATENCIES = 10, 20
FEWEST_ROUNDS = 2


@dataclass
class Running:
    """A started server of a block."""

    entry: str
    handle: Handle
    port: int
    lead_in_ms: int
    counted_ms: int
    pids: tuple[int, ...] = ()
    frozen_cpu_ns: int = 0
    cpu_at_freeze: int | None = field(default=None)
    closed_hdr: str | None = None
    usage: Usage | None = None
    attached: bool = False


class ServerBlock:
    """One block of one race. Everything it starts ends with the stack it is given."""

    def __init__(self, stage: Stage, block: Block, protocol: ServerProtocol, stack: ExitStack) -> None:
        self._stage = stage
        self._block = block
        self._protocol = protocol
        self._stack = stack
        self._running: dict[str, Running] = {}
        self._engine = stack.enter_context(Engine(stage.plan.generator_cpus, stage.logs / "engine.log"))

    def observe(self) -> Generator[Observation]:
        """Start, warm up, take turns, end."""
        for entry in self._block.start:
            yield self._started(entry)
        for entry in self._block.start:
            if entry in self._running:
                yield from self._warmed_up(entry)
        rounds = self._affordable_rounds()
        for turn in self._block.turns:
            if turn.entry in self._running and turn.round < rounds:
                yield self._slice(turn)
        yield from self._equal_load()
        yield from self._long_turns()
        for entry in self._block.start:
            if entry in self._running:
                yield self._ended(entry)

    def _started(self, entry: str) -> Observation:
        """Start a server, wait until it answers right, open the engine's connections, freeze it."""
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
            self._engine.open(entry, timeout_ms=REQUEST_TIMEOUT_MS, **self._protocol.target(stage, at))
            self._freeze(running)
        except (StartError, NotServingError, EngineError) as error:
            return self._failed(entry, str(error))
        except ExitedError as error:
            return self._failed(entry, f"{error}{last_words(stage.host, server.handle)}")
        self._running[entry] = running
        return Started(
            race=stage.race.key,
            block=self._block.index,
            entry=entry,
            first_response_ms=None if running.attached else server.ready_ns / 1e6,
            metered=not contender.elsewhere,
        )

    def _warmed_up(self, entry: str) -> Generator[Observation]:
        """Longer turns that are not counted, until the server is no longer getting faster.

        At least for as long as its earlier starts needed, at most for `steady.LONGEST_S`. The last turn tells
        how long this server's slices must be.
        """
        self._stage.view.state(entry, "warming")
        running, race = self._running[entry], self._stage.race
        needed_s, loaded_s = self._needed_s(entry), 0.0
        rates = np.empty(0)
        for number in itertools.count():
            observed = self._turn(running, Turn(0, number, entry), 0, race.slices.warm_up_ms, warm_up=True)
            yield observed
            if not isinstance(observed, Slice):
                return
            self._sized(running, observed)
            loaded_s += race.slices.warm_up_ms / 1000
            rates = np.append(rates, steady.rates_rps(observed.bins, observed.bin_ms))
            rising = steady.still_rising(rates)
            if loaded_s >= steady.LONGEST_S or (loaded_s >= needed_s and not rising):
                break
        try:
            self._engine.histogram(entry)  # what the warm-up left in it
        except EngineError as error:
            yield self._failed(entry, str(error))
            return
        yield WarmedUp(
            race=race.key,
            block=self._block.index,
            entry=entry,
            loaded_s=loaded_s,
            needed_s=steady.settled_s(rates),
            rising=rising,
        )

    def _sized(self, running: Running, last: Slice) -> None:
        """Slices as long as this server's latency asks for."""
        if last.replies:
            race, mean_ms = self._stage.race, last.latency_sum_ns / last.replies / 1e6
            running.lead_in_ms = _grown(race.lead_in_of(running.entry), LEAD_IN_LATENCIES * mean_ms)
            running.counted_ms = _grown(race.slices.counted_ms, COUNTED_LATENCIES * mean_ms)

    def _needed_s(self, entry: str) -> float:
        """What this contender's starts so far took to be at their level, whichever entry it was; the median,
        so that one noisy start makes no other wait."""
        race = self._stage.race
        same = {e.id for e in race.entries if e.contender == race.contender_of(entry)}
        took = [
            o.needed_s
            for o in self._stage.observed
            if isinstance(o, WarmedUp) and o.race == race.key and o.entry in same
        ]
        return max(steady.SHORTEST_S, statistics.median(took) if took else 0.0)

    def _affordable_rounds(self) -> int:
        """As many rounds as take about the planned time, where slow servers need longer slices."""
        race = self._stage.race
        planned = (race.slices.lead_in_ms + race.slices.counted_ms) * len(self._running)
        actual = sum(running.lead_in_ms + running.counted_ms for running in self._running.values())
        return max(min(FEWEST_ROUNDS, race.rounds), race.rounds * planned // max(1, actual))

    def _slice(self, turn: Turn) -> Observation:
        running = self._running[turn.entry]
        self._stage.view.state(turn.entry, "racing")
        observed = self._turn(running, turn, running.lead_in_ms, running.counted_ms)
        self._stage.view.state(turn.entry, "frozen")
        return observed

    def _equal_load(self) -> Generator[Observation]:
        """The same fixed rates for every server, in an open loop, apart from the slices."""
        race = self._stage.race
        for entry, running in list(self._running.items()):
            try:
                running.closed_hdr = self._engine.histogram(entry)
            except EngineError as error:
                yield self._failed(entry, str(error))
        loads = equal_load.loads_of(race, self._block.index)
        rates = equal_load.rates(race, self._stage.observed, loads)
        rng = random.Random(self._block.token("open-loop"))
        for turn in equal_load.turns(rates, list(self._running), rng):
            if turn.entry in self._running:
                self._stage.view.state(turn.entry, "racing")
                yield self._open_loop(self._running[turn.entry], turn)
                self._stage.view.state(turn.entry, "frozen")

    def _open_loop(self, running: Running, turn: equal_load.Turn) -> Observation:
        counted_ms = equal_load.counted_ms(self._stage.race, turn.rate_rps)
        token = self._block.token("open-loop", turn.load, turn.number, running.entry)
        # Requests come at the same times to everybody.
        seed = int(self._block.token("arrivals", turn.load), 16)
        try:
            before = self._thaw(running)
            reported = self._engine.turn(
                running.entry,
                token,
                equal_load.LEAD_IN_MS,
                counted_ms,
                pids=list(before.pids),
                rate=turn.rate_rps,
                arrivals=equal_load.ARRIVALS,
                seed=seed,
            )
            self._freeze(running)
            hdr, service_hdr = self._engine.histograms(running.entry)
        except (ExitedError, EngineError) as error:
            return self._failed(
                running.entry, f"in block {self._block.index + 1}: {self._why(running, error)}"
            )
        return OpenLoop(
            race=self._stage.race.key,
            block=self._block.index,
            entry=running.entry,
            load=turn.load,
            rate_rps=turn.rate_rps,
            turn=turn.number,
            counted_ms=counted_ms,
            arrivals=equal_load.ARRIVALS,
            hdr=hdr,
            service_hdr=service_hdr,
            **{name: reported["open_loop"][name] for name in ("achieved_rps", "due", "unsent", "queue_max")},
            **{name: reported[name] for name in OpenLoop.model_fields if name in reported},
        )

    def _long_turns(self) -> Generator[Observation]:
        """After all else, turns without a break, of those whose slices are still to be held against them.

        What a server holds in memory is looked at before: not all have such turns.
        """
        race = self._stage.race
        entries = [entry for entry in due(self._stage) if entry in self._running]
        if race.slices.long_turns is None or race.reference_entry not in entries or len(entries) < 2:
            return
        try:
            for running in self._running.values():
                running.usage = self._stage.host.usage(running.handle, memory=True)
        except ExitedError as error:
            yield self._failed(running.entry, self._why(running, error))
        rng = random.Random(self._block.token("long-turns"))
        for turn in long_turns.turns(race, entries, rng):
            if turn.entry not in self._running:
                continue
            self._stage.view.state(turn.entry, "racing")
            running = self._running[turn.entry]
            seen = self._turn(running, turn, running.lead_in_ms, race.slices.long_turns.turn_ms)
            self._stage.view.state(turn.entry, "frozen")
            yield seen if not isinstance(seen, Slice) else _long(seen)

    def _turn(
        self, running: Running, turn: Turn, lead_in_ms: int, counted_ms: int, *, warm_up: bool = False
    ) -> Observation:
        """Thaw, load, freeze."""
        token = self._block.token(turn.round, turn.turn, turn.entry, warm_up)
        try:
            services = self._stage.services_cpu_ns()
            before = self._thaw(running)
            counted = self._engine.turn(running.entry, token, lead_in_ms, counted_ms, pids=list(before.pids))
            after = self._freeze(running)
            services_until = self._stage.services_cpu_ns()
        except (ExitedError, EngineError) as error:
            return self._failed(
                running.entry, f"in block {self._block.index + 1}: {self._why(running, error)}"
            )
        waited = None
        if before.runqueue_wait_ns is not None and after.runqueue_wait_ns is not None:
            waited = max(0, after.runqueue_wait_ns - before.runqueue_wait_ns)
        return Slice(
            race=self._stage.race.key,
            block=self._block.index,
            round=turn.round,
            turn=turn.turn,
            entry=running.entry,
            warm_up=warm_up,
            server_runqueue_wait_ns=waited,
            services_cpu_ns=None
            if services is None or services_until is None
            else max(0, services_until - services),
            **counted,
        )

    def _why(self, running: Running, error: Exception) -> str:
        """A dead server says more than the engine that lost it."""
        try:
            self._stage.host.usage(running.handle, memory=False)
        except ExitedError as exited:
            return f"{exited}{last_words(self._stage.host, running.handle)}"
        return str(error)

    def _thaw(self, running: Running) -> Usage:
        """What it had used while frozen is on record: it should be nothing."""
        before = self._stage.host.usage(running.handle, memory=False)
        if running.cpu_at_freeze is not None:
            running.frozen_cpu_ns += max(0, before.cpu.total_ns - running.cpu_at_freeze)
        self._stage.host.thaw(running.handle)
        return before

    def _freeze(self, running: Running) -> Usage:
        self._stage.host.freeze(running.handle)
        after = self._stage.host.usage(running.handle, memory=False)
        running.cpu_at_freeze = after.cpu.total_ns
        return after

    def _ended(self, entry: str) -> Observation:
        running = self._running.pop(entry)
        try:
            usage = running.usage or self._stage.host.usage(running.handle, memory=True)
            self._engine.close_target(entry)
        except (ExitedError, EngineError) as error:
            return self._failed(entry, str(error))
        self._stage.view.state(entry, "stopping")
        self._stage.host.stop(running.handle, STOP_GRACE_S)
        memory = usage.memory
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
            hdr=running.closed_hdr,
        )

    def _failed(self, entry: str, reason: str) -> Failed:
        self._running.pop(entry, None)
        self._stage.view.state(entry, "failed")
        return Failed(race=self._stage.race.key, block=self._block.index, entry=entry, reason=reason)


def threads(race: RacePlan) -> dict[str, int]:
    """The engine's threads, where the plan asks for more than its own one."""
    asked = race.load.generator_threads
    return {} if asked == 1 else {"threads": asked}


def _long(turn: Slice) -> LongTurn:
    """Of a turn without a break, what slices are held against."""
    return LongTurn(
        counted_s=turn.counted_s,
        **{name: getattr(turn, name) for name in LongTurn.model_fields if name not in ("type", "counted_s")},
    )


def _grown(least_ms: int, wanted_ms: float) -> int:
    """At least what the plan says, else the next whole multiple of it."""
    return least_ms * max(1, math.ceil(wanted_ms / least_ms))
