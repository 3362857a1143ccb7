"""Servers of a block, of which one at a time runs: it is thawed, loaded and frozen again."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from deadheat.generators.load_generator import Counted, LoadError, LoadGenerator
from deadheat.hosts import ExitedError, Handle, Usage
from deadheat.hosts.compilers import Compilers
from deadheat.kinds.server.edges import read_at_edges
from deadheat.kinds.server.rest import MOST_S, Rest, rest
from deadheat.kinds.server.started import last_words
from deadheat.model.observation import Failed, Observation, OpenLoop, Slice
from deadheat.plan import equal_load
from deadheat.plan.schedule import Block, Turn
from deadheat.run.kind import Stage
from deadheat.stats.steady import LONGEST_S

# Servers close connections on which nothing has come for a while (gunicorn after 2 s, Node after 5, the JDK's
# after 30), by a clock that goes on while they are frozen. A turn that may begin with as many new ones has a
# lead-in that is so much longer.
IDLE_S, REOPENED_MS = 1.5, 300


@dataclass
class Running:
    """A started server of a block. `warm_ups`: its turns that do not count; `level_rps`: where they ended,
    and `needed_s`: after how long it was there. `idle_s`: for how long it was frozen at most and closed no
    connection. `busy`: it works without being asked anything, so that no rest ends; `last_rest`: what came of
    the last one, of `rested_s` in all. `compilers`: as they were when it was frozen, and
    `compiled_ns`: their CPU time since they were so before; None where it has none. `last_turn`: in a closed
    loop."""

    entry: str
    handle: Handle
    port: int
    lead_in_ms: int
    counted_ms: int
    pids: tuple[int, ...] = ()
    frozen_cpu_ns: int = 0
    cpu_at_freeze: int | None = field(default=None)
    frozen_at_s: float = 0.0
    idle_s: float = IDLE_S
    busy: bool = False
    last_rest: Rest = field(default=Rest(0.0, False))
    rested_s: float = 0.0
    compilers: Compilers = field(default=Compilers())
    compiled_ns: int | None = None
    last_turn: Slice | None = None
    warm_ups: int = 0
    level_rps: float = 0.0
    needed_s: float = 0.0
    closed: Counted | None = None
    usage: Usage | None = None
    attached: bool = False

    @property
    def frozen_s(self) -> float:
        """Since its last turn."""
        return time.monotonic() - self.frozen_at_s


class Turns:
    """The servers of a block that are there, by entry, and what they do in their turns."""

    def __init__(self, stage: Stage, block: Block, generator: LoadGenerator) -> None:
        self.stage = stage
        self.block = block
        self.generator = generator
        self.running: dict[str, Running] = {}

    def add(self, running: Running) -> None:
        """A server that was started and that the generator knows. Raises ExitedError."""
        # Who has none by now has none: they are there before a runtime answers.
        self._let_compilers_out(running)
        running.busy = rest(self.stage.host, running.handle).working
        self._freeze(running)
        self.running[running.entry] = running

    def take(
        self, running: Running, turn: Turn, lead_in_ms: int, counted_ms: int, *, warm_up: bool = False
    ) -> Observation:
        """A closed loop of so many milliseconds, after those of the lead-in, which are not counted. In a
        warm-up its compilers are not among its own threads; behind one it gets to what it has put off."""
        token = self.block.token(turn.round, turn.turn, turn.entry, warm_up)
        try:
            services = self.stage.services_cpu_ns()
            generator = self.generator.runqueue_wait_ns()
            if warm_up and running.compilers.threads:
                self._let_compilers_out(running)
            before = self._thaw(running)
            counted = self._loaded(running, before, token, lead_in_ms, counted_ms)
            if warm_up and not running.busy:
                self._rest(running)
            after = self._freeze(running)
            generator_until = self.generator.runqueue_wait_ns()
            services_until = self.stage.services_cpu_ns()
        except (ExitedError, LoadError) as error:
            return self.failed(running.entry, f"in block {self.block.index + 1}: {self.why(running, error)}")
        running.last_turn = Slice(
            race=self.stage.race.key,
            block=self.block.index,
            round=turn.round,
            turn=turn.turn,
            entry=running.entry,
            warm_up=warm_up,
            server_runqueue_wait_ns=_grown(before.runqueue_wait_ns, after.runqueue_wait_ns),
            generator_runqueue_wait_ns=_grown(generator, generator_until),
            turn_cpu_ns=_grown(before.cpu.total_ns, after.cpu.total_ns) if before.pids else None,
            services_cpu_ns=_grown(services, services_until),
            compilers_cpu_ns=running.compiled_ns,
            **counted,
        )
        return running.last_turn

    def _let_compilers_out(self, running: Running) -> None:
        """Onto the generator's CPUs until it is frozen, where these are others and on the same host."""
        apart = set(self.stage.plan.generator_cpus) - set(self.stage.server_cpus)
        beside = apart if apart and not self.stage.load_from else None
        running.compilers = self.stage.host.compilers_on(running.handle, beside)

    def _rest(self, running: Running) -> None:
        """As long as it needs, but in all no longer than a server is loaded at most."""
        running.last_rest = rest(
            self.stage.host, running.handle, min(MOST_S, max(0.0, LONGEST_S - running.rested_s))
        )
        running.rested_s += running.last_rest.seconds

    def warm_up(self, running: Running, for_ms: int, *, lead_in_ms: int = 0) -> Observation:
        """The next of its turns that do not count. Latencies behind the lead-in get into the histogram."""
        turn = Turn(0, running.warm_ups, running.entry)
        running.warm_ups += 1
        return self.take(running, turn, lead_in_ms, for_ms - lead_in_ms, warm_up=True)

    def take_at_rate(self, running: Running, turn: equal_load.Turn) -> Observation:
        """An open loop at a fixed rate, for everybody the same."""
        counted_ms = equal_load.counted_ms(self.stage.race, turn.rate_rps)
        token = self.block.token("open-loop", turn.load, turn.number, running.entry)
        # Requests come at the same times to everybody.
        seed = int(self.block.token("arrivals", turn.load), 16)
        try:
            before = self._thaw(running)
            reported = self._loaded(
                running,
                before,
                token,
                equal_load.LEAD_IN_MS,
                counted_ms,
                rate=turn.rate_rps,
                arrivals=equal_load.ARRIVALS,
                seed=seed,
            )
            self._freeze(running)
            counted = self.generator.histogram(running.entry)
        except (ExitedError, LoadError) as error:
            return self.failed(running.entry, f"in block {self.block.index + 1}: {self.why(running, error)}")
        return OpenLoop(
            race=self.stage.race.key,
            block=self.block.index,
            entry=running.entry,
            load=turn.load,
            rate_rps=turn.rate_rps,
            turn=turn.number,
            counted_ms=counted_ms,
            arrivals=equal_load.ARRIVALS,
            hdr=counted.hdr,
            service_hdr=counted.service_hdr,
            hdr_by_host=dict(counted.by_host),
            **{name: reported["open_loop"][name] for name in ("achieved_rps", "due", "unsent", "queue_max")},
            **{name: reported[name] for name in OpenLoop.model_fields if name in reported},
        )

    def why(self, running: Running, error: Exception) -> str:
        """A dead server says more than the generator that lost it."""
        try:
            self.stage.host.usage(running.handle, memory=False)
        except ExitedError as exited:
            return f"{exited}{last_words(self.stage.host, running.handle)}"
        return str(error)

    def _loaded(
        self, running: Running, before: Usage, token: str, lead_in_ms: int, counted_ms: int, **more: Any
    ) -> dict[str, Any]:
        """One turn of the generator, whose lead-in is longer where the server may have closed connections."""
        frozen_s = running.frozen_s
        if lead_in_ms and frozen_s > running.idle_s:
            lead_in_ms += REOPENED_MS
        counted = self._turned(running, before, token, lead_in_ms, counted_ms, **more)
        if not counted["reconnects"]:
            running.idle_s = max(running.idle_s, frozen_s)
        return counted

    def _turned(
        self, running: Running, before: Usage, token: str, lead_in_ms: int, counted_ms: int, **more: Any
    ) -> dict[str, Any]:
        """With the server's CPU time at the edges of what is counted. The generator reads that itself, of
        processes of its own host: elsewhere their numbers mean nothing, or others."""
        turn = partial(self.generator.turn, running.entry, token, lead_in_ms, counted_ms, **more)
        if not self.stage.load_from:
            return turn(pids=list(before.pids))
        with read_at_edges(self.stage.host, running.handle, lead_in_ms, counted_ms) as edges:
            counted = turn(pids=[], **edges.when)
        return edges.filled(counted)

    def _thaw(self, running: Running) -> Usage:
        """What it had used while frozen is on record: it should be nothing."""
        before = self.stage.host.usage(running.handle, memory=False)
        if running.cpu_at_freeze is not None:
            running.frozen_cpu_ns += max(0, before.cpu.total_ns - running.cpu_at_freeze)
        self.stage.host.thaw(running.handle)
        return before

    def _freeze(self, running: Running) -> Usage:
        self.stage.settle(running.entry)
        self.stage.host.freeze(running.handle)
        if running.compilers.threads:
            # Not before: a compiler that runs may beget another, which would stay where it was.
            found = self.stage.host.compilers_on(running.handle, None)
            running.compiled_ns = max(0, found.cpu_ns - running.compilers.cpu_ns)
            running.compilers = found
        after = self.stage.host.usage(running.handle, memory=False)
        running.cpu_at_freeze = after.cpu.total_ns
        running.frozen_at_s = time.monotonic()
        return after

    def failed(self, entry: str, reason: str, *, wrong_answer: bool = False) -> Failed:
        """It takes no more turns in this block."""
        self.running.pop(entry, None)
        self.stage.view.state(entry, "failed")
        return Failed(
            race=self.stage.race.key,
            block=self.block.index,
            entry=entry,
            reason=reason,
            wrong_answer=wrong_answer,
        )


def _grown(before: int | None, after: int | None) -> int | None:
    """By how much a counter grew; a process that ended takes its own with it. None where it is not known."""
    return None if before is None or after is None else max(0, after - before)
