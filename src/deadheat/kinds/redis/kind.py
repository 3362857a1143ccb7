"""Programs that send a pipeline to a Redis: interleaved invocation by invocation."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any

from deadheat.hosts.program import Exit, Why
from deadheat.kinds.conformance import Wrong
from deadheat.kinds.conformance import run as run_cases
from deadheat.kinds.program import invocations
from deadheat.kinds.redis import socket_calls
from deadheat.kinds.redis import stream as redis_stream
from deadheat.kinds.redis.depth import Withholding
from deadheat.kinds.redis.digest import digest
from deadheat.kinds.services import start as services
from deadheat.kinds.services.running import Running
from deadheat.model.measured import PipelinePlan
from deadheat.model.observation import Failed, Invocation, Observation, SocketTrace
from deadheat.model.parameter import Setting
from deadheat.model.workload import RedisWork
from deadheat.plan.schedule import Block, Turn
from deadheat.run.check import Check
from deadheat.run.kind import Stage

# Iterations and rounds of the conformance cases.
CHECKED = ((1, 1), (1000, 1), (1000, 2))
# Commands at a time of another; in a race of its own, the race's, though not the largest.
CHECKED_DEPTH, LARGEST_CHECKED_DEPTH = 7, 1000


# Servers that conformance needs by name: one that answers as Redis does, one that tells all it was sent.
REDIS, SINK = "redis", "sink"


class Refused(Wrong):
    """A client that ended with an error: it does not do what it was asked, and says so."""


class RedisClientKind:
    """Every reply is proved to have been read: its digest is compared before any timing, and each timed
    invocation must have sent as many commands as were asked."""

    def unavailable(self, stage: Stage) -> str | None:
        return services.missing(stage.workload.services_at(_values(_asked(stage).server)))

    def check(self, stage: Stage, entry: str) -> Check:
        with ExitStack() as stack:
            genuine, server = _server(stage, stack, _genuine(stage))
            listening, sink = _server(stage, stack, SINK)
            # The last is many times what socket buffers hold: there a client that never reads hangs.
            sizes = [*CHECKED, (_work(stage).iterations, 1)]
            replies = [partial(self._verify, genuine, entry, server, n, rounds) for n, rounds in sizes]
            commands = [partial(self._sent, listening, entry, sink, n, rounds) for n, rounds in sizes]
            depth = partial(self._depth_if_taken, stage, entry, CHECKED_DEPTH)
            return run_cases([*replies, *commands, depth])

    def block(self, stage: Stage, block: Block) -> Generator[Observation]:
        asked = _asked(stage)
        lost: set[str] = set()
        if block.index == 0 and asked.depth is not None:
            for refused in self._without_depth(stage, block, asked.depth):
                lost.add(refused.entry)
                yield refused
        with ExitStack() as stack:
            stage, server = _server(stage, stack, asked.server)

            def invoke(turn: Turn, warm_up: bool) -> Invocation:
                return self._invocation(stage, block, turn, server, warm_up)

            yield from invocations.interleaved(stage, block, invoke, lost)
            if block.index == 0 and asked.depth is None and asked.rounds == 1:
                # A setting of its own would only repeat these.
                yield from self._traces(stage, block, [e for e in block.start if e not in lost], server)
            yield server.ran(block.index)

    def _invocation(
        self, stage: Stage, block: Block, turn: Turn, server: Running, warm_up: bool
    ) -> Invocation:
        asked = _asked(stage)
        with server.beside(turn.entry):
            server.reset()
            before = server.cpu_ns()
            exit_, said = self._run(stage, turn.entry, server.port, _arguments(asked), traced=warm_up)
            used_ns = server.cpu_ns() - before
        if said.get("commands") != asked.commands:
            raise Wrong(
                f"it says that it sent {said.get('commands')} commands, not {asked.commands}",
                json.dumps(said),
            )
        return invocations.invocation(
            stage,
            block,
            turn,
            exit_,
            warm_up=warm_up,
            n=asked.commands,
            own_wall_s=said["wall_ns"] / 1e9,
            server_cpu_s=used_ns / 1e9,
        )

    def _verify(self, stage: Stage, entry: str, server: Running, iterations: int, rounds: int) -> None:
        """All replies, as the values that the library hands over, are those that Redis gives."""
        asked = _load(_work(stage), iterations, rounds)
        with server.beside(entry):
            server.reset()
            _, said = self._run(stage, entry, server.port, _arguments(asked, "--verify"))
        _compare_digest(_work(stage), asked, said)

    def _sent(self, stage: Stage, entry: str, sink: Running, iterations: int, rounds: int) -> None:
        """Exactly the workload's commands, in order, on one connection."""
        known = len(redis_stream.streams(sink))
        with sink.beside(entry):
            sink.reset()
            self._run(stage, entry, sink.port, _arguments(_load(_work(stage), iterations, rounds)))
        redis_stream.compare(_work(stage), redis_stream.last(sink, known), iterations, rounds)

    def _depth(self, stage: Stage, entry: str, depth: int) -> None:
        """So many commands are handed over at a time and no more, and all replies are read."""
        # Some pipelines that are full, and a rest.
        asked = _load(_work(stage), max(10, depth), depth=depth)
        with Withholding(stage.host.address, _work(stage), asked.iterations, depth) as server:
            _, said = self._run(stage, entry, server.port, _arguments(asked, "--verify"))
        _compare_digest(_work(stage), asked, said)
        server.judge()

    def _depth_if_taken(self, stage: Stage, entry: str, depth: int) -> None:
        """Refusing depths is allowed, and keeps a client out of those settings alone; cheating is not."""
        with suppress(Refused):
            self._depth(stage, entry, depth)

    def _without_depth(self, stage: Stage, block: Block, depth: int) -> Iterator[Failed]:
        """The entries that do not run at the race's depth, each with what it says."""
        for entry in block.start:
            try:
                self._depth(stage, entry, min(depth, LARGEST_CHECKED_DEPTH))
            except Wrong as wrong:
                yield invocations.failed(stage, block, entry, wrong, not_run=isinstance(wrong, Refused))

    def _traces(
        self, stage: Stage, block: Block, entries: Sequence[str], server: Running
    ) -> Iterator[SocketTrace]:
        """The calls of each entry on its connection, by invocations that nothing else is taken from."""
        for entry in entries:
            if (unknown := socket_calls.missing()) is not None:
                yield SocketTrace(race=stage.race.key, block=block.index, entry=entry, unknown=unknown)
                continue
            stage.view.state(entry, "warming")
            yield self._trace(stage, block, entry, server)
            stage.view.state(entry, "waiting")

    def _trace(self, stage: Stage, block: Block, entry: str, server: Running) -> SocketTrace:
        asked = _asked(stage)

        def unknown(why: str) -> SocketTrace:
            return SocketTrace(race=stage.race.key, block=block.index, entry=entry, unknown=why)

        found = []
        for iterations in (asked.iterations, max(1, asked.iterations // 10)):
            with server.beside(entry):
                server.reset()
            output = stage.logs / f"{entry.replace(':', '+')}-{iterations}.strace"
            plan = _load(_work(stage), iterations, asked.rounds, asked.depth)
            spec = stage.spec(
                entry,
                {"port": server.port},
                _arguments(plan),
                output=f"{entry}-strace",
                time_limit_s=_work(stage).timeout_s,
            )
            try:
                exit_, _ = invocations.complete(stage, socket_calls.traced(spec, output))
            except Wrong as wrong:
                return unknown(wrong.reason)
            if not exit_.ok:
                return unknown(f"under strace it {exit_.describe()}")
            with output.open(errors="replace") as lines:
                seen = socket_calls.understand(lines, server.port, _work(stage).first_command)
            output.unlink()
            if seen is None:
                return unknown("no pipeline among its system calls")
            found.append(seen)
        whole, shorter = found
        return SocketTrace(
            race=stage.race.key,
            block=block.index,
            entry=entry,
            write_calls=whole.write_calls,
            read_calls=whole.read_calls,
            bytes_out=whole.bytes_out,
            bytes_in=whole.bytes_in,
            sends_early=whole.sends_early(shorter),
            reads_while_writing=whole.reads_while_writing,
        )

    def _run(
        self, stage: Stage, entry: str, port: int, args: Sequence[str], *, traced: bool = False
    ) -> tuple[Exit, dict[str, Any]]:
        """One invocation, and the line of JSON that it prints. Raises Wrong; Refused where it ends badly."""
        spec = stage.spec(
            entry, {"port": port}, args, time_limit_s=_work(stage).timeout_s, peak_memory=traced
        )
        asked = " ".join(spec.argv)
        exit_, left = invocations.complete(stage, spec)
        said = left.stdout[:4096].decode(errors="backslashreplace")
        complaint = left.stderr[-1000:].decode(errors="backslashreplace").strip()
        if not exit_.ok:
            last = f": {complaint.splitlines()[-1]}" if complaint else ""
            kind = Refused if exit_.why is Why.EXIT and exit_.code else Wrong
            raise kind(f"it {exit_.describe()}{last}", f"{asked}\nstdout: {said}\nstderr: {complaint}")
        try:
            answer = json.loads(said)
            return exit_, {**answer, "wall_ns": int(answer["wall_ns"])}
        except (ValueError, TypeError, KeyError) as error:
            raise Wrong(f"it printed no line of JSON: {said[:80]!r}", f"{asked}\nstdout: {said}") from error


def _genuine(stage: Stage) -> str:
    """The server that replies are compared on: a real one where there is one."""
    asked = _asked(stage).server
    named = REDIS if asked == SINK else asked
    return SINK if services.missing(stage.workload.services_at(_values(named))) else named


def _server(stage: Stage, stack: ExitStack, named: str) -> tuple[Stage, Running]:
    """A server of that name, started. Raises RaceUnavailableError."""
    stage, running = services.beside(stage, stack, _values(named))
    return stage, running.each[0]


def _values(server: str) -> dict[str, Setting | None]:
    """The parameters that choose a service."""
    return {"server": server}


def _asked(stage: Stage) -> PipelinePlan:
    """What the race asks for; by a study's own method and in older plans the workload's own."""
    if stage.race.pipelines is not None:
        return stage.race.pipelines
    work = _work(stage)
    return _load(work, work.iterations, work.rounds)


def _load(work: RedisWork, iterations: int, rounds: int = 1, depth: int | None = None) -> PipelinePlan:
    commands = work.commands(iterations, rounds)
    return PipelinePlan(iterations=iterations, rounds=rounds, depth=depth, commands=commands)


def _arguments(asked: PipelinePlan, *more: str) -> list[str]:
    depth = [] if asked.depth is None else ["--pipeline-depth", str(asked.depth)]
    return ["--iterations", str(asked.iterations), "--rounds", str(asked.rounds), *depth, *more]


def _compare_digest(work: RedisWork, asked: PipelinePlan, said: Mapping[str, Any]) -> None:
    expected = digest(work, asked.iterations, asked.rounds)
    if said.get("digest") != expected:
        what = f"{asked.iterations} iterations, {asked.rounds} rounds"
        what += "" if asked.depth is None else f", {asked.depth} commands at a time"
        raise Wrong(f"{what}: expected digest {expected}  got {said.get('digest')}", json.dumps(dict(said)))


def _work(stage: Stage) -> RedisWork:
    assert stage.workload.redis is not None
    return stage.workload.redis
