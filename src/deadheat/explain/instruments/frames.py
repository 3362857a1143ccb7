"""HTTP/2 frames a call, by type: our own engine run by hand, which reports them at its end."""

from __future__ import annotations

import json
import secrets

from deadheat.build import toolchain
from deadheat.explain import frames, piping
from deadheat.explain.instruments.base import Bench
from deadheat.explain.reading import Missing, Reading
from deadheat.explain.serving import Server, serving
from deadheat.generators.engine import BINARY, find_binary
from deadheat.run.kind import Stage


class Frames:
    """What goes over the wire between TCP and the call."""

    name = "frames"
    title = "HTTP/2 frames, counted by the generator"

    def missing(self, bench: Bench, entry: str) -> Missing | None:
        problem = toolchain.missing(bench.stage.generator_host, (BINARY,))
        return Missing(problem) if problem else None

    def observe(self, bench: Bench, entry: str) -> Reading:
        output = bench.file(entry, "-frames.json")
        with serving(bench.stage, entry, self.name) as server:
            argv = _argv(bench.stage, server, bench.seconds)
            piping.run(bench.stage, argv, output, host=bench.stage.generator_host)
        run, http2 = frames.parse(output.read_text())
        return Reading(
            values={"frames_sent": http2.sent(), "frames_received": http2.received()},
            frames=http2.by_type(),
            throughput_rps=run.throughput_rps,
        )


def _argv(stage: Stage, server: Server, seconds: float) -> list[str]:
    """The same call as in a race."""
    work, race = stage.workload.grpc, stage.race.load
    assert work is not None
    proto = (stage.workload_folder / work.proto).resolve()
    argv = [
        *(find_binary(), f"grpc://{stage.host.address}:{server.port}", "--json", "--quiet"),
        *("-c", str(race.connections), "--streams", str(race.streams), "-d", f"{round(seconds * 1000)}ms"),
        *("--proto", str(proto), "--call", work.call, "--token", secrets.token_hex(4)),
        *("--data", json.dumps(work.data)),
        *(("--expect-message", json.dumps(work.expect)) if work.expect is not None else ()),
    ]
    return argv if work.messages == 1 else [*argv, "--messages", str(work.messages)]
