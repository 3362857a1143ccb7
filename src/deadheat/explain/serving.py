"""A server started alone, and loaded: what every instrument of servers stands on."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from deadheat.explain.reading import InstrumentError
from deadheat.generators.load_generator import LoadError, LoadGenerator
from deadheat.hosts import ExitedError, Handle, StartError, Usage
from deadheat.hosts.counters import Counters
from deadheat.hosts.images import Image
from deadheat.kinds.registry import PROTOCOLS
from deadheat.kinds.server.started import NotServingError, started_server, until_right
from deadheat.kinds.services import databases
from deadheat.kinds.services import start as services
from deadheat.plan.schedule import token
from deadheat.run.kind import RaceUnavailableError, Stage

LEAD_IN_MS = 50
# A compiler at run time takes seconds; a server that was compiled before is at its speed at once.
WARM_UP_S, WARM_TURN_S, STILL_RISING = 5.0, 0.5, 1.05
# One slow turn may be the machine's doing.
FLAT_TURNS = 2
# Logs of garbage collectors, a line a collection.
OUTPUT_LIMIT_BYTES = 64 << 20


@dataclass(frozen=True)
class Loaded:
    """What a turn of load came to. `requests` are all that the server answered, `seconds` the counted part.

    `throughput_rps` and `latency_ms` (a mean) are of the counted part. Bytes are as the engine saw them, of
    the counted part too, so they belong to `counted` requests.
    """

    requests: int
    counted: int
    seconds: float
    throughput_rps: float
    latency_ms: float
    bytes_in: int
    bytes_out: int
    reconnects: int


class Server:
    """A running server with the generator's connections open."""

    def __init__(
        self,
        stage: Stage,
        entry: str,
        handle: Handle,
        port: int,
        generator: LoadGenerator,
        rng: random.Random,
    ) -> None:
        self.stage, self.entry, self.handle, self.port = stage, entry, handle, port
        self._generator, self._rng = generator, rng

    def load(self, seconds: float, *, rate_rps: float | None = None, lead_in_ms: int = LEAD_IN_MS) -> Loaded:
        """Load it, in a closed loop or at a rate. Raises InstrumentError where it gave no right answer."""
        self.stage.stop.check()
        more = {} if rate_rps is None else {"rate": rate_rps}
        try:
            turn = self._generator.turn(
                self.entry, token(self._rng), lead_in_ms, round(seconds * 1000), pids=[], **more
            )
        except LoadError as error:
            raise InstrumentError(f"under load: {error}") from error
        errors = turn["errors"]
        answered = turn["replies_all"] + errors["status"] + errors["body"]
        counted_s = (turn["counted_until_ns"] - turn["counted_from_ns"]) / 1e9
        if not turn["replies"] or counted_s <= 0:
            why = f": {turn['first_error']}" if turn["first_error"] else ""
            raise InstrumentError(f"it answered no request under this instrument{why}")
        return Loaded(
            requests=answered,
            counted=turn["replies"],
            seconds=counted_s,
            throughput_rps=turn["replies"] / counted_s,
            latency_ms=turn["latency_sum_ns"] / turn["replies"] / 1e6,
            bytes_in=turn["bytes_in"],
            bytes_out=turn["bytes_out"],
            reconnects=turn["reconnects"],
        )

    def warm_up(self, longest_s: float) -> None:
        """Load it until it gets no faster, or for that long."""
        best, flat = 0.0, 0
        for _ in range(int(longest_s / WARM_TURN_S)):
            throughput_rps = self.load(WARM_TURN_S).throughput_rps
            flat = flat + 1 if throughput_rps < STILL_RISING * best else 0
            if flat == FLAT_TURNS:
                return
            best = max(best, throughput_rps)

    def counters(self) -> Counters:
        try:
            return self.stage.host.counters(self.handle)
        except ExitedError as error:
            raise InstrumentError(str(error)) from error

    def images(self) -> tuple[Image, ...]:
        try:
            return self.stage.host.images(self.handle)
        except ExitedError as error:
            raise InstrumentError(str(error)) from error
        except OSError as error:
            raise InstrumentError(f"its program cannot be looked into: {error.strerror}") from error

    def usage(self) -> Usage:
        try:
            return self.stage.host.usage(self.handle, memory=False)
        except ExitedError as error:
            raise InstrumentError(str(error)) from error


@contextmanager
def serving(
    stage: Stage,
    entry: str,
    instrument: str,
    env: Mapping[str, str] | None = None,
    warm_up_s: float = WARM_UP_S,
) -> Iterator[Server]:
    """Start it, wait for its first right answer, connect, warm up. `env` is added to its environment.

    Its services are started for it alone, with a database and rows of its own where the workload has one.
    Raises InstrumentError where it does not come so far. All of it is stopped at the end.
    """
    seed = f"{stage.plan.seed}:explain:{instrument}:{entry}"
    with ExitStack() as stack:
        try:
            stage, running = services.beside(stage, stack, [entry])
            stage, _ = databases.beside(stage, running, stack, [entry], f"{seed}:rows")
        except RaceUnavailableError as error:
            raise InstrumentError(str(error)) from error
        yield stack.enter_context(_alone(stage, entry, instrument, random.Random(seed), env or {}, warm_up_s))


@contextmanager
def _alone(
    stage: Stage,
    entry: str,
    instrument: str,
    rng: random.Random,
    env: Mapping[str, str],
    warm_up_s: float,
) -> Iterator[Server]:
    """The server, beside services that run."""
    protocol = PROTOCOLS[stage.workload.kind]
    spec = stage.spec(entry, {"port": (port := stage.host.free_port())}, output=f"{entry}-{instrument}")
    spec = dataclasses.replace(
        spec, env={**spec.env, **added(spec.env, env)}, output_limit_bytes=OUTPUT_LIMIT_BYTES
    )

    with stage.load_generator() as generator:
        try:
            at = stage.address(entry, port)
            right = until_right(lambda: protocol.ask(stage, at, token(rng)))
            with started_server(stage.host, spec, port, right, stage.stop) as serving:
                generator.open(entry, **protocol.target(stage, at))
                server = Server(stage, entry, serving.handle, port, generator, rng)
                server.warm_up(warm_up_s)
                yield server
        except (StartError, NotServingError, ExitedError, LoadError) as error:
            raise InstrumentError(str(error)) from error


def added(own: Mapping[str, str], more: Mapping[str, str]) -> dict[str, str]:
    """What to add to an environment: an option list of the contender's own keeps its options."""
    separator = {"GODEBUG": ","}
    return {
        name: f"{own[name]}{separator.get(name, ' ')}{value}" if own.get(name) else value
        for name, value in more.items()
    }
