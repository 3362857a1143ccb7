"""Servers under load: what kinds http and grpc share. A block starts every entry afresh, then turns the
engine from one to the next while the others are frozen."""

import math
import random
import statistics
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from deadheat import hosts
from deadheat.conformance import Wrong
from deadheat.generators.engine import Engine, EngineError
from deadheat.hosts import ExitedError, Handle, Host, NotReadyError, StartError, Usage
from deadheat.kinds import equal_load
from deadheat.kinds.base import Stage
from deadheat.model.observation import Ended, Failed, Observation, OpenLoop, Slice, Started
from deadheat.model.plan import WorkloadPlan
from deadheat.schedule import Block, Turn

READY_TIMEOUT_S = 30.0
STOP_GRACE_S = 5.0
REQUEST_TIMEOUT_MS = 5000
# Slices grow with the latency: 10 times the mean to settle, 20 times to count.
LEAD_IN_LATENCIES, COUNTED_LATENCIES = 10, 20
# A server is still warming up where its mean latency fell below this share of the warm-up's before.
MOST_WARM_UPS, STILL_WARMING = 4, 0.75
FEWEST_ROUNDS = 2

# One request to a server at a port, with a token. Raises Wrong, or OSError where nobody answers.
Ask = Callable[[Stage, int, str], None]
# What the engine is told to open: the protocol's own fields.
Target = Callable[[Stage, int], Mapping[str, Any]]


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
    rates_rps: list[float] = field(default_factory=list)
    closed_hdr: str | None = None


class ServerBlock:
    """One block of one race. Everything it starts ends with the stack it is given."""

    def __init__(self, stage: Stage, block: Block, ask: Ask, target: Target, stack: ExitStack) -> None:
        self._stage = stage
        self._block = block
        self._ask = ask
        self._target = target
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
        for entry in self._block.start:
            if entry in self._running:
                yield self._ended(entry)

    def _started(self, entry: str) -> Observation:
        """Start a server, wait until it answers right, open the engine's connections, freeze it."""
        stage = self._stage
        stage.view.state(entry, "starting")
        port = stage.host.free_port()
        token = self._block.token("ready", entry)
        try:
            handle = stage.host.start(stage.spec(entry, {"port": port}))
            self._stack.callback(stage.host.stop, handle, STOP_GRACE_S)
            ready_ns = hosts.ready(
                stage.host, handle, lambda: self._complaint(port, token), READY_TIMEOUT_S, stage.stop
            )
            race = stage.race
            running = Running(entry, handle, port, race.lead_in_ms, race.counted_ms)
            self._engine.open(entry, timeout_ms=REQUEST_TIMEOUT_MS, **self._target(stage, port))
            self._freeze(running)
        except ExitedError as error:
            return self._failed(entry, f"{error}{last_words(stage.host, handle)}")
        except NotReadyError as error:
            return self._failed(entry, f"{error}{elsewhere(stage.host, handle, port)}")
        except (StartError, EngineError) as error:
            return self._failed(entry, str(error))
        self._running[entry] = running
        return Started(
            workload=stage.race.key, block=self._block.index, entry=entry, first_response_ms=ready_ns / 1e6
        )

    def _complaint(self, port: int, token: str) -> str | None:
        try:
            self._ask(self._stage, port, token)
        except Wrong as wrong:
            return wrong.reason
        return None

    def _warmed_up(self, entry: str) -> Generator[Observation]:
        """Longer turns that are not counted; they also tell how long this server's slices must be.

        A cold virtual machine answers its first requests hundreds of times more slowly than those after
        them, and its slices would take ten seconds each: so again, for as long as that makes it faster.
        """
        self._stage.view.state(entry, "warming")
        running, race = self._running[entry], self._stage.race
        last_ms = math.inf
        for number in range(MOST_WARM_UPS):
            observed = self._turn(running, Turn(0, number, entry), 0, race.warm_up_ms)
            yield observed
            if not isinstance(observed, Slice) or not observed.replies:
                return
            mean_ms = observed.latency_sum_ns / observed.replies / 1e6
            running.lead_in_ms = _grown(race.lead_in_ms, LEAD_IN_LATENCIES * mean_ms)
            running.counted_ms = _grown(race.counted_ms, COUNTED_LATENCIES * mean_ms)
            try:
                self._engine.histogram(entry)  # what the warm-up left in it
            except EngineError as error:
                yield self._failed(entry, str(error))
                return
            if running.counted_ms == race.counted_ms or mean_ms > STILL_WARMING * last_ms:
                return
            last_ms = mean_ms

    def _affordable_rounds(self) -> int:
        """As many rounds as take about the planned time, where slow servers need longer slices."""
        race = self._stage.race
        planned = (race.lead_in_ms + race.counted_ms) * len(self._running)
        actual = sum(running.lead_in_ms + running.counted_ms for running in self._running.values())
        return max(min(FEWEST_ROUNDS, race.rounds), race.rounds * planned // max(1, actual))

    def _slice(self, turn: Turn) -> Observation:
        running = self._running[turn.entry]
        self._stage.view.state(turn.entry, "racing")
        observed = self._turn(running, turn, running.lead_in_ms, running.counted_ms)
        if isinstance(observed, Slice) and observed.counted_s > 0:
            running.rates_rps.append(observed.replies / observed.counted_s)
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
        capacities = {e: statistics.median(r.rates_rps) for e, r in self._running.items() if r.rates_rps}
        rates = equal_load.rates(race, self._stage.observed, capacities)
        rng = random.Random(self._block.token("open-loop"))
        for entry, load, rate in equal_load.turns(rates, list(self._running), rng):
            if entry in self._running:
                self._stage.view.state(entry, "racing")
                yield self._open_loop(self._running[entry], load, rate)
                self._stage.view.state(entry, "frozen")

    def _open_loop(self, running: Running, load: float, rate: float) -> Observation:
        counted_ms = equal_load.counted_ms(self._stage.race, rate)
        token = self._block.token("open-loop", load, running.entry)
        try:
            before = self._thaw(running)
            told = self._engine.turn(
                running.entry, token, equal_load.LEAD_IN_MS, counted_ms, pids=list(before.pids), rate=rate
            )
            self._freeze(running)
            hdr, service_hdr = self._engine.histograms(running.entry)
        except (ExitedError, EngineError) as error:
            return self._failed(
                running.entry, f"in block {self._block.index + 1}: {self._why(running, error)}"
            )
        return OpenLoop(
            workload=self._stage.race.key,
            block=self._block.index,
            entry=running.entry,
            load=load,
            rate_rps=rate,
            hdr=hdr,
            service_hdr=service_hdr,
            **{name: told["open_loop"][name] for name in ("achieved_rps", "due", "unsent", "queue_max")},
            **{name: told[name] for name in OpenLoop.model_fields if name in told},
        )

    def _turn(self, running: Running, turn: Turn, lead_in_ms: int, counted_ms: int) -> Observation:
        """Thaw, load, freeze."""
        warm_up = lead_in_ms == 0
        token = self._block.token(turn.round, turn.turn, turn.entry, warm_up)
        try:
            before = self._thaw(running)
            counted = self._engine.turn(running.entry, token, lead_in_ms, counted_ms, pids=list(before.pids))
            after = self._freeze(running)
        except (ExitedError, EngineError) as error:
            return self._failed(
                running.entry, f"in block {self._block.index + 1}: {self._why(running, error)}"
            )
        waited = None
        if before.runqueue_wait_ns is not None and after.runqueue_wait_ns is not None:
            waited = max(0, after.runqueue_wait_ns - before.runqueue_wait_ns)
        return Slice(
            workload=self._stage.race.key,
            block=self._block.index,
            round=turn.round,
            turn=turn.turn,
            entry=running.entry,
            warm_up=warm_up,
            server_runqueue_wait_ns=waited,
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
            usage = self._stage.host.usage(running.handle, memory=True)
            self._engine.close_target(entry)
        except (ExitedError, EngineError) as error:
            return self._failed(entry, str(error))
        self._stage.view.state(entry, "stopping")
        self._stage.host.stop(running.handle, STOP_GRACE_S)
        memory = usage.memory
        return Ended(
            workload=self._stage.race.key,
            block=self._block.index,
            entry=entry,
            memory_bytes=memory.proportional_bytes if memory else None,
            private_bytes=memory.private_bytes if memory else None,
            peak_memory_bytes=memory.peak_bytes if memory else None,
            threads=usage.threads,
            frozen_cpu_ns=running.frozen_cpu_ns,
            hdr=running.closed_hdr,
        )

    def _failed(self, entry: str, reason: str) -> Failed:
        self._running.pop(entry, None)
        self._stage.view.state(entry, "failed")
        return Failed(workload=self._stage.race.key, block=self._block.index, entry=entry, reason=reason)


def threads(race: WorkloadPlan) -> dict[str, int]:
    """The engine's threads, where the plan asks for more than its own one."""
    return {} if race.generator_threads == 1 else {"threads": race.generator_threads}


def last_words(host: Host, handle: Handle) -> str:
    """A clause with the last line that a server printed; empty where it printed none."""
    tail = host.collect(handle).output_tail.strip().splitlines()
    return f"; its last line: {tail[-1][:200]}" if tail else ""


def elsewhere(host: Host, handle: Handle, port: int) -> str:
    """A clause with the ports on which a server listens, if it does but not where it was told."""
    ports = host.collect(handle).ports
    if not ports or port in ports:
        return ""
    return f"; it was told port {port} and listens on {', '.join(map(str, ports))}"


def _grown(least_ms: int, wanted_ms: float) -> int:
    """At least what the plan says, else the next whole multiple of it."""
    return least_ms * max(1, math.ceil(wanted_ms / least_ms))
