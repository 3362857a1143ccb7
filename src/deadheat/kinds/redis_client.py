"""Programs that send a pipeline to a Redis: interleaved invocation by invocation."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from functools import partial
from typing import Any

from deadheat.conformance import Check, Wrong
from deadheat.conformance import run as run_cases
from deadheat.kinds import invocations, redis_server, redis_stream
from deadheat.kinds.base import Stage
from deadheat.kinds.redis_server import RedisServer
from deadheat.model.observation import Invocation, Observation
from deadheat.model.plan import WorkloadPlan
from deadheat.model.workload import RedisWork
from deadheat.program import Exit
from deadheat.schedule import Block, Turn

TIMEOUT_S = 120.0
# Iterations and rounds of the conformance cases.
CHECKED = ((1, 1), (1000, 1), (1000, 2))
FNV_OFFSET, FNV_PRIME, FNV_MASK = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1


class RedisClientKind:
    """Every reply is proved to have been read: its digest is compared before any timing, and each timed
    invocation must have sent as many commands as were asked."""

    def unavailable(self, race: WorkloadPlan) -> str | None:
        return redis_server.missing(race.setting)

    def check(self, stage: Stage, entry: str) -> Check:
        with ExitStack() as stack:
            server = redis_server.start(stage, None, stack)
            sink = redis_server.start(stage, redis_server.SINK, stack)
            # The last is many times what socket buffers hold: there a client that never reads hangs.
            sizes = [*CHECKED, (_work(stage).iterations, 1)]
            replies = [partial(self._verify, stage, entry, server, n, rounds) for n, rounds in sizes]
            commands = [partial(self._sent, stage, entry, sink, n, rounds) for n, rounds in sizes]
            return run_cases([*replies, *commands])

    def block(self, stage: Stage, block: Block) -> Generator[Observation]:
        with ExitStack() as stack:
            server = redis_server.start(stage, stage.race.setting, stack)

            def invoke(turn: Turn, warm_up: bool) -> Invocation:
                return self._invocation(stage, block, turn, server, warm_up)

            yield from invocations.interleaved(stage, block, invoke)

    def _invocation(
        self, stage: Stage, block: Block, turn: Turn, server: RedisServer, warm_up: bool
    ) -> Invocation:
        work = _work(stage)
        server.flush()
        before = server.cpu_ns()
        exit_, said = self._run(stage, turn.entry, server, work.iterations, work.rounds, traced=warm_up)
        commands = (4 * work.iterations + 3) * work.rounds
        if said.get("commands") != commands:
            raise Wrong(
                f"it says that it sent {said.get('commands')} commands, not {commands}", json.dumps(said)
            )
        seen = {
            "n": commands,
            "own_wall_s": said["wall_ns"] / 1e9,
            "server_cpu_s": (server.cpu_ns() - before) / 1e9,
        }
        return invocations.invocation(stage, block, turn, exit_, warm_up).model_copy(update=seen)

    def _verify(self, stage: Stage, entry: str, server: RedisServer, iterations: int, rounds: int) -> None:
        """All replies, as the values that the library hands over, are those that Redis gives."""
        server.flush()
        _, said = self._run(stage, entry, server, iterations, rounds, "--verify")
        expected = digest(_work(stage), iterations, rounds)
        if said.get("digest") != expected:
            asked = f"{iterations} iterations, {rounds} rounds"
            raise Wrong(f"{asked}: expected digest {expected}  got {said.get('digest')}", json.dumps(said))

    def _sent(self, stage: Stage, entry: str, sink: RedisServer, iterations: int, rounds: int) -> None:
        """Exactly the workload's commands, in order, on one connection."""
        sink.flush()
        known = len(redis_stream.streams(sink))
        self._run(stage, entry, sink, iterations, rounds)
        redis_stream.compare(_work(stage), redis_stream.last(sink, known), iterations, rounds)

    def _run(
        self,
        stage: Stage,
        entry: str,
        server: RedisServer,
        iterations: int,
        rounds: int,
        *more: str,
        traced: bool = False,
    ) -> tuple[Exit, dict[str, Any]]:
        """One invocation, and the line of JSON that it prints. Raises Wrong."""
        args = ["--iterations", str(iterations), "--rounds", str(rounds), *more]
        spec = stage.spec(entry, {"port": server.port}, args, time_limit_s=TIMEOUT_S, peak_memory=traced)
        asked = " ".join(spec.argv)
        exit_, left = invocations.complete(stage, spec)
        said = left.stdout[:4096].decode(errors="backslashreplace")
        complaint = left.stderr[-1000:].decode(errors="backslashreplace").strip()
        if not exit_.ok:
            last = f": {complaint.splitlines()[-1]}" if complaint else ""
            raise Wrong(f"it {exit_.describe()}{last}", f"{asked}\nstdout: {said}\nstderr: {complaint}")
        try:
            answer = json.loads(said)
            return exit_, {**answer, "wall_ns": int(answer["wall_ns"])}
        except (ValueError, TypeError, KeyError) as error:
            raise Wrong(f"it printed no line of JSON: {said[:80]!r}", f"{asked}\nstdout: {said}") from error


def digest(work: RedisWork, iterations: int, rounds: int) -> str:
    """FNV-1a, 64 bits, over the canonical rendering of all replies, as the workload describes it."""
    value = FNV_OFFSET
    for _ in range(rounds):
        for reply in _replies(work, iterations):
            for byte in reply:
                value = ((value ^ byte) * FNV_PRIME) & FNV_MASK
    return f"{value:016x}"


def _replies(work: RedisWork, iterations: int) -> Iterator[bytes]:
    """What Redis answers to one round. Each round leaves the key deleted, so all are alike."""

    def text(value: str) -> bytes:
        return work.digest.text.replace("{text}", value).encode()

    def integer(number: int) -> bytes:
        return work.digest.integer.replace("{number}", str(number)).encode()

    yield integer(0)
    yield from (text("OK") for _ in range(iterations))
    yield from (text(work.value) for _ in range(iterations))
    yield integer(1)
    yield from (integer(number) for number in range(1, iterations + 1))
    yield integer(1)
    yield from (work.digest.nil.encode() for _ in range(iterations))


def _work(stage: Stage) -> RedisWork:
    assert stage.workload.redis is not None
    return stage.workload.redis
