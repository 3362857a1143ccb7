"""No instrument at all: what the kernel and the engine count anyway. What the others cost is held to this."""

from __future__ import annotations

import time

from deadheat.explain import development, sockets
from deadheat.explain.instruments.base import Bench, tool
from deadheat.explain.reading import InstrumentError, Missing, Reading
from deadheat.explain.serving import Loaded, Server, serving
from deadheat.hosts import Usage
from deadheat.hosts.counters import Counters
from deadheat.hosts.meter import between
from deadheat.model.contender import Contender

# Long enough to see a thread that spins; a runtime that spins a little after work has stopped by then.
SETTLE_S, IDLE_S = 0.3, 0.7
LOW_RATE_RPS, LOW_RATE_S = 100.0, 1.5


class Plain:
    """CPU, context switches, page faults, bytes and segments, under load and without."""

    name = "counters"
    title = "the kernel's own counters, nothing slowed"

    def missing(self, bench: Bench, entry: str) -> Missing | None:
        return None

    def observe(self, bench: Bench, entry: str) -> Reading:
        with serving(bench.stage, entry, self.name) as server:
            before, counted, traffic = server.usage(), _count(server), _look(server)
            loaded = server.load(bench.seconds)
            after, counted_after, traffic_after = server.usage(), _count(server), _look(server)
            # Once it is warm: before that a low rate would measure its compiler.
            low = _low_rate(server)
            idle_cores = _idle(server)
        spent = between(before, after)
        facts = _facts(bench.stage.build(entry).contender, loaded)
        segments = _traffic(traffic, traffic_after, loaded)
        if "segments_sent" not in segments:
            facts[f"note segments {entry}"] = _why_no_segments(entry)
        return Reading(
            values={
                "throughput_rps": loaded.throughput_rps,
                "latency_ms": loaded.latency_ms,
                "cores": spent.cores,
                "idle_cores": idle_cores,
                **low,
                "threads": after.threads,
                **_cpu(before, after, loaded),
                **_switches(counted_after - counted, loaded),
                **segments,
            },
            facts=facts,
            throughput_rps=loaded.throughput_rps,
        )


def _facts(contender: Contender, loaded: Loaded) -> dict[str, str]:
    facts = {"reconnects": f"{loaded.reconnects / loaded.requests:.6f}"}
    if (found := development.signs(contender)) is not None:
        facts["development"] = found
    return facts


def _why_no_segments(entry: str) -> str:
    lack = tool("ss")
    why = str(lack) if lack else "connections were closed under load, and their counts went with them"
    return f"TCP segments of {entry} were not counted: {why}"


def _idle(server: Server) -> float:
    """Cores used while nobody asks anything."""
    time.sleep(SETTLE_S)
    before = server.usage()
    time.sleep(IDLE_S)
    return between(before, server.usage()).cores


def _low_rate(server: Server) -> dict[str, float]:
    """CPU of a request where most of the time there is none: what spinning between requests costs."""
    before = server.usage()
    try:
        loaded = server.load(LOW_RATE_S, rate_rps=LOW_RATE_RPS)
    except InstrumentError:
        return {}
    return {"low_load_cpu_us": between(before, server.usage()).cpu.total_ns / loaded.requests / 1e3}


def _cpu(before: Usage, after: Usage, loaded: Loaded) -> dict[str, float]:
    cpu = between(before, after).cpu
    per = 1 / loaded.requests / 1e3
    return {"cpu_us": cpu.total_ns * per, "user_us": cpu.user_ns * per, "kernel_us": cpu.system_ns * per}


def _count(server: Server) -> Counters:
    return server.counters()


def _switches(counted: Counters, loaded: Loaded) -> dict[str, float]:
    return {
        "sleeps": counted.sleeps / loaded.requests,
        "preemptions": counted.preemptions / loaded.requests,
        "minor_faults": counted.minor_faults / loaded.requests,
        "major_faults": counted.major_faults / loaded.requests,
    }


def _look(server: Server) -> str | None:
    return None if tool("ss") else sockets.look(server.stage.host, server.port)


def _traffic(before: str | None, after: str | None, loaded: Loaded) -> dict[str, float]:
    """From the kernel's counts of each connection; bytes alone, from the engine's, where it has none."""
    traffic = sockets.between(before, after) if before and after else None
    if traffic is None:
        return {
            "bytes_received": loaded.bytes_out / loaded.counted,
            "bytes_sent": loaded.bytes_in / loaded.counted,
        }
    return {
        "bytes_received": traffic.bytes_received / loaded.requests,
        "bytes_sent": traffic.bytes_sent / loaded.requests,
        "segments_received": traffic.segs_in / loaded.requests,
        "segments_sent": traffic.segs_out / loaded.requests,
        "data_segments_sent": traffic.data_segs_out / loaded.requests,
    }
